#include "harness/regress/gate.h"

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
enum { LAYOUT_PAIRS = 6, PATH_SIZE = 512, TEXT_SIZE = 512 };

const char *const gate_verdict_names[] = {"same code",  "none",      "faster",
                                          "regression", "layout",    "unclear",
                                          "refused",    "one-sided", "failed"};

struct gate {
    const struct gate_request *request;
    struct gate_cell *cells;
    size_t n_cells, n_timed;
    uint64_t begin_ns, pairs;
    struct temporary_folder folder; /* its files are libraries that were linked again */
    double (*logs)[LAYOUTS_MOST];   /* [n_cells] of layouts */
};

static size_t count_open(const struct gate *gate) {
    size_t count = 0;
    for (size_t i = 0; i < gate->n_cells; i++)
        count += gate->cells[i].is_open;
    return count;
}

static bool is_time_up(const struct gate *gate) {
    double spent = (double)(timer_wall_ns() - gate->begin_ns) / 1e9;
    return spent > gate->request->seconds || interrupt_asked();
}

static void close_cell(struct gate_cell *cell, enum gate_verdict verdict, const char *reason) {
    cell->is_open = false;
    cell->verdict = verdict;
    snprintf(cell->reason, sizeof cell->reason, "%.*s", (int)sizeof cell->reason - 1, reason);
}

/* --- pairs ------------------------------------------------------------------------------------ */

static enum status measure_pair(const struct gate_request *request, const struct gate_cell *cell,
                                uint64_t seed, struct pair *pair, struct error *error) {
    if (!cell->workload)
        return pair_of_commands(request->commands, request->metric, seed, pair, error);
    return pair_of_libraries(request->libraries, cell->workload, cell->impl, seed, pair, error);
}

/* Gives up the cells that are still open. */
static void close_open(struct gate *gate, const char *reason) {
    for (size_t i = 0; i < gate->n_cells; i++)
        if (gate->cells[i].is_open)
            close_cell(&gate->cells[i], GATE_UNCLEAR, reason);
}

static struct sequential_rule rule_of(const struct gate *gate) {
    return (struct sequential_rule){gate->request->margin, gate->request->tolerance,
                                    gate->request->alarms / (double)gate->n_timed};
}

static void judge(const struct gate *gate, struct gate_cell *cell) {
    static const enum gate_verdict verdicts[] = {[SEQUENTIAL_NONE] = GATE_NONE,
                                                 [SEQUENTIAL_FASTER] = GATE_FASTER,
                                                 [SEQUENTIAL_REGRESSION] = GATE_REGRESSION,
                                                 [SEQUENTIAL_UNCLEAR] = GATE_UNCLEAR};
    const struct sequential_rule rule = rule_of(gate);
    struct sequential_state state = sequential_judge(cell->logs, cell->pairs, &rule);
    cell->ratio = state.ratio;
    if (state.verdict != SEQUENTIAL_OPEN)
        close_cell(cell, verdicts[state.verdict],
                   state.verdict == SEQUENTIAL_UNCLEAR ? "noise: no verdict after 80 pairs" : "");
}

static void take_pair(struct gate *gate, struct gate_cell *cell) {
    struct pair pair;
    struct error error;
    uint64_t begin = timer_wall_ns();
    enum status status =
        measure_pair(gate->request, cell, gate->request->seed + gate->pairs++, &pair, &error);
    cell->seconds += (double)(timer_wall_ns() - begin) / 1e9;
    if (status) {
        close_cell(cell, status == STATUS_UNSUPPORTED ? GATE_REFUSED : GATE_FAILED, error.text);
        return;
    }
    cell->logs[cell->pairs] = pair.log_ratio;
    for (size_t side = 0; side < PAIR_SIDES; side++)
        cell->values[side][cell->pairs] = pair.value[side];
    cell->pairs++;
    judge(gate, cell);
}

static void show(const struct gate *gate, const struct gate_cell *cell) {
    char text[192];
    snprintf(text, sizeof text, "%zu of %zu open; %s, %zu pairs", count_open(gate), gate->n_timed,
             cell->workload ? cell->impl : "commands", cell->pairs);
    progress_note(gate->request->progress, text);
}

/* Takes a pair of each open cell in turn, so that a drift of the machine affects all alike. */
static void take_all(struct gate *gate) {
    while (count_open(gate) > 0 && !is_time_up(gate))
        for (size_t i = 0; i < gate->n_cells && !is_time_up(gate); i++)
            if (gate->cells[i].is_open) {
                take_pair(gate, &gate->cells[i]);
                show(gate, &gate->cells[i]);
            }
    close_open(gate, interrupt_asked() ? "interrupted" : "the time is over: allow more minutes");
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* Runs the command with the folder, the seed and the file as further words. */
static enum status link_side(const struct gate *gate, enum pair_side side, uint64_t seed,
                             struct error *error) {
    char script[PATH_SIZE], seed_text[24], text[TEXT_SIZE];
    int exit_status;
    snprintf(script, sizeof script, "%s \"$@\"", gate->request->relink);
    snprintf(seed_text, sizeof seed_text, "%" PRIu64, seed);
    const char *const argv[] = {"sh",
                                "-c",
                                script,
                                "relink",
                                gate->request->folders[side],
                                seed_text,
                                gate->folder.files[side],
                                NULL};
    enum status status = process_run(argv, text, sizeof text, &exit_status, error);
    if (status)
        return status;
    text[strcspn(text, "\n")] = '\0';
    if (exit_status != 0)
        return error_set(error, STATUS_INPUT, "%s: ended with status %d: %s", gate->request->relink,
                         exit_status, text);
    return STATUS_OK;
}

static enum status link_both(const struct gate *gate, size_t layout, struct error *error) {
    enum status status = link_side(gate, PAIR_BASE, 2 * layout + 1, error);
    return status ? status : link_side(gate, PAIR_HEAD, 2 * layout + 2, error);
}

/* Measures a cell in the present layout. Its value is the median of some pairs. */
static void measure_layout(const struct gate *gate, size_t i, size_t layout) {
    struct gate_cell *cell = &gate->cells[i];
    const char *const libraries[PAIR_SIDES] = {gate->folder.files[PAIR_BASE],
                                               gate->folder.files[PAIR_HEAD]};
    double logs[LAYOUT_PAIRS];
    struct pair pair;
    struct error error;
    uint64_t begin = timer_wall_ns();
    for (size_t k = 0; k < LAYOUT_PAIRS; k++) {
        if (pair_of_libraries(libraries, cell->workload, cell->impl,
                              gate->request->seed + 1000 * layout + k, &pair, &error)) {
            close_cell(cell, GATE_FAILED, error.text);
            return;
        }
        logs[k] = pair.log_ratio;
    }
    cell->seconds += (double)(timer_wall_ns() - begin) / 1e9;
    gate->logs[i][layout] = stats_median(logs, LAYOUT_PAIRS);
    cell->layouts = layout + 1;
}

static bool is_look(size_t count) {
    for (size_t i = 0; i < LOOKS; i++)
        if (looks[i] == count)
            return true;
    return false;
}

static void judge_layouts(const struct gate *gate, size_t i) {
    struct gate_cell *cell = &gate->cells[i];
    const struct sequential_rule rule = rule_of(gate);
    struct sequential_state state =
        sequential_judge_layouts(gate->logs[i], cell->layouts, LOOKS, &rule);
    cell->layout_ratio = state.ratio;
    if (!is_look(cell->layouts) || state.verdict == SEQUENTIAL_OPEN)
        return;
    close_cell(cell, state.verdict == SEQUENTIAL_REGRESSION ? GATE_REGRESSION : GATE_LAYOUT, "");
}

static enum status try_layout(const struct gate *gate, size_t layout, struct error *error) {
    enum status status = link_both(gate, layout, error);
    for (size_t i = 0; i < gate->n_cells && !status; i++)
        if (gate->cells[i].is_open) {
            measure_layout(gate, i, layout);
            if (gate->cells[i].is_open)
                judge_layouts(gate, i);
        }
    return status;
}

/* More than 9 layouts must not take more time than the pairs may. */
static bool is_too_late(const struct gate *gate, size_t layout) {
    double spent = (double)(timer_wall_ns() - gate->begin_ns) * 1e-9;
    return layout >= 9 && spent > gate->request->seconds;
}

enum status layouts_check(const struct gate_request *request, struct gate_cell *cells,
                          size_t n_cells, size_t n_timed, struct error *error) {
    struct gate gate = {.request = request, .cells = cells, .n_cells = n_cells, .n_timed = n_timed};
    for (size_t i = 0; i < n_cells; i++)
        cells[i].is_open = cells[i].verdict == GATE_REGRESSION && cells[i].workload;
    if (count_open(&gate) == 0)
        return STATUS_OK;
    gate.logs = calloc(n_cells, sizeof *gate.logs);
    if (!gate.logs)
        return error_memory(error, "layouts");
    enum status status =
        temporary_folder_make(NULL, library_names, PAIR_SIDES, &gate.folder, error);
    gate.begin_ns = timer_wall_ns();
    for (size_t k = 0; k < LAYOUTS_MOST && count_open(&gate) > 0 && !status && !interrupt_asked() &&
                       !is_too_late(&gate, k);
         k++)
        status = try_layout(&gate, k, error);
    close_open(&gate, "slower as built, but layouts of the code differ too much to tell");
    temporary_folder_remove(&gate.folder);
    free(gate.logs);
    return status;
}

/* --- both ------------------------------------------------------------------------------------- */

enum status gate_run(const struct gate_request *request, struct gate_cell *cells, size_t n_cells,
                     struct error *error) {
    struct gate gate = {
        .request = request, .cells = cells, .n_cells = n_cells, .begin_ns = timer_wall_ns()};
    gate.n_timed = count_open(&gate);
    if (gate.n_timed == 0)
        return STATUS_OK;
    take_all(&gate);
    return request->relink ? layouts_check(request, cells, n_cells, gate.n_timed, error)
                           : STATUS_OK;
}

enum gate_verdict gate_overall(const struct gate_cell *cells, size_t n_cells) {
    static const enum gate_verdict order[] = {GATE_FAILED, GATE_REGRESSION, GATE_UNCLEAR};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < n_cells; i++)
            if (cells[i].verdict == order[k])
                return order[k];
    return GATE_NONE;
}
