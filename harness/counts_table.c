#include "harness/counts_table.h"

#include <inttypes.h>
#include <string.h>

static void print_heading(const struct counts *counts, FILE *stream) {
    fprintf(stream, "\ncounts per document and tree");
    if (counts->documents > 0)
        fprintf(stream, ", of one pass over %" PRIu64 " documents, by %s", counts->documents,
                counts->source);
    if (counts->simulated[0])
        fprintf(stream, "; simulated: %s", counts->simulated);
    fprintf(stream, "\n%-18s", "implementation");
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        fprintf(stream, " %14s", counter_names[i]);
    fprintf(stream, "\n");
}

static void print_row(const struct row *row, FILE *stream) {
    char variant[2 * ROW_NAME_SIZE];
    row_variant(row, variant, sizeof variant);
    double pairs = (double)row->counts.documents * row->model_trees;
    fprintf(stream, "%-18s", variant);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (row->counts.values[i].valid && pairs > 0)
            fprintf(stream, " %14.5g", (double)row->counts.values[i].value / pairs);
        else
            fprintf(stream, " %14s", "-");
    fprintf(stream, "\n");
}

void counts_table_print(const struct row *rows, size_t count, FILE *stream) {
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
    print_heading(&first->counts, stream);
    const char *told = "";
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_OK)
            print_row(&rows[i], stream);
    for (size_t i = 0; i < count; i++)
        if (rows[i].status == ROW_OK && strcmp(rows[i].counts.reason, told) != 0) {
            told = rows[i].counts.reason;
            fprintf(stream, "%s: %s\n", rows[i].impl, told);
        }
}
