/* Claims of artefacts that have no cells, about the items of their kind. */
#ifndef HARNESS_JUDGE_ITEM_CLAIM_H
#define HARNESS_JUDGE_ITEM_CLAIM_H

#include "base/files/record.h"
#include "harness/artefacts/artefact.h"
#include "harness/judge/claim_result.h"

struct item_claim {
    const struct item_claim_kind *kind;
    const struct artefact *artefact;
    const struct json_list *items; /* the results of the artefact's kind */
    bool about[PANELS_MAX];        /* true: the claim is about this panel of the scale */
    /* what the keys of some kinds say */
    double low, high;
    const cJSON *pairs; /* pairs of numbers of leaves, the smaller one first; NULL: the default */
    const cJSON *ranks; /* names in quality_ranks; NULL: all of them */
    uint32_t depth;
    const char *machine;
    const cJSON *than; /* names; at least one */
};

struct item_claim_kind {
    const char *name;
    const char *of;              /* the kind of scales that it is about; NULL: any */
    const char *rule;            /* when the claim is held, in words; NULL: `judge` says it */
    const struct record *record; /* the claim's keys, of struct item_claim */
    enum verdict (*judge)(const struct item_claim *claim, struct claim_result *result);
};

/* The keys of all claims. Without "panels", a claim is about all panels. */
#define ITEM_CLAIM_KEYS                                                                            \
    KEY("id", .help = "a short name"), KEY("words", .help = "the claim in short"),                 \
        KEY("kind", .help = "kind of claim"), KEY("panels", .help = "titles of panels"),           \
        KEY("open", .help = "why the paper's numbers do not decide it")
extern const struct record item_claim_plain;      /* no other keys */
extern const struct record_form item_claim_names; /* of `than` */

/* Reads a claim of one of the kinds that the artefact's kind has. Judges it unless `results` is
 * NULL. */
enum status item_claim_judge(const char *name, const struct artefact *artefact, const cJSON *json,
                             const void *results, struct claim_result *result, struct error *error);

#endif
