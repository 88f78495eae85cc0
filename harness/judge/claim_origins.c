/* Reports the data sets and ensembles on which a claim was judged, if the paper used others. */
#include "harness/judge/claim_verdict.h"

#include <stdio.h>
#include <string.h>

enum { ORIGINS_MAX = 2 * PANELS_MAX, ORIGIN_SIZE = 160 };

/* Texts in the order in which they were added, without duplicates. */
struct origins {
    char list[ORIGINS_MAX][ORIGIN_SIZE];
    size_t count;
};

static void add(struct origins *origins, const char *text) {
    for (size_t i = 0; i < origins->count; i++)
        if (strcmp(origins->list[i], text) == 0)
            return;
    if (origins->count < ORIGINS_MAX)
        snprintf(origins->list[origins->count++], ORIGIN_SIZE, "%s", text);
}

/* Returns the first note among the rows of the claim's points. The rows own it. */
static const char *first_note(const struct claim_panel *at, const struct row_index *index) {
    for (size_t i = 0; i < at->n_points; i++) {
        struct row_span span = row_index_at(index, at->points[i]);
        for (size_t k = 0; k < span.count; k++)
            if (span.entries[k].row->note[0] != '\0')
                return span.entries[k].row->note;
    }
    return "";
}

static void add_origins(const struct claim_panel *at, const struct row_index *index,
                        struct origins *origins) {
    const char *note = first_note(at, index);
    const char *data = strstr(note, "stand-in")   ? "a synthetic stand-in"
                       : strstr(note, "a sample") ? "a sample"
                                                  : NULL;
    const char *untrained = strstr(note, ", not trained");
    char text[ORIGIN_SIZE];
    if (data) {
        snprintf(text, sizeof text, "%.64s is %s", at->points[0]->data, data);
        add(origins, text);
    }
    if (untrained) {
        snprintf(text, sizeof text, "ensembles: %.*s, not trained", (int)(untrained - note), note);
        add(origins, text);
    }
}

void claim_say_origins(const struct claim *claim, const struct row_index *index,
                       struct claim_result *result) {
    struct origins origins = {.count = 0};
    for (size_t p = 0; p < claim->n_panels; p++)
        add_origins(&claim->panels[p], index, &origins);
    for (size_t i = 0; i < origins.count; i++)
        claim_say(result, "; %s", origins.list[i]);
}
