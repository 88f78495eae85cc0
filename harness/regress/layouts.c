#include "harness/regress/layouts.h"

#include "base/files/temporary.h"
#include "base/process.h"
#include "harness/instruments/interrupt.h"
#include "harness/instruments/timer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Verdicts are possible after these numbers of layouts. Few looks, because each makes the test of
 * all looks stricter. */
static const size_t looks[] = {3, 4, 6, 9, 13, 18, 24};
enum { LAYOUTS_MOST = 24, LOOKS = sizeof looks / sizeof *looks };
static const char *const library_names[PAIR_SIDES] = {"base.so", "head.so"};
enum { PAIRS = 6, PATH_SIZE = 512, TEXT_SIZE = 512 };

struct layouts {
    const struct gate_request *request;
    struct gate_cell *cells;
    size_t n_cells;
    struct sequential_rule rule;
    struct temporary_folder folder; /* its files are the libraries */
    double (*logs)[LAYOUTS_MOST];   /* [n_cells] */
};

static bool needs_check(const struct gate_cell *cell) {
    return cell->verdict == GATE_REGRESSION && cell->workload;
}

static bool any_open(const struct layouts *layouts) {
    for (size_t i = 0; i < layouts->n_cells; i++)
        if (layouts->cells[i].is_open)
            return true;
    return false;
}

/* Runs the command with the folder, the seed and the file as further words. */
static enum status link_side(const struct layouts *layouts, enum pair_side side, uint64_t seed,
                             struct error *error) {
    char script[PATH_SIZE], seed_text[24], text[TEXT_SIZE];
    int exit_status;
    snprintf(script, sizeof script, "%s \"$@\"", layouts->request->relink);
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    const char *const argv[] = {"sh",
                                "-c",
                                script,
                                "relink",
                                layouts->request->folders[side],
                                seed_text,
                                layouts->folder.files[side],
                                NULL};
    enum status status = process_run(argv, text, sizeof text, &exit_status, error);
    if (status)
        return status;
    text[strcspn(text, "\n")] = '\0';
    if (exit_status != 0)
        return error_set(error, STATUS_INPUT, "%s: ended with status %d: %s",
                         layouts->request->relink, exit_status, text);
    return STATUS_OK;
}

static enum status link_both(const struct layouts *layouts, size_t layout, struct error *error) {
    enum status status = link_side(layouts, PAIR_BASE, 2 * layout + 1, error);
    return status ? status : link_side(layouts, PAIR_HEAD, 2 * layout + 2, error);
}

/* Measures a cell in the present layout. Its value is the median of some pairs. */
static void measure(const struct layouts *layouts, size_t i, size_t layout) {
    struct gate_cell *cell = &layouts->cells[i];
    const char *const libraries[PAIR_SIDES] = {layouts->folder.files[PAIR_BASE],
                                               layouts->folder.files[PAIR_HEAD]};
    double logs[PAIRS];
    struct pair pair;
    struct error error;
    uint64_t begin = timer_wall_ns();
    for (size_t k = 0; k < PAIRS; k++) {
        if (pair_of_libraries(libraries, cell->workload, cell->impl,
                              layouts->request->seed + 1000 * layout + k, &pair, &error)) {
            gate_close(cell, GATE_FAILED, error.text);
            return;
        }
        logs[k] = pair.log_ratio;
    }
    cell->seconds += (double)(timer_wall_ns() - begin) / 1e9;
    layouts->logs[i][layout] = stats_median(logs, PAIRS);
    cell->layouts = layout + 1;
}

static bool is_look(size_t count) {
    for (size_t i = 0; i < LOOKS; i++)
        if (looks[i] == count)
            return true;
    return false;
}

static void judge(const struct layouts *layouts, size_t i) {
    struct gate_cell *cell = &layouts->cells[i];
    struct sequential_state state =
        sequential_judge_layouts(layouts->logs[i], cell->layouts, LOOKS, &layouts->rule);
    cell->layout_ratio = state.ratio;
    if (!is_look(cell->layouts) || state.verdict == SEQUENTIAL_OPEN)
        return;
    gate_close(cell, state.verdict == SEQUENTIAL_REGRESSION ? GATE_REGRESSION : GATE_LAYOUT, "");
}

static enum status try_layout(const struct layouts *layouts, size_t layout, struct error *error) {
    enum status status = link_both(layouts, layout, error);
    for (size_t i = 0; i < layouts->n_cells && !status; i++)
        if (layouts->cells[i].is_open) {
            measure(layouts, i, layout);
            if (layouts->cells[i].is_open)
                judge(layouts, i);
        }
    return status;
}

/* More than 9 layouts must not take more time than the pairs may. */
static bool is_too_late(const struct gate_request *request, uint64_t begin_ns, size_t layout) {
    return layout >= 9 && (double)(timer_wall_ns() - begin_ns) * 1e-9 > request->seconds;
}

enum status layouts_check(const struct gate_request *request, struct gate_cell *cells,
                          size_t n_cells, size_t n_timed, struct error *error) {
    struct layouts layouts = {
        .request = request,
        .cells = cells,
        .n_cells = n_cells,
        .rule = {request->margin, request->tolerance, request->alarms / (double)n_timed}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < n_cells; i++)
        cells[i].is_open = needs_check(&cells[i]);
    if (!any_open(&layouts))
        return STATUS_OK;
    layouts.logs = calloc(n_cells, sizeof *layouts.logs);
    if (!layouts.logs)
        return error_memory(error, "layouts");
    status = temporary_folder_make(NULL, library_names, PAIR_SIDES, &layouts.folder, error);
    uint64_t begin = timer_wall_ns();
    for (size_t k = 0; k < LAYOUTS_MOST && any_open(&layouts) && !status && !interrupt_asked() &&
                       !is_too_late(request, begin, k);
         k++)
        status = try_layout(&layouts, k, error);
    for (size_t i = 0; i < n_cells; i++)
        if (cells[i].is_open)
            gate_close(&cells[i], GATE_UNCLEAR,
                       "slower as built, but layouts of the code differ too much to tell");
    temporary_folder_remove(&layouts.folder);
    free(layouts.logs);
    return status;
}
