#include "harness/cli/shared/counts_table.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* Titles of columns, one word each. L1 is the first-level data cache, LL the last-level cache. */
static const char *const titles[COUNTER_COUNT] = {
    [COUNTER_INSTRUCTIONS] = "instructions",  [COUNTER_CYCLES] = "cycles",
    [COUNTER_BRANCHES] = "branches",          [COUNTER_BRANCH_MISSES] = "mispredicted",
    [COUNTER_L1D_REFERENCES] = "L1-accesses", [COUNTER_L1D_MISSES] = "L1-misses",
    [COUNTER_LLC_REFERENCES] = "LL-accesses", [COUNTER_LLC_MISSES] = "LL-misses"};

static double pairs_of(const struct row *row) {
    return (double)row->counts.documents * row->model_trees;
}

/* Returns true if any row has a value for the counter. Other counters get no column. */
static bool has_column(const struct row *rows, size_t count, size_t counter) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_OK && rows[i].counts.values[counter].valid &&
            pairs_of(&rows[i]) > 0)
            return true;
    return false;
}

static void print_heading(const struct counts *counts, const bool *columns, FILE *stream) {
    fprintf(stream, "per document and tree, on average over a pass of %" PRIu64 " documents, by %s",
            counts->documents, counts->source);
    if (counts->simulated[0])
        fprintf(stream, "; simulated: %s", counts->simulated);
    if (columns[COUNTER_L1D_REFERENCES] || columns[COUNTER_LLC_REFERENCES])
        fprintf(stream, "\nL1: the first data cache; LL: the last-level cache");
    fprintf(stream, "\n%-18s", "implementation");
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (columns[i])
            fprintf(stream, " %12s", titles[i]);
    fprintf(stream, "\n");
}

static void print_count(const struct row *row, size_t counter, FILE *stream) {
    double pairs = pairs_of(row), each = (double)row->counts.values[counter].value / pairs;
    if (!row->counts.values[counter].valid || !(pairs > 0))
        fprintf(stream, " %12s", "-");
    else if (each > 0 && each < 0.001)
        fprintf(stream, " %12s", "<0.001");
    else
        fprintf(stream, " %12.3f", each);
}

static void print_row(const struct row *row, const bool *columns, FILE *stream) {
    fprintf(stream, "%-18s", row_variant(row).text);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (columns[i])
            print_count(row, i, stream);
    fprintf(stream, "\n");
}

static void print_table(const struct row *rows, size_t count, const struct counts *counts,
                        FILE *stream) {
    bool columns[COUNTER_COUNT], any = false;
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        any |= columns[i] = has_column(rows, count, i);
    if (!any)
        return;
    print_heading(counts, columns, stream);
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_OK)
            print_row(&rows[i], columns, stream);
}

/* Prints why counters are missing. Names the implementation if it was counted in a process of its
 * own, because that may have failed for this variant only. Hardware counters fail for all variants
 * alike. */
static void print_reason(const struct row *row, const char *asked, FILE *stream) {
    bool is_own = strcmp(asked, "callgrind") == 0 ||
                  (strcmp(asked, "step") == 0 && strcmp(row->counts.source, "none") == 0);
    if (is_own)
        fprintf(stream, "%s: %s\n", row->impl, row->counts.reason);
    else
        fprintf(stream, "--counters %s: %s\n", asked, row->counts.reason);
}

void counts_table_print(const struct row *rows, size_t count, const char *asked, FILE *stream) {
    const struct row *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &rows[i];
        if (row->status != ROW_OK)
            continue;
        if (!first || (first->counts.documents == 0 && row->counts.documents > 0))
            first = row;
    }
    if (!first)
        return;
    const char *told = "";
    fprintf(stream, "\n");
    print_table(rows, count, &first->counts, stream);
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_OK && strcmp(rows[i].counts.reason, told) != 0) {
            told = rows[i].counts.reason;
            print_reason(&rows[i], asked, stream);
        }
}
