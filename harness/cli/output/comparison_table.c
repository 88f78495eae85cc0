/* The table for the terminal. */
#include "harness/cli/output/comparison.h"
#include "harness/cli/shared/counts_table.h"
#include "harness/cli/shared/terminal.h"

#include <math.h>
#include <string.h>

enum column { NAME, TIME, TIME_INTERVAL, RATIO, RATIO_INTERVAL, SPEED, VERDICT, COLUMNS };
enum { LEFT = 1 << NAME | 1 << TIME_INTERVAL | 1 << RATIO_INTERVAL | 1 << VERDICT };
enum { OF_RATIOS = 1 << RATIO | 1 << RATIO_INTERVAL | 1 << SPEED | 1 << VERDICT };
enum { NAME_WIDTH = 18 };

static void put_number(struct grid *grid, double value, int digits, const char *unit) {
    if (isfinite(value))
        grid_put(grid, "%.*f%s", digits, value, unit);
    else
        grid_put(grid, "%s", "");
}

static void put_interval(struct grid *grid, struct interval interval, int digits) {
    if (isfinite(interval.low) && isfinite(interval.high))
        grid_put(grid, "[%.*f, %.*f]", digits, interval.low, digits, interval.high);
    else
        grid_put(grid, "%s", "");
}

static void put_line(struct grid *grid, const struct comparison_line *line) {
    const struct row *row = line->row;
    char verdict[VERDICT_TEXT_SIZE];
    double times = comparison_times_as_fast(line);
    verdict_describe(line->verdict, verdict);
    grid_put(grid, "%s", row_variant(row).text);
    if (row->status != ROW_OK) {
        grid_end_line(grid);
        return;
    }
    grid_put(grid, "%.2f", row->median);
    put_interval(grid, row->median_interval, 2);
    put_number(grid, line->ratio.value, 3, "");
    put_interval(grid, line->ratio.interval, 3);
    put_number(grid, times, times < 0.1 ? 3 : times < 100 ? 2 : 0, "x");
    grid_put(grid, "%s", verdict);
}

/* The speed is left out if lines would be too long, because it is 1 / ratio. */
static struct grid make_grid(const struct comparison *c) {
    static const char *const titles[COLUMNS] = {
        "implementation", "ns/document", "interval", "ratio", "interval", "speed", "verdict"};
    struct grid grid = grid_create(c->count + 1, COLUMNS, LEFT);
    for (size_t i = 0; i < COLUMNS; i++)
        grid_put(&grid, "%-*s", i == NAME ? NAME_WIDTH : 0, titles[i]);
    for (size_t i = 0; i < c->count; i++)
        put_line(&grid, &c->lines[i]);
    grid.hidden = c->has_ratios ? 0 : OF_RATIOS;
    if (grid_width(&grid) > WRAP_TABLE)
        grid.hidden |= 1 << SPEED;
    return grid;
}

static void write_line(const struct grid *grid, const struct comparison_line *line, size_t number,
                       FILE *stream) {
    const struct row *row = line->row;
    if (row->status != ROW_OK) {
        fprintf(stream, "%-*s %s: %s\n", (int)grid_column_width(grid, NAME), row_variant(row).text,
                row_status_names[row->status], row->reason);
        return;
    }
    fprintf(stream, "%s", line->is_fastest ? paint(stream, PAINT_GOOD) : "");
    grid_print_line(grid, number, stream);
    fprintf(stream, "%s\n", line->is_fastest ? paint(stream, PAINT_OFF) : "");
}

static void write_lines(const struct comparison *c, FILE *stream) {
    struct grid grid = make_grid(c);
    if (grid.cells)
        grid_print_line(&grid, 0, stream);
    fprintf(stream, "\n");
    for (size_t i = 0; grid.cells && i < c->count; i++)
        write_line(&grid, &c->lines[i], i + 1, stream);
    grid_free(&grid);
}

static void print_conditions(const struct comparison *c, FILE *stream) {
    char text[512], call[COMPARISON_CALL_SIZE];
    comparison_describe_call(c, call);
    snprintf(
        text, sizeof text,
        "%zu documents, %u trees, %s; ns per document by the %s clock, median of %zu interleaved "
        "rounds in %zu placement%s, 95 %% intervals%s",
        c->inputs.documents, c->inputs.trees, call, c->clock, c->rounds, c->placements,
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
    built_print(&grid, c->inputs.load_ns, stream);
}

void comparison_print_table(const struct comparison *c, FILE *stream) {
    print_conditions(c, stream);
    write_lines(c, stream);
    for (size_t i = 0; i < c->count; i++)
        print_device(c->lines[i].row, stream);
    print_noise(c, stream);
    print_built(c, stream);
    if (strcmp(c->counters, "none") != 0)
        counts_table_print(c->rows, c->count, c->counters, stream);
}
