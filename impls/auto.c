/* AUTO: the implementation that is cheapest for a call of so many documents on this model and
 * machine, or one for whole steps and another for the tail. By what `treebench tune` stored
 * (auto_store.h), else by the figures it comes with (auto_default.h). docs/tuning.md. */
#include "impls/auto_default.h"
#include "impls/auto_store.h"
#include "impls/impl.h"
#include "impls/sums_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct impl impl_auto;

struct auto_scorer {
    struct scorer scorer;
    size_t n_parts;
    struct scorer *parts[AUTO_COSTS_MAX];
    char specs[AUTO_COSTS_MAX][AUTO_SPEC_SIZE]; /* of the parts */
    struct auto_cost costs[AUTO_COSTS_MAX];
    struct auto_split splits[AUTO_TABLE_DOCS + 1]; /* by the number of documents; [0] is unused */
    bool tuned;                                    /* the costs are stored ones */
    char note[sizeof(struct error) + 80];
};

static void score_part(const struct auto_scorer *own, size_t number, struct span units,
                       struct span docs, const struct batch *batch) {
    const struct scorer *part = own->parts[number];
    if (own->n_parts > 1 && units.begin < units.end)
        units.end = part->n_units;
    part->impl->score(part, units, docs, batch);
}

static struct auto_split find_split(const struct auto_scorer *own, size_t n_docs) {
    return n_docs <= AUTO_TABLE_DOCS ? own->splits[n_docs]
                                     : auto_cost_split(own->costs, own->n_parts, n_docs);
}

static void auto_score(const struct scorer *scorer, struct span units, struct span docs,
                       const struct batch *batch) {
    const struct auto_scorer *own = (const struct auto_scorer *)scorer;
    size_t n_docs = docs.end - docs.begin;
    if (n_docs == 0)
        return;
    struct auto_split split = find_split(own, n_docs);
    size_t middle = docs.begin + split.head_docs;
    score_part(own, split.head, units, (struct span){docs.begin, middle}, batch);
    if (middle < docs.end)
        score_part(own, split.tail, units, (struct span){middle, docs.end}, batch);
}

/* --- what it chose ---------------------------------------------------------------------------- */

enum { CHOICE_SIZE = 2 * AUTO_SPEC_SIZE + 64 };

/* "qs for 1 document", "planes for 256 and vqs-avx2 for 44 documents". */
static void describe_call(const struct auto_scorer *own, size_t n_docs,
                          char text[static CHOICE_SIZE]) {
    struct auto_split split = find_split(own, n_docs);
    size_t tail = n_docs - split.head_docs;
    int size = snprintf(text, CHOICE_SIZE, "%s for %zu", own->specs[split.head], split.head_docs);
    if (tail > 0)
        size += snprintf(text + size, CHOICE_SIZE - (size_t)size, " and %s for %zu",
                         own->specs[split.tail], tail);
    snprintf(text + size, CHOICE_SIZE - (size_t)size, n_docs == 1 ? " document" : " documents");
}

static void auto_describe(const struct scorer *scorer, size_t n_docs, size_t block, char *text,
                          size_t size) {
    const struct auto_scorer *own = (const struct auto_scorer *)scorer;
    char whole[CHOICE_SIZE] = "", rest[CHOICE_SIZE] = "";
    bool both = n_docs > block && n_docs % block;
    if (n_docs >= block)
        describe_call(own, block, whole);
    if (n_docs % block)
        describe_call(own, n_docs % block, rest);
    snprintf(text, size, "%s%s%s%s; by %s", whole, n_docs > block ? " a call" : "",
             both ? ", in the end " : "", rest,
             own->tuned ? "times that treebench tune stored"
                        : "default costs (treebench tune measures them here)");
}

static void destroy_parts(struct auto_scorer *own) {
    for (size_t i = 0; i < own->n_parts; i++)
        scorer_destroy(own->parts[i]);
    own->n_parts = 0;
}

static void auto_destroy(struct scorer *scorer) {
    destroy_parts((struct auto_scorer *)scorer);
    free(scorer);
}

/* --- building --------------------------------------------------------------------------------- */

/* What was stored and does not fit is no reason not to score. */
static enum status find_table(const struct ensemble *ensemble, struct auto_table *table,
                              struct auto_scorer *own, struct error *error) {
    struct error unusable;
    enum status status = auto_store_read(ensemble, table, &own->tuned, &unusable);
    if (status) {
        own->tuned = false;
        snprintf(own->note, sizeof own->note,
                 "%s; taken as not there: `treebench tune` makes it anew", unusable.text);
    }
    return own->tuned ? STATUS_OK : auto_default_table(ensemble, table, error);
}

/* Has the implementation an option that the spec does not set? */
static bool lacks_option(const char *spec, const char *name) {
    struct options options;
    const struct impl *impl = impl_parse(spec, &options, NULL);
    for (const struct impl_param *p = impl ? impl->params : NULL; p && p->name; p++)
        if (strcmp(p->name, name) == 0)
            return !options_get(&options, name);
    return false;
}

/* Those that can add in floats are to do so. Costs are those with doubles: where another is
 * ahead by them that would not be with floats, little is lost. */
static void take_float_sums(struct auto_table *table) {
    for (size_t i = 0; i < table->count; i++)
        if (lacks_option(table->specs[i], "sums")) {
            char *end = table->specs[i] + strlen(table->specs[i]);
            snprintf(end, sizeof table->specs[i] - (size_t)(end - table->specs[i]), ",sums=float");
        }
}

static void remove_entry(struct auto_table *table, size_t at) {
    size_t behind = --table->count - at;
    memmove(table->specs + at, table->specs + at + 1, behind * sizeof *table->specs);
    memmove(table->costs + at, table->costs + at + 1, behind * sizeof *table->costs);
}

/* Builds what is needed of the table. *refused: the number of the entry that refused the model or
 * this machine, with what was built before it destroyed again; table->count where none did. */
static enum status build_parts(const struct ensemble *ensemble, const struct auto_table *table,
                               struct auto_scorer *own, size_t *refused, struct error *error) {
    size_t kept[AUTO_COSTS_MAX];
    memcpy(own->costs, table->costs, sizeof own->costs);
    size_t needed = auto_cost_reduce(own->costs, table->count, AUTO_TOLERANCE, kept);
    enum status status = STATUS_OK;
    *refused = table->count;
    for (own->n_parts = 0; own->n_parts < needed; own->n_parts++) {
        size_t entry = kept[own->n_parts];
        memcpy(own->specs[own->n_parts], table->specs[entry], AUTO_SPEC_SIZE);
        status = scorer_build(table->specs[entry], ensemble, &own->parts[own->n_parts], error);
        if (!status)
            continue;
        destroy_parts(own);
        if (status == STATUS_UNSUPPORTED || status == STATUS_MACHINE)
            *refused = entry;
        break;
    }
    return status;
}

/* Until what is needed can be had. */
static enum status build_from(const struct ensemble *ensemble, struct auto_table *table,
                              struct auto_scorer *own, struct error *error) {
    while (table->count > 0) {
        size_t refused;
        enum status status = build_parts(ensemble, table, own, &refused, error);
        if (refused == table->count)
            return status;
        remove_entry(table, refused);
    }
    return error_set(error, STATUS_UNSUPPORTED,
                     "auto: no implementation of its table can do this model here");
}

static void describe(const struct ensemble *ensemble, struct auto_scorer *own) {
    own->scorer = (struct scorer){.impl = &impl_auto,
                                  .n_units = 1, /* parts cut the trees differently */
                                  .n_features = ensemble->n_features,
                                  .n_outputs = ensemble->n_outputs,
                                  .bytes = sizeof own->splits};
    if (own->n_parts == 1)
        own->scorer.n_units = own->parts[0]->n_units;
    for (size_t i = 0; i < own->n_parts; i++) {
        const struct scorer *part = own->parts[i];
        own->costs[i].lanes = part->lanes;
        if (part->note && !own->note[0])
            snprintf(own->note, sizeof own->note, "%s", part->note);
        own->scorer.bytes += part->bytes;
        if (part->float_trees > own->scorer.float_trees)
            own->scorer.float_trees = part->float_trees;
        if (part->lanes > own->scorer.lanes)
            own->scorer.lanes = part->lanes;
        if (part->workspace > own->scorer.workspace)
            own->scorer.workspace = part->workspace;
    }
    own->scorer.note = own->note[0] ? own->note : NULL;
    for (size_t n_docs = 1; n_docs <= AUTO_TABLE_DOCS; n_docs++)
        own->splits[n_docs] = auto_cost_split(own->costs, own->n_parts, n_docs);
}

static enum status auto_build(const struct ensemble *ensemble, const struct options *options,
                              struct scorer **scorer, struct error *error) {
    bool in_float;
    enum status status = sums_read(impl_auto.name, options, &in_float, error);
    if (status)
        return status;
    struct auto_scorer *own = calloc(1, sizeof *own);
    struct auto_table *table = calloc(1, sizeof *table);
    status = own && table ? STATUS_OK : error_memory(error, "auto");
    if (!status)
        status = find_table(ensemble, table, own, error);
    if (!status && in_float)
        take_float_sums(table);
    if (!status)
        status = build_from(ensemble, table, own, error);
    free(table);
    if (status) {
        free(own);
        return status;
    }
    describe(ensemble, own);
    *scorer = &own->scorer;
    return STATUS_OK;
}

const struct impl impl_auto = {.name = "auto",
                               .title = "the cheapest for each call",
                               .source = "docs/tuning.md",
                               .kind = IMPL_TRAVERSAL,
                               .sets = true,
                               .params = sums_params,
                               .build = auto_build,
                               .score = auto_score,
                               .describe = auto_describe,
                               .destroy = auto_destroy};
