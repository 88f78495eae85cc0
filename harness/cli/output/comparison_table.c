/* The table for the terminal. */
#include "harness/cli/output/comparison.h"
#include "harness/cli/shared/built.h"
#include "harness/cli/shared/counts_table.h"
#include "harness/cli/shared/terminal.h"

#include <math.h>
#include <string.h>

enum column { NAME, TIME, TIME_INTERVAL, RATIO, RATIO_INTERVAL, SPEED, VERDICT, COLUMNS };
enum { CELL_SIZE = 2 * ROW_NAME_SIZE, GAP = 2, NAME_WIDTH = 18, TIME_WIDTH = 11 };

struct cells {
    char text[COLUMNS][CELL_SIZE];
};

struct layout {
    size_t width[COLUMNS];
    bool is_shown[COLUMNS];
};

static bool is_aligned_right(enum column column) {
    return column == TIME || column == RATIO || column == SPEED;
}

/* --- cells ------------------------------------------------------------------------------------ */

static void print_interval(struct interval interval, int digits, char text[CELL_SIZE]) {
    if (isfinite(interval.low) && isfinite(interval.high))
        snprintf(text, CELL_SIZE, "[%.*f, %.*f]", digits, interval.low, digits, interval.high);
}

static void print_speed(double times, char text[CELL_SIZE]) {
    if (isfinite(times))
        snprintf(text, CELL_SIZE, "%.*fx", times < 0.1 ? 3 : times < 100 ? 2 : 0, times);
}

static void fill_heading(struct cells *cells) {
    static const char *const titles[COLUMNS] = {
        "implementation", "ns/document", "interval", "ratio", "interval", "speed", "verdict"};
    for (size_t i = 0; i < COLUMNS; i++)
        snprintf(cells->text[i], CELL_SIZE, "%s", titles[i]);
}

static void fill(const struct comparison_line *line, struct cells *cells) {
    const struct row *row = line->row;
    char verdict[VERDICT_TEXT_SIZE];
    *cells = (struct cells){0};
    snprintf(cells->text[NAME], CELL_SIZE, "%s", row_variant(row).text);
    if (row->status != ROW_OK)
        return;
    snprintf(cells->text[TIME], CELL_SIZE, "%.2f", row->median);
    print_interval(row->median_interval, 2, cells->text[TIME_INTERVAL]);
    if (isfinite(line->ratio.value))
        snprintf(cells->text[RATIO], CELL_SIZE, "%.3f", line->ratio.value);
    print_interval(line->ratio.interval, 3, cells->text[RATIO_INTERVAL]);
    print_speed(comparison_times_as_fast(line), cells->text[SPEED]);
    verdict_describe(line->verdict, verdict);
    snprintf(cells->text[VERDICT], CELL_SIZE, "%s", verdict);
}

/* --- layout ----------------------------------------------------------------------------------- */

static void widen(const struct cells *cells, struct layout *layout) {
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t width = strlen(cells->text[i]);
        layout->width[i] = width > layout->width[i] ? width : layout->width[i];
    }
}

static size_t total_width(const struct layout *layout) {
    size_t total = 0;
    for (size_t i = 0; i < COLUMNS; i++)
        total += layout->is_shown[i] ? layout->width[i] + (i ? GAP : 0) : 0;
    return total;
}

/* The speed is left out if lines would be too long, because it is 1 / ratio. */
static void lay_out(const struct comparison *c, struct layout *layout) {
    struct cells cells;
    *layout = (struct layout){.width = {[NAME] = NAME_WIDTH, [TIME] = TIME_WIDTH}};
    fill_heading(&cells);
    widen(&cells, layout);
    for (size_t i = 0; i < c->count; i++) {
        fill(&c->lines[i], &cells);
        widen(&cells, layout);
    }
    for (size_t i = 0; i < COLUMNS; i++)
        layout->is_shown[i] = i < RATIO || c->has_ratios;
    layout->is_shown[SPEED] &= total_width(layout) <= WRAP_TABLE;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void print_cells(const struct cells *cells, const struct layout *layout, FILE *stream) {
    size_t pending = 0; /* spaces before the next text, so that no line ends in spaces */
    for (size_t i = 0; i < COLUMNS; i++) {
        size_t length = strlen(cells->text[i]);
        if (!layout->is_shown[i])
            continue;
        size_t padding = layout->width[i] - length;
        pending += (i ? GAP : 0) + (is_aligned_right((enum column)i) ? padding : 0);
        if (length)
            fprintf(stream, "%*s%s", (int)pending, "", cells->text[i]);
        pending = length ? 0 : pending;
        pending += is_aligned_right((enum column)i) ? 0 : padding;
    }
}

static void print_line(const struct comparison_line *line, const struct layout *layout,
                       FILE *stream) {
    struct cells cells;
    const struct row *row = line->row;
    fill(line, &cells);
    if (row->status != ROW_OK) {
        fprintf(stream, "%-*s %s: %s\n", (int)layout->width[NAME], cells.text[NAME],
                row_status_names[row->status], row->reason);
        return;
    }
    fprintf(stream, "%s", line->is_fastest ? paint(stream, PAINT_GOOD) : "");
    print_cells(&cells, layout, stream);
    fprintf(stream, "%s\n", line->is_fastest ? paint(stream, PAINT_OFF) : "");
}

static void print_conditions(const struct comparison *c, FILE *stream) {
    char text[512], call[COMPARISON_CALL_SIZE];
    comparison_describe_call(c, call);
    snprintf(
        text, sizeof text,
        "%zu documents, %u trees, %s; ns per document by the %s clock, median of %zu interleaved "
        "rounds in %zu placement%s, 95 %% intervals%s",
        c->documents, c->trees, call, c->clock, c->rounds, c->placements,
        c->placements == 1 ? "" : "s",
        c->has_ratios                 ? "; ratio, speed and verdict: to the first"
        : c->rows[0].status == ROW_OK ? ""
                                      : "; no ratios: the first has no time");
    wrap_print(stream, text, 0, WRAP_TABLE);
    if (c->threads > 1)
        fprintf(stream, "%u threads over %s\n", c->threads, c->parallel);
    for (size_t i = 0; i < c->count; i++)
        if (c->lines[i].version[0])
            fprintf(stream, "%s: %s\n", c->lines[i].row->impl, c->lines[i].version);
    if (comparison_note(c)) {
        fprintf(stream, "note: ");
        wrap_print(stream, comparison_note(c), strlen("note: "), WRAP_TABLE);
    }
}

/* Prints what is in the time of an implementation that has a device. */
static void print_device(const struct row *row, FILE *stream) {
    char text[512];
    double kernels = row->device_scoring_ns, prepared = kernels + row->device_preparing_ns;
    if (row->status != ROW_OK || !row->device[0])
        return;
    snprintf(
        text, sizeof text,
        "%s on %s (%s): mean ns per document: kernels %.2f, with preparation %.2f, with copies "
        "%.2f; the time above is from host to host",
        row_variant(row).text, row->device, row->device_driver, kernels, prepared,
        prepared + row->device_copying_ns);
    wrap_print(stream, text, 0, WRAP_TABLE);
}

static void print_noise(const struct comparison *c, FILE *stream) {
    if (!c->has_ratios)
        return;
    if (c->noise_reason)
        fprintf(stream, "noise floor: unknown: %s\n", c->noise_reason);
    else
        fprintf(stream, "noise floor: %.1f %%: %s to itself is %.3f [%.3f, %.3f]\n",
                100 * c->noise_floor, row_variant(&c->rows[0]).text, c->noise.value,
                c->noise.interval.low, c->noise.interval.high);
}

static void print_built(const struct comparison *c, FILE *stream) {
    struct grid grid = built_grid(c->count);
    for (size_t i = 0; i < c->count; i++)
        built_put(c->lines[i].row, &grid);
    built_print(&grid, c->load_ns, stream);
}

void comparison_print_table(const struct comparison *c, FILE *stream) {
    struct layout layout;
    struct cells heading;
    print_conditions(c, stream);
    lay_out(c, &layout);
    fill_heading(&heading);
    print_cells(&heading, &layout, stream);
    fprintf(stream, "\n");
    for (size_t i = 0; i < c->count; i++)
        print_line(&c->lines[i], &layout, stream);
    for (size_t i = 0; i < c->count; i++)
        print_device(c->lines[i].row, stream);
    print_noise(c, stream);
    print_built(c, stream);
    if (strcmp(c->counters, "none") != 0)
        counts_table_print(c->rows, c->count, c->counters, stream);
}
