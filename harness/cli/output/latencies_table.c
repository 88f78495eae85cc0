/* The tables for the terminal. */
#include "harness/cli/output/latencies.h"
#include "harness/cli/shared/grid.h"
#include "harness/cli/shared/terminal.h"
#include "harness/latency/loop.h"

#include <inttypes.h>
#include <math.h>

/* --- cells ------------------------------------------------------------------------------------ */

static void put_names(struct grid *grid, const struct latencies_line *line) {
    struct call_size size = line->line.size;
    grid_put(grid, "%s%s", row_variant(&line->row).text,
             line->is_empty_call ? " (empty call)" : "");
    grid_put(grid, "%s", call_documents_words[line->line.documents]);
    if (size.least == size.most)
        grid_put(grid, "%" PRIu32, size.most);
    else
        grid_put(grid, "%" PRIu32 "-%" PRIu32, size.least, size.most);
}

static void put_ratio(struct grid *grid, const struct latencies_ratio *ratio) {
    char verdict[VERDICT_TEXT_SIZE];
    verdict_describe(ratio->verdict, verdict);
    grid_put_number(grid, ratio->ratio.value, 3);
    if (isfinite(ratio->ratio.interval.low))
        grid_put(grid, "[%.3f, %.3f]", ratio->ratio.interval.low, ratio->ratio.interval.high);
    else
        grid_put(grid, "-");
    grid_put_number(grid, 100 * ratio->noise_floor, 1);
    grid_put(grid, "%s", verdict);
}

/* Makes a table with these headings, up to NULL, behind those of the names. `add` adds what each
 * line that was measured has, which is up to `per_line` lines of the table. */
static struct grid
make_grid(const struct latencies *latencies, const char *const *headings, size_t per_line,
          void (*add)(const struct latencies *, const struct latencies_line *, struct grid *)) {
    static const char *const names[] = {"implementation", "documents", "per call"};
    enum { NAMES = sizeof names / sizeof *names, FIRST_TWO = 3 };
    struct latencies_line line;
    size_t count = 0;
    while (headings[count])
        count++;
    struct grid grid =
        grid_create(latencies->timing.n_lines * per_line + 1, NAMES + count, FIRST_TWO);
    for (size_t i = 0; i < NAMES + count; i++)
        grid_put(&grid, "%s", i < NAMES ? names[i] : headings[i - NAMES]);
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        if (latencies_line(latencies, i, &line) && line.row.status == ROW_OK)
            add(latencies, &line, &grid);
    return grid;
}

/* --- the tables ------------------------------------------------------------------------------- */

static void add_percentiles(const struct latencies *latencies, const struct latencies_line *line,
                            struct grid *grid) {
    put_names(grid, line);
    for (size_t i = 0; i < PERCENTILES; i++)
        if (line->percentiles[i].rank == 1)
            grid_put(grid, "*%.0f", line->percentiles[i].proven_ns);
        else
            grid_put_number(grid, line->percentiles[i].proven_ns, 0);
    grid_put_number(grid, line->most_ns, 0);
    if (latencies->timing.request.mode == TIMING_SERVER)
        grid_put_number(grid, line->completed_rate, 0);
}

static void print_percentiles(const struct latencies *latencies, FILE *stream) {
    const char *headings[PERCENTILES + 3] = {NULL};
    bool is_server = latencies->timing.request.mode == TIMING_SERVER;
    for (size_t i = 0; i < PERCENTILES; i++)
        headings[i] = percentiles[i].name;
    headings[PERCENTILES] = "longest";
    headings[PERCENTILES + 1] = is_server ? "completed/s" : NULL;
    struct grid grid = make_grid(latencies, headings, 1, add_percentiles);
    grid_print(&grid, stream);
}

static void add_peak(const struct latencies *latencies, const struct latencies_line *line,
                     struct grid *grid) {
    (void)latencies;
    put_names(grid, line);
    if (isfinite(line->peak.value))
        grid_put(grid, "%s%.0f", line->line.is_peak_limited ? ">" : "", line->peak.value);
    else
        grid_put(grid, "-");
    if (isfinite(line->peak.interval.low))
        grid_put(grid, "[%.0f, %.0f]", line->peak.interval.low, line->peak.interval.high);
    else
        grid_put(grid, "-");
    put_ratio(grid, &line->peak_to_first);
}

/* Explains the cells of the peaks. */
static void print_limits(const struct latencies *latencies, FILE *stream) {
    struct latencies_line line;
    bool is_met = true, is_limited = false;
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        if (latencies_line(latencies, i, &line) && line.row.status == ROW_OK) {
            is_met &= !isnan(line.peak.value);
            is_limited |= line.line.is_peak_limited;
        }
    if (!is_met)
        fprintf(stream, "-: no rate that was tried met the bound of %.0f ns\n",
                latencies->timing.request.bound_ns);
    if (is_limited)
        fprintf(stream, ">: a trial at a higher rate would have more than %d calls\n",
                PEAK_CALLS_MOST);
}

static void print_peaks(const struct latencies *latencies, FILE *stream) {
    static const char *const headings[] = {"peak/s",  "interval", "ratio", "interval",
                                           "noise %", "verdict",  NULL};
    struct grid grid = make_grid(latencies, headings, 1, add_peak);
    grid_print(&grid, stream);
    print_limits(latencies, stream);
}

static void add_ratios(const struct latencies *latencies, const struct latencies_line *line,
                       struct grid *grid) {
    for (size_t i = 0; i < PERCENTILES; i++) {
        const struct latencies_ratio *ratio = &line->percentiles[i].to_first;
        if (ratio->verdict.kind == VERDICT_NONE)
            continue;
        put_names(grid, line);
        grid_put(grid, "%s", line->percentiles[i].name);
        put_ratio(grid, ratio);
    }
    (void)latencies;
}

/* The calls of the line that has the fewest; UINT64_MAX without lines. */
static uint64_t fewest_calls(const struct latencies *latencies) {
    struct latencies_line line;
    uint64_t fewest = UINT64_MAX;
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        if (latencies_line(latencies, i, &line) && line.row.status == ROW_OK && line.calls < fewest)
            fewest = line.calls;
    return fewest;
}

/* Explains the cells of the percentiles: those with a star, and the first one that is missing. */
static void print_proofs(const struct latencies *latencies, FILE *stream) {
    uint64_t fewest = fewest_calls(latencies);
    bool has_star = false;
    size_t missing = 0;
    for (; missing < PERCENTILES && proof_rank(fewest, percentiles[missing].over); missing++)
        has_star |= proof_rank(fewest, percentiles[missing].over) == 1;
    if (has_star)
        fprintf(stream, "*: it is the longest latency of its line\n");
    if (missing < PERCENTILES)
        fprintf(stream, "not proven: %s needs %" PRIu64 " calls, and a line has %" PRIu64 "\n",
                percentiles[missing].name, proof_needed(1, percentiles[missing].over), fewest);
}

/* Names the first percentile without a ratio. */
static void print_missing_ratio(const struct latencies *latencies, FILE *stream) {
    const struct timing *t = &latencies->timing;
    uint64_t calls = t->rounds ? fewest_calls(latencies) / t->rounds : 0;
    for (size_t i = 0; i < PERCENTILES; i++)
        if ((double)calls * percentiles[i].over < 1) {
            fprintf(stream, "no ratio of %s: a round needs %.0f calls, and has %" PRIu64 "\n",
                    percentiles[i].name, 1 / percentiles[i].over, calls);
            return;
        }
}

static bool has_ratios(const struct timing *t) {
    size_t measured = 0;
    for (size_t i = 0; i < t->request.n_variants; i++)
        measured += target_is_ok(&t->targets[i]);
    return measured > 1 && target_is_ok(&t->targets[0]);
}

static void print_ratios(const struct latencies *latencies, FILE *stream) {
    static const char *const headings[] = {"percentile", "ratio",   "interval",
                                           "noise %",    "verdict", NULL};
    struct grid grid = make_grid(latencies, headings, PERCENTILES, add_ratios);
    if (grid.n_lines > 1)
        fputc('\n', stream);
    else
        grid.n_lines = 0;
    grid_print(&grid, stream);
    if (has_ratios(&latencies->timing))
        print_missing_ratio(latencies, stream);
}

static void put_pair(struct grid *grid, double first, double second) {
    if (isnan(first))
        grid_put(grid, "-");
    else
        grid_put(grid, "%.0f+%.0f", first, second);
}

static void add_causes(const struct latencies *latencies, const struct latencies_line *line,
                       struct grid *grid) {
    (void)latencies;
    put_names(grid, line);
    grid_put(grid, "%" PRIu64, line->calls);
    put_pair(grid, line->preemptions, line->waits);
    put_pair(grid, line->minor_faults, line->major_faults);
    grid_put_number(grid, line->migrations, 0);
    grid_put_number(grid, line->slow, 0);
    grid_put_number(grid, line->slow_preempted, 0);
    grid_put_number(grid, line->slow_faulted, 0);
}

static void print_causes(const struct latencies *latencies, FILE *stream) {
    static const char *const headings[] = {"calls", "switches",  "faults",  "moved",
                                           "slow",  "preempted", "faulted", NULL};
    struct grid grid = make_grid(latencies, headings, 1, add_causes);
    grid_print(&grid, stream);
}

static uint64_t count_checked(const struct latencies *latencies) {
    uint64_t checked = 0;
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        checked += latencies->timing.lines[i].checked;
    return checked;
}

static void print_built(const struct latencies *latencies, FILE *stream) {
    const struct timing *timing = &latencies->timing;
    struct grid grid = built_grid(timing->request.n_variants);
    for (size_t i = 0; i < timing->request.n_variants; i++)
        built_put(&timing->targets[i].row, &grid);
    built_print(&grid, latencies->inputs.load_ns, stream);
}

/* Names models that are too large for the cache in which the state would have them. */
static void print_misfits(const struct timing *timing, FILE *stream) {
    enum call_state state = timing->request.state;
    for (size_t i = 0; i < timing->request.n_variants; i++) {
        const struct row *row = &timing->targets[i].row;
        if ((state == CALL_L2 || state == CALL_L3) && row->status == ROW_OK &&
            (double)row->built_bytes > timing->room_bytes)
            fprintf(stream, "%s: its model is larger than the %.0f KB that %s has for it\n",
                    row_variant(row).text, timing->room_bytes / 1e3, call_state_words[state]);
    }
}

/* --- around the tables ------------------------------------------------------------------------ */

static void describe_mode(const struct timing_request *request, char *text, size_t size) {
    if (request->mode == TIMING_SERVER)
        snprintf(text, size, "server, %.0f calls/s scheduled; ns from the scheduled time",
                 request->rate);
    else if (request->mode == TIMING_PEAK)
        snprintf(text, size, "server, largest rate with p99 up to %.0f ns from the scheduled time",
                 request->bound_ns);
    else
        snprintf(text, size, "single stream, %s calls; ns per call",
                 call_state_words[request->state]);
}

static void print_conditions(const struct latencies *l, FILE *stream) {
    char text[512], mode[128];
    const struct timing_request *request = &l->timing.request;
    describe_mode(request, mode, sizeof mode);
    snprintf(text, sizeof text,
             "%zu documents, %" PRIu32 " trees; %s by the wall clock, %zu interleaved round%s "
             "in %zu placement%s; seeds %" PRIu64 " (documents), %" PRIu64 " (sizes), %" PRIu64
             " (arrivals)",
             l->inputs.documents, l->inputs.trees, mode, l->timing.rounds,
             l->timing.rounds == 1 ? "" : "s", l->timing.placements,
             l->timing.placements == 1 ? "" : "s", request->document_seed, request->size_seed,
             request->arrival_seed);
    wrap_print(stream, text, 0, WRAP_TABLE);
}

/* Says what each call of `auto` is scored with. */
static void print_choices(const struct latencies *latencies, FILE *stream) {
    struct latencies_line line;
    for (size_t i = 0; i < latencies->timing.n_lines; i++)
        if (latencies_line(latencies, i, &line) && line.chosen[0] &&
            line.line.documents == CALL_DIFFERENT)
            fprintf(stream, "%s: %s\n", row_variant(&line.row).text, line.chosen);
}

static void print_failures(const struct latencies *latencies, FILE *stream) {
    const struct timing *timing = &latencies->timing;
    for (size_t i = 0; i < timing->request.n_variants; i++) {
        const struct row *row = &timing->targets[i].row;
        if (row->status != ROW_OK)
            fprintf(stream, "%s: %s: %s\n", row_variant(row).text, row_status_names[row->status],
                    row->reason);
    }
}

static void print_surroundings(const struct latencies *l, FILE *stream) {
    char text[256], steal[64] = "";
    if (isfinite(l->timing.steal))
        snprintf(steal, sizeof steal, "; the hypervisor took %.2f %% of the machine's time",
                 100 * l->timing.steal);
    snprintf(text, sizeof text,
             "%" PRIu64
             " timed replies checked; clock: %.0f ns a reading, in steps of %.0f ns, and "
             "the empty call%s: both are part of all latencies%s",
             count_checked(l), l->clocks.wall_cost_ns, l->clocks.wall_resolution_ns,
             l->timing.request.mode == TIMING_PEAK ? " (not measured)" : "", steal);
    wrap_print(stream, text, 0, WRAP_TABLE);
}

void latencies_print_table(const struct latencies *latencies, FILE *stream) {
    enum timing_mode mode = latencies->timing.request.mode;
    print_conditions(latencies, stream);
    if (mode == TIMING_PEAK) {
        print_peaks(latencies, stream);
    } else {
        print_percentiles(latencies, stream);
        print_proofs(latencies, stream);
        print_ratios(latencies, stream);
    }
    print_choices(latencies, stream);
    print_failures(latencies, stream);
    fputc('\n', stream);
    print_causes(latencies, stream);
    fputc('\n', stream);
    print_built(latencies, stream);
    print_misfits(&latencies->timing, stream);
    print_surroundings(latencies, stream);
}
