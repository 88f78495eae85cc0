/* AUTO scores each call with the implementation that is fastest for the model, the machine and the
 * call's number of documents. AUTO chooses by the times that `treebench tune` stored
 * (auto_store.h), if they cover calls of this size. Otherwise AUTO chooses by default costs
 * (auto_default.h) and may also divide the call: one implementation scores a multiple of its step
 * (scorer.lanes), and another scores the remaining documents. See docs/tuning.md. */
#include "impls/auto/auto_default.h"
#include "impls/auto/auto_store.h"
#include "impls/scorer.h"
#include "impls/shared/sums_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = AUTO_COSTS_MAX + AUTO_SIZES_MAX };

struct auto_scorer {
    struct scorer scorer;
    size_t n_parts;
    struct scorer *parts[PARTS_MAX];
    char specs[PARTS_MAX][AUTO_SPEC_SIZE]; /* what each part was built from */
    /* The parts are the scorers to choose from. The first n_costs parts have default costs, in
     * `costs`; the others were chosen by stored times. */
    size_t n_costs;
    struct auto_cost costs[AUTO_COSTS_MAX];
    /* The stored times; empty if the model was not tuned. */
    bool tuned;
    struct auto_times times;
    size_t part_of_size[AUTO_SIZES_MAX];           /* PARTS_MAX if the default costs decide */
    size_t part_of_spec[AUTO_SPECS_MAX];           /* PARTS_MAX if the spec is not built */
    struct auto_split splits[AUTO_TABLE_DOCS + 1]; /* by number of documents; [0] is unused */
    char note[sizeof(struct error) + AUTO_SPEC_SIZE + 80];
};

/* --- choosing --------------------------------------------------------------------------------- */

/* The part that is fastest for calls of n_docs documents according to the stored times. PARTS_MAX
 * if the stored times do not show which part that is. */
static size_t find_part(const struct auto_scorer *own, size_t n_docs) {
    const struct auto_size *size = auto_times_find(&own->times, n_docs);
    if (size)
        return own->part_of_size[size - own->times.sizes];
    size_t spec = auto_times_proven(&own->times, n_docs);
    return spec < AUTO_SPECS_MAX ? own->part_of_spec[spec] : PARTS_MAX;
}

static struct auto_split choose(const struct auto_scorer *own, size_t n_docs) {
    size_t part = find_part(own, n_docs);
    if (part == PARTS_MAX)
        return auto_cost_split(own->costs, own->n_costs, n_docs);
    return (struct auto_split){n_docs, (unsigned char)part, (unsigned char)part};
}

static struct auto_split find_split(const struct auto_scorer *own, size_t n_docs) {
    return n_docs <= AUTO_TABLE_DOCS ? own->splits[n_docs] : choose(own, n_docs);
}

static void score_part(const struct auto_scorer *own, size_t number, struct span units,
                       struct span docs, const struct batch *batch) {
    const struct scorer *part = own->parts[number];
    /* If there are several parts, `own` has one unit, which stands for all units of the part. */
    if (own->n_parts > 1 && units.begin < units.end)
        units.end = part->n_units;
    part->impl->score(part, units, docs, batch);
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

/* The fixed share of what a part with a stored time costs, if it has no default cost. */
#define USUAL_FIXED_SHARE 0.25

/* Predicts a call by the stored times, or by the part's default cost. Without either, a call costs
 * nothing, so that it is not shared out. */
static struct call_cost predict(const struct auto_scorer *own, size_t part, size_t n_docs) {
    const struct auto_cost *known = part < own->n_costs ? &own->costs[part] : NULL;
    const struct auto_size *size = auto_times_find(&own->times, n_docs);
    double by_cost = known ? auto_cost_of(known, n_docs) : 0, stored = by_cost;
    for (size_t i = 0; size && i < own->times.n_specs; i++)
        if (own->part_of_spec[i] == part && size->ns[i] > 0)
            stored = size->ns[i];
    double fixed_share = known ? known->fixed * (double)n_docs / by_cost : USUAL_FIXED_SHARE;
    return (struct call_cost){stored, stored * fixed_share};
}

static const struct scorer *auto_choose(const struct scorer *scorer, size_t n_docs,
                                        struct call_cost *cost) {
    const struct auto_scorer *own = (const struct auto_scorer *)scorer;
    struct auto_split split = find_split(own, n_docs);
    if (split.head_docs < n_docs)
        return NULL;
    *cost = predict(own, split.head, n_docs);
    return own->parts[split.head];
}

/* --- what it chose ---------------------------------------------------------------------------- */

enum { CHOICE_SIZE = 2 * AUTO_SPEC_SIZE + 64 };

/* Writes, for example, "qs for 1 document" or "planes for 256 and vqs-avx2 for 44 documents". */
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

static const char *describe_reason(const struct auto_scorer *own, size_t n_docs) {
    if (!own->tuned)
        return "default costs (treebench tune measures them here)";
    if (auto_times_find(&own->times, n_docs))
        return "times that treebench tune stored";
    if (find_part(own, n_docs) < PARTS_MAX)
        return "times that treebench tune stored for other sizes";
    return "default costs (treebench tune measured other sizes)";
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
             describe_reason(own, n_docs < block ? n_docs : block));
}

/* --- building by default costs ---------------------------------------------------------------- */

static void auto_destroy(struct scorer *scorer) {
    struct auto_scorer *own = (struct auto_scorer *)scorer;
    for (size_t i = 0; i < own->n_parts; i++)
        scorer_destroy(own->parts[i]);
    own->n_parts = 0;
}

/* Does the implementation that the spec names have this option, and does the spec leave it unset?
 */
static bool lacks_option(const char *spec, const char *name) {
    struct options options;
    const struct impl *impl = impl_parse(spec, &options, NULL);
    return impl && impl_has_option(impl, name) && !options_get(&options, name);
}

/* Adds the option `sums` to the spec if the implementation has it and the spec does not set it. All
 * costs and stored times are for sums=double. The choice may not be the fastest with other sums,
 * but it is only a little slower. */
static void take_sums(char spec[static AUTO_SPEC_SIZE], unsigned sums) {
    static const char *const options[] = {"", ",sums=float", ",sums=chain"};
    size_t length = strlen(spec);
    if (lacks_option(spec, "sums"))
        snprintf(spec + length, AUTO_SPEC_SIZE - length, "%s", options[sums]);
}

/* A chain is exact in its own way, so other sums do not stand for it. */
static bool can_add(const char *spec, unsigned sums) {
    return sums != SUMS_CHAIN || lacks_option(spec, "sums");
}

static void remove_entry(struct auto_table *table, size_t at) {
    size_t behind = --table->count - at;
    memmove(table->specs + at, table->specs + at + 1, behind * sizeof *table->specs);
    memmove(table->costs + at, table->costs + at + 1, behind * sizeof *table->costs);
}

/* Builds the implementations that remain after auto_cost_reduce. If one of them does not support
 * the model or this machine, destroys the parts built so far and sets *refused to that
 * implementation's index in the table. Otherwise sets *refused to table->count. */
static enum status build_parts(const struct ensemble *ensemble, const struct auto_table *table,
                               struct auto_scorer *own, size_t *refused, struct error *error) {
    size_t kept[AUTO_COSTS_MAX];
    memcpy(own->costs, table->costs, sizeof own->costs);
    own->n_costs = auto_cost_reduce(own->costs, table->count, AUTO_TOLERANCE, kept);
    enum status status = STATUS_OK;
    *refused = table->count;
    for (own->n_parts = 0; own->n_parts < own->n_costs; own->n_parts++) {
        size_t entry = kept[own->n_parts];
        memcpy(own->specs[own->n_parts], table->specs[entry], AUTO_SPEC_SIZE);
        status = scorer_build(table->specs[entry], ensemble, &own->parts[own->n_parts], error);
        if (!status)
            continue;
        auto_destroy(&own->scorer);
        if (status == STATUS_UNSUPPORTED || status == STATUS_MACHINE)
            *refused = entry;
        break;
    }
    return status;
}

/* Builds the parts from the table. If an implementation cannot be built, removes its entry from the
 * table and starts again. */
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
                     "auto: no implementation supports this model on this machine");
}

static enum status build_default(const struct ensemble *ensemble, unsigned sums,
                                 struct auto_scorer *own, struct error *error) {
    struct auto_table *table = calloc(1, sizeof *table);
    if (!table)
        return error_memory(error, "auto");
    enum status status = auto_default_table(ensemble, table, error);
    for (size_t i = table->count; !status && i-- > 0;)
        if (can_add(table->specs[i], sums))
            take_sums(table->specs[i], sums);
        else
            remove_entry(table, i);
    if (!status)
        status = build_from(ensemble, table, own, error);
    free(table);
    return status;
}

/* --- building by stored times ----------------------------------------------------------------- */

/* The fastest spec at this size. If a spec that is already built is at most AUTO_TOLERANCE slower,
 * returns that spec instead, because each new scorer takes memory. AUTO_SPECS_MAX if no spec has a
 * time at this size. */
static size_t find_best(const struct auto_scorer *own, const struct auto_size *size) {
    size_t best = AUTO_SPECS_MAX, built = AUTO_SPECS_MAX;
    for (size_t i = 0; i < own->times.n_specs; i++) {
        bool is_built =
            own->part_of_spec[i] < PARTS_MAX || strcmp(own->times.specs[i], AUTO_UNTUNED) == 0;
        if (size->ns[i] <= 0)
            continue;
        if (best == AUTO_SPECS_MAX || size->ns[i] < size->ns[best])
            best = i;
        if (is_built && (built == AUTO_SPECS_MAX || size->ns[i] < size->ns[built]))
            built = i;
    }
    bool enough =
        built < AUTO_SPECS_MAX && size->ns[built] <= (1 + AUTO_TOLERANCE) * size->ns[best];
    return enough ? built : best;
}

static size_t find_built(const struct auto_scorer *own, const char *spec) {
    size_t part = 0;
    while (part < own->n_parts && strcmp(own->specs[part], spec) != 0)
        part++;
    return part < own->n_parts ? part : PARTS_MAX;
}

static enum status build_spec(const struct ensemble *ensemble, unsigned sums, size_t spec,
                              struct auto_scorer *own, struct error *error) {
    char text[AUTO_SPEC_SIZE];
    memcpy(text, own->times.specs[spec], sizeof text);
    take_sums(text, sums);
    size_t part = find_built(own, text);
    if (part == PARTS_MAX) {
        enum status status = scorer_build(text, ensemble, &own->parts[own->n_parts], error);
        if (status)
            return status;
        part = own->n_parts++;
        memcpy(own->specs[part], text, sizeof text);
    }
    own->part_of_spec[spec] = part;
    return STATUS_OK;
}

/* Builds the best spec for one size. A spec that was measured but can no longer be built is
 * ignored.
 */
static enum status build_size(const struct ensemble *ensemble, unsigned sums, size_t number,
                              struct auto_scorer *own, struct error *error) {
    own->part_of_size[number] = PARTS_MAX;
    for (;;) {
        size_t best = find_best(own, &own->times.sizes[number]);
        if (best == AUTO_SPECS_MAX || strcmp(own->times.specs[best], AUTO_UNTUNED) == 0)
            return STATUS_OK;
        struct error why;
        enum status status = build_spec(ensemble, sums, best, own, &why);
        if (!status)
            own->part_of_size[number] = own->part_of_spec[best];
        if (status == STATUS_MEMORY)
            return error_set(error, status, "%s", why.text);
        if (!status)
            return STATUS_OK;
        if (!own->note[0])
            snprintf(own->note, sizeof own->note,
                     "auto cannot use '%s', which treebench tune measured: %s",
                     own->times.specs[best], why.text);
        auto_times_drop(&own->times, best);
    }
}

/* Keeps only the stored times of specs that were built, and only sizes that still have a time. */
static void forget_unbuilt(struct auto_scorer *own) {
    struct auto_times *times = &own->times;
    size_t kept = 0;
    for (size_t i = 0; i < times->n_specs; i++)
        if (own->part_of_spec[i] == PARTS_MAX && strcmp(times->specs[i], AUTO_UNTUNED) != 0)
            auto_times_drop(times, i);
    for (size_t i = 0; i < times->n_sizes; i++)
        if (find_best(own, &times->sizes[i]) < AUTO_SPECS_MAX) {
            times->sizes[kept] = times->sizes[i];
            own->part_of_size[kept++] = own->part_of_size[i];
        }
    times->n_sizes = kept;
    own->tuned = kept > 0;
}

static enum status build_stored(const struct ensemble *ensemble, unsigned sums,
                                struct auto_scorer *own, struct error *error) {
    struct error unusable;
    enum status status = auto_store_read(ensemble, &own->times, &own->tuned, &unusable);
    if (status) {
        own->tuned = false;
        own->times.n_sizes = own->times.n_specs = 0;
        snprintf(own->note, sizeof own->note,
                 "%s. auto ignores the stored times. Run `treebench tune` to replace them",
                 unusable.text);
    }
    for (size_t i = 0; i < AUTO_SPECS_MAX; i++)
        own->part_of_spec[i] = PARTS_MAX;
    for (size_t i = 0; i < own->times.n_specs; i++)
        if (!can_add(own->times.specs[i], sums))
            auto_times_drop(&own->times, i);
    status = STATUS_OK;
    for (size_t i = 0; i < own->times.n_sizes && !status; i++)
        status = build_size(ensemble, sums, i, own, error);
    forget_unbuilt(own);
    return status;
}

/* --- building --------------------------------------------------------------------------------- */

static void describe(struct auto_scorer *own) {
    own->scorer.bytes = sizeof own->splits;
    if (own->n_parts == 1)
        own->scorer.n_units = own->parts[0]->n_units;
    for (size_t i = 0; i < own->n_parts; i++) {
        const struct scorer *part = own->parts[i];
        if (i < own->n_costs)
            own->costs[i].lanes = part->lanes;
        /* a form chosen by its measured time needs no counts to justify it */
        if (part->note && !part->equal_branches && !own->note[0])
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
        own->splits[n_docs] = choose(own, n_docs);
}

#define COSTS "stored default"

static enum status auto_build(const struct impl *impl, const struct ensemble *ensemble,
                              const struct options *options, struct scorer **scorer,
                              struct error *error) {
    unsigned sums, as_default = 0;
    enum status status = options_choice(options, impl->name, "sums", SUMS_WORDS, &sums, error);
    if (!status)
        status = options_choice(options, impl->name, "costs", COSTS, &as_default, error);
    if (status)
        return status;
    /* one unit, because the parts divide the trees differently */
    struct auto_scorer *own = scorer_create(sizeof *own, impl, ensemble, 1, 0, error);
    if (!own)
        return STATUS_MEMORY;
    status = build_default(ensemble, sums, own, error);
    if (!status && !as_default)
        status = build_stored(ensemble, sums, own, error);
    if (!status)
        describe(own);
    return scorer_finish(&own->scorer, status, scorer, error);
}

static const struct impl_param params[] = {
    {"costs", "stored: the times that treebench tune measured; default: built-in ones", COSTS,
     "stored"},
    SUMS_PARAM,
    {NULL, NULL, NULL, NULL}};

const struct impl impl_auto = {.name = "auto",
                               .title = "the cheapest for each call",
                               .roles = IMPL_CHOOSER,
                               .source = "docs/tuning.md",
                               .kind = IMPL_TRAVERSAL,
                               .sets = true,
                               .votes = true,
                               .params = params,
                               .build = auto_build,
                               .score = auto_score,
                               .describe = auto_describe,
                               .choose = auto_choose,
                               .destroy = auto_destroy};
