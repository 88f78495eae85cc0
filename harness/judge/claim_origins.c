/* Names the data and the ensembles that a claim was judged on, if they are not real, and the
 * devices of its times, because an OpenCL device may be a CPU. */
#include "base/origin.h"
#include "harness/judge/claim.h"

#include <stdio.h>
#include <string.h>

enum { TITLE_SIZE = 24, NAMES_SIZE = 320 };

/* Names with a common title, without duplicates: "samples: mq2008, istella". */
struct group {
    char title[TITLE_SIZE], names[NAMES_SIZE];
};

static bool has_name(const struct group *group, const char *name, size_t length) {
    for (const char *at = group->names; (at = strstr(at, name)) != NULL; at += length)
        if (at[length] == '\0' || at[length] == ',')
            return true;
    return false;
}

static void add(struct group *group, const char *name, size_t length) {
    char text[NAMES_SIZE];
    size_t used = strlen(group->names);
    snprintf(text, sizeof text, "%.*s", (int)length, name);
    if (length > 0 && !has_name(group, text, strlen(text)))
        snprintf(group->names + used, sizeof group->names - used, "%s%s", used ? ", " : "", text);
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

static unsigned origin_of(const struct claim_panel *at, const struct row_index *index) {
    unsigned origin = 0;
    for (size_t i = 0; i < at->n_points; i++)
        origin |= row_index_origin(index, at->points[i]);
    return origin;
}

static void add_devices(const struct claim_panel *at, const struct row_index *index,
                        struct group *devices) {
    for (size_t i = 0; i < at->n_points; i++) {
        struct row_span span = row_index_at(index, at->points[i]);
        for (size_t k = 0; k < span.count; k++)
            add(devices, span.entries[k].row->device, strlen(span.entries[k].row->device));
    }
}

void claim_say_origins(const struct claim *claim, const struct row_index *index,
                       struct claim_result *result) {
    struct group stand_ins = {.title = "synthetic stand-ins"}, samples = {.title = "samples"};
    struct group parts = {.title = "parts of data sets"},
                 ensembles = {.title = "ensembles not trained"}, devices = {.title = "devices"};
    for (size_t p = 0; p < claim->n_panels; p++) {
        add_devices(&claim->panels[p], index, &devices);
        const char *note = first_note(&claim->panels[p], index);
        const char *data = claim->panels[p].points[0]->data;
        unsigned origin = origin_of(&claim->panels[p], index);
        result->origin |= origin;
        if (origin & ORIGIN_STAND_IN)
            add(&stand_ins, data, strlen(data));
        else if (origin & ORIGIN_SAMPLE)
            add(&samples, data, strlen(data));
        else if (origin & ORIGIN_PART)
            add(&parts, data, strlen(data));
        if (origin & (ORIGIN_GROWN | ORIGIN_COPIED))
            add(&ensembles, note, strcspn(note, ","));
    }
    const struct group *groups[] = {&stand_ins, &samples, &parts, &ensembles, &devices};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (groups[i]->names[0])
            claim_say(result, "; %s: %s", groups[i]->title, groups[i]->names);
}
