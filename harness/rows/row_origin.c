#include "harness/rows/row_origin.h"

#include "datasets/matrix.h"
#include "synth/grown.h"

#include <string.h>

static bool begins(const char *note, const char *with) {
    return strncmp(note, with, strlen(with)) == 0;
}

/* The note of the model comes first, and that of the documents behind it. So only the beginning
 * says how the trees were made: documents may be copies, too. */
unsigned row_origin(const struct row *row) {
    static const unsigned of_documents[] = {[NOTE_REAL] = 0,
                                            [NOTE_PART] = ORIGIN_PART,
                                            [NOTE_SAMPLE] = ORIGIN_SAMPLE,
                                            [NOTE_STAND_IN] = ORIGIN_STAND_IN};
    const struct workload *w = &row->workload;
    if (strcmp(w->kind, "synthetic") == 0)
        return ORIGIN_SYNTHETIC;
    unsigned origin = of_documents[note_origin(row->note)];
    if (begins(row->note, GROWN_COPIES_NOTE))
        origin |= ORIGIN_COPIED;
    else if (strcmp(w->kind, "grown") == 0 || begins(row->note, GROWN_NOTE))
        origin |= ORIGIN_GROWN;
    return w->resample > 0 ? origin | ORIGIN_RESAMPLED : origin;
}

unsigned row_origin_at(const struct row_index *index, const struct point *point) {
    struct row_span span = row_index_at(index, point);
    unsigned origin = 0;
    for (size_t i = 0; i < span.count; i++)
        origin |= row_origin(span.entries[i].row);
    return origin;
}
