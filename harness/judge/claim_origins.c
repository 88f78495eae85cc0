/* Names the data and the ensembles that a claim was judged on, if they are not real, and the
 * devices of its times, because an OpenCL device may be a CPU. */
#include "base/origin.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_SIZE = 320 };
enum group { STAND_INS, SAMPLES, PARTS, ENSEMBLES, DEVICES, GROUPS };
static const char *const titles[GROUPS] = {"synthetic stand-ins", "samples", "parts of data sets",
                                           "ensembles not trained", "devices"};

/* Names with a common title, without duplicates: "samples: mq2008, istella". */
struct groups {
    char names[GROUPS][NAMES_SIZE];
};

static void add(struct groups *groups, enum group group, const char *name) {
    if (name[0])
        artefact_list_name(groups->names[group], NAMES_SIZE, name);
}

/* Adds a panel by the bits of its rows, and the beginning of their first note. */
static void add_panel(struct groups *groups, const char *data, const char *note, unsigned origin) {
    char ensemble[ROW_NOTE_SIZE];
    snprintf(ensemble, sizeof ensemble, "%.*s", (int)strcspn(note, ","), note);
    if (origin & ORIGIN_STAND_IN)
        add(groups, STAND_INS, data);
    else if (origin & ORIGIN_SAMPLE)
        add(groups, SAMPLES, data);
    else if (origin & ORIGIN_PART)
        add(groups, PARTS, data);
    if (origin & (ORIGIN_GROWN | ORIGIN_COPIED))
        add(groups, ENSEMBLES, ensemble);
}

void claim_say_origins(const struct claim *claim, const struct row_index *index,
                       struct claim_result *result) {
    struct groups groups = {{{0}}};
    for (size_t p = 0; p < claim->n_panels; p++) {
        const struct claim_panel *at = &claim->panels[p];
        const char *note = "";
        unsigned origin = 0;
        for (size_t i = 0; i < at->n_points; i++) {
            struct row_span span = row_index_at(index, at->points[i]);
            for (size_t k = 0; k < span.count; k++) {
                const struct row *row = span.entries[k].row;
                note = note[0] ? note : row->note;
                origin |= row->origin;
                add(&groups, DEVICES, row->device);
            }
        }
        add_panel(&groups, at->points[0]->data, note, origin);
        result->origin |= origin;
    }
    for (size_t i = 0; i < GROUPS; i++)
        if (groups.names[i][0])
            claim_say(result, "; %s: %s", titles[i], groups.names[i]);
}
