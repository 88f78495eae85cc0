#include "harness/tuning/atlas.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/files/record.h"
#include "base/hash.h"
#include "harness/judge/compare.h"
#include "harness/tuning/map.h"
#include "impls/scorer.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATLAS_DOCS "docs/map.md"

/* --- fields ----------------------------------------------------------------------------------- */

static const struct record_field ratio_fields[] = {
    PLAIN(struct ratio, NUMBER, "value", value), PLAIN(struct ratio, NUMBER, "low", interval.low),
    PLAIN(struct ratio, NUMBER, "high", interval.high)};
static const struct record ratio_record = {
    .fields = ratio_fields, .n_fields = FIELDS(ratio_fields), .docs = ATLAS_DOCS};

/* What won at a workload. */
struct contest {
    const char *where, *kind, *note, *winner, *second;
    uint64_t documents;
    uint32_t trees, threads;
    size_t variants; /* that compete; auto chooses one of them, so it does not */
    double ns;       /* the winner's, per document */
    struct ratio second_to_winner;
    const struct ratio *auto_to_winner; /* NULL: auto was not measured */
};

static cJSON *choice_to_json(const void *member) {
    const struct ratio *const *choice = member;
    return *choice ? record_object(&ratio_record, *choice) : cJSON_CreateNull();
}

static enum status check_choice(const char *name, const char *key, const cJSON *json, void *member,
                                struct error *error) {
    struct ratio choice;
    char where[512];
    (void)member;
    snprintf(where, sizeof where, "%.400s: %s", name, key);
    return cJSON_IsNull(json) ? STATUS_OK
                              : record_from_json(where, &ratio_record, json, &choice, error);
}

static const struct record_form choice_form = {
    .type = "object or null", .to_json = choice_to_json, .from_json = check_choice};

#define CONTEST(KIND, NAME, MEMBER, ...) FIELD(struct contest, KIND, NAME, MEMBER, __VA_ARGS__)
static const struct record_field contest_fields[] = {
    CONTEST(STRING, "where", where, .help = "the point"),
    CONTEST(STRING, "kind", kind, .help = "kind of model"),
    CONTEST(STRING, "note", note, .help = "what is not real; empty: nothing"),
    CONTEST(COUNT, "documents", documents, .help = "number of documents"),
    CONTEST(U32, "trees", trees, .help = "trees of the model"),
    CONTEST(U32, "threads", threads, .help = "number of threads"),
    CONTEST(COUNT, "variants", variants, .help = "number of variants with times, without auto"),
    CONTEST(STRING, "winner", winner, .help = "the fastest variant"),
    CONTEST(NUMBER, "ns_per_document", ns, .help = "its time", .unit = "ns"),
    CONTEST(STRING, "second", second, .help = "the next variant"),
    CONTEST(OBJECT, "second_to_winner", second_to_winner, .record = &ratio_record,
            .help = "ratio of times"),
    CONTEST(FORM, "auto_to_winner", auto_to_winner, .form = &choice_form, .help = "the same")};
static const struct record contest_record = {
    .fields = contest_fields, .n_fields = FIELDS(contest_fields), .docs = ATLAS_DOCS};

/* What the page of all entries needs of the other members. */
struct entry {
    struct {
        const char *model;
        uint32_t cores;
    } cpu;
    const char *commit, *scale, *clock;
};
static const struct record_field cpu_fields[] = {PLAIN(struct entry, STRING, "model", cpu.model),
                                                 PLAIN(struct entry, U32, "cores", cpu.cores)};
static const struct record_field build_fields[] = {PLAIN(struct entry, STRING, "commit", commit)};
static const struct record cpu_record = RECORD_OF(cpu_fields),
                           build_record = RECORD_OF(build_fields);
static const struct record_field entry_fields[] = {
    WHOLE(OBJECT, "cpu", .record = &cpu_record, .help = "of the run's manifest"),
    WHOLE(OBJECT, "build", .record = &build_record, .help = "the same"),
    PLAIN(struct entry, STRING, "scale", scale),
    PLAIN(struct entry, STRING, "clock", clock),
    KEY("libraries", .help = "versions"),
    KEY("workloads", .help = "contests"),
    KEY("checksum", .help = "of the other members")};
static const struct record entry_record = {.what = "an entry of the atlas",
                                           .fields = entry_fields,
                                           .n_fields = FIELDS(entry_fields),
                                           .schema = ATLAS_SCHEMA,
                                           .oldest = ATLAS_SCHEMA,
                                           .docs = ATLAS_DOCS};

static enum status check_types(const char *name, const cJSON *json, struct error *error) {
    struct entry entry;
    struct contest contest;
    const cJSON *list = NULL, *item;
    size_t number = 0;
    enum status status = record_from_json(name, &entry_record, json, &entry, error);
    if (!status)
        status = json_get_array(name, json, "workloads", &list, error);
    cJSON_ArrayForEach(item, list) {
        char where[512];
        snprintf(where, sizeof where, "%.400s: workload %zu", name, ++number);
        if (!status)
            status = record_from_json(where, &contest_record, item, &contest, error);
    }
    return status;
}

/* --- what won at a point ---------------------------------------------------------------------- */

/* The two fastest variants of a point. */
struct podium {
    const struct row_entry *first, *second, *chosen;
    double first_ns, second_ns;
    size_t variants;
};

static void enter(struct podium *podium, const struct row_entry *entry, double ns) {
    if (strcmp(entry->row->impl, "auto") == 0) {
        podium->chosen = entry;
        return;
    }
    podium->variants++;
    if (!podium->first || ns < podium->first_ns) {
        podium->second = podium->first;
        podium->second_ns = podium->first_ns;
        podium->first = entry;
        podium->first_ns = ns;
    } else if (!podium->second || ns < podium->second_ns) {
        podium->second = entry;
        podium->second_ns = ns;
    }
}

/* Baselines score nothing, so they cannot win. */
static bool is_baseline(const char *name) {
    const struct impl *impl = impl_find(name, NULL);
    return impl && impl->kind == IMPL_BASELINE;
}

/* Entries are sorted by variant, and each trial has one. */
static struct podium podium_of(const struct row_index *index, struct row_span span) {
    struct podium podium = {.variants = 0};
    for (size_t i = 0; i < span.count; i++) {
        const struct row_entry *entry = &span.entries[i];
        if ((i > 0 && strcmp(entry[-1].variant, entry->variant) == 0) ||
            is_baseline(entry->row->impl))
            continue;
        double ns = compare_time(index, &entry->point, entry->variant).mean;
        if (!isnan(ns))
            enter(&podium, entry, ns);
    }
    return podium;
}

/* Adds the contest to the list, with what the winner's row says of the workload. */
static void add_contest(cJSON *list, const struct row *winner, struct contest *contest) {
    contest->kind = winner->workload.kind;
    contest->note = winner->note;
    contest->documents = winner->workload.documents;
    contest->threads = winner->threads;
    cJSON_AddItemToArray(list, record_object(&contest_record, contest));
}

static struct ratio to_winner(const struct row_index *index, const struct podium *podium,
                              const struct row_entry *entry) {
    return compare_ratio(index, &podium->first->point, entry->variant, podium->first->variant);
}

static void add_podium(const struct row_index *index, const struct podium *podium, cJSON *list) {
    char where[POINT_TEXT_SIZE];
    struct ratio choice;
    struct contest contest = {.where = where,
                              .trees = podium->first->row->model_trees,
                              .variants = podium->variants,
                              .winner = podium->first->variant,
                              .ns = podium->first_ns,
                              .second = podium->second->variant,
                              .second_to_winner = to_winner(index, podium, podium->second)};
    point_describe(&podium->first->point, where, sizeof where);
    if (podium->chosen) {
        choice = to_winner(index, podium, podium->chosen);
        contest.auto_to_winner = &choice;
    }
    add_contest(list, podium->first->row, &contest);
}

static void add_workloads(const struct row_index *index, cJSON *list) {
    for (size_t i = 0; i < index->count;) {
        struct row_span span = row_index_at(index, &index->entries[i].point);
        struct podium podium = podium_of(index, span);
        if (podium.second)
            add_podium(index, &podium, list);
        i += span.count > 0 ? span.count : 1;
    }
}

/* --- what won at a point of a map ------------------------------------------------------------- */

/* The points of a map differ in the number of documents per call, which points of other runs do
 * not, and most of its times were only screened. So its winners are those of the map. */

/* The number of implementations that were timed at the point, without auto. */
static size_t count_rivals(const struct rows *rows, const struct map_point *point) {
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        count += row->status == ROW_OK && strcmp(row->cell, point->winner->cell) == 0 &&
                 (!point->choice.row || strcmp(row->impl, point->choice.row->impl) != 0);
    }
    return count;
}

static void add_map_point(const struct rows *rows, const struct map_point *point, cJSON *list) {
    char where[96];
    const struct row_variant winner = row_variant(point->winner);
    const struct row_variant second = row_variant(point->second.row);
    struct contest contest = {.where = where,
                              .trees = point->trees,
                              .variants = count_rivals(rows, point),
                              .winner = winner.text,
                              .ns = point->winner->median,
                              .second = second.text,
                              .second_to_winner = point->second.ratio,
                              .auto_to_winner = point->choice.row ? &point->choice.ratio : NULL};
    snprintf(where, sizeof where,
             "%" PRIu32 " features, %" PRIu32 " leaves, %" PRIu32 " trees, %" PRIu32 " per call",
             point->features, point->leaves, point->trees, point->call);
    add_contest(list, point->winner, &contest);
}

static enum status add_map(const struct rows *rows, cJSON *list, struct error *error) {
    struct map_regions regions;
    enum status status = map_regions_make(rows, &regions, error);
    if (status)
        return status;
    for (size_t i = 0; i < regions.count; i++)
        if (regions.points[i].winner && regions.points[i].second.row)
            add_map_point(rows, &regions.points[i], list);
    map_regions_free(&regions);
    return STATUS_OK;
}

/* --- the entry -------------------------------------------------------------------------------- */

static void copy_parts(const cJSON *manifest, cJSON *entry) {
    static const char *const keys[] = {"cpu", "build", "scale", "clock", "libraries"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const cJSON *part = cJSON_GetObjectItemCaseSensitive(manifest, keys[i]);
        cJSON_AddItemToObject(entry, keys[i],
                              part ? cJSON_Duplicate(part, true) : cJSON_CreateNull());
    }
}

/* The hash of the entry's text without its checksum. False if memory runs out. */
static bool checksum_of(const cJSON *entry, char checksum[static 17]) {
    cJSON *copy = cJSON_Duplicate(entry, true);
    cJSON_DeleteItemFromObject(copy, "checksum");
    char *text = copy ? cJSON_PrintUnformatted(copy) : NULL;
    cJSON_Delete(copy);
    if (text)
        snprintf(checksum, 17, "%016" PRIx64, hash_bytes(HASH_START, text, strlen(text)));
    free(text);
    return text != NULL;
}

/* "AMD EPYC 9454 48-Core" becomes "amd-epyc-9454-48-core". */
static void append_slug(const char *text, char *name, size_t size) {
    size_t used = strlen(name);
    for (; *text && used + 1 < size; text++) {
        bool is_plain = isalnum((unsigned char)*text) != 0;
        if (is_plain)
            name[used++] = (char)tolower((unsigned char)*text);
        else if (used > 0 && name[used - 1] != '-')
            name[used++] = '-';
    }
    name[used] = '\0';
}

static void make_name(const struct row_index *index, const char *checksum,
                      char name[static ATLAS_NAME_SIZE]) {
    name[0] = '\0';
    append_slug(rows_manifest_text(index->rows, "cpu", "model"), name, 48);
    append_slug("-", name, 50);
    append_slug(rows_manifest_text(index->rows, NULL, "scale"), name, 70);
    size_t used = strlen(name);
    snprintf(name + used, ATLAS_NAME_SIZE - used, "-%.8s.json", checksum);
}

/* Refuses a part of a run: who won there says nothing about the rest. */
static enum status check_whole(const struct rows *rows, struct error *error) {
    const cJSON *asked = cJSON_GetObjectItemCaseSensitive(rows->manifest, "cells");
    size_t cells = 0;
    for (size_t i = 0; i < rows->count; i++) /* the rows of a cell are adjacent */
        cells += i == 0 || strcmp(rows->list[i].cell, rows->list[i - 1].cell) != 0;
    if (cJSON_HasObjectItem(rows->manifest, "shard"))
        return error_set(error, STATUS_INPUT,
                         "this is one part of a run. Join the parts with treebench merge first");
    if (cJSON_IsNumber(asked) && (double)cells < asked->valuedouble)
        return error_set(error, STATUS_INPUT,
                         "%zu of the run's %.0f cells are measured. Continue with --resume first",
                         cells, asked->valuedouble);
    return STATUS_OK;
}

/* Adds all but the checksum. */
static enum status fill_entry(const struct row_index *index, cJSON *made, struct error *error) {
    cJSON_AddNumberToObject(made, "schema", ATLAS_SCHEMA);
    copy_parts(index->rows->manifest, made);
    cJSON *list = cJSON_AddArrayToObject(made, "workloads");
    if (map_is_run(index->rows))
        return add_map(index->rows, list, error);
    add_workloads(index, list);
    return STATUS_OK;
}

enum status atlas_entry_make(const struct row_index *index, cJSON **entry,
                             char name[static ATLAS_NAME_SIZE], struct error *error) {
    enum status status = check_whole(index->rows, error);
    if (status)
        return status;
    errno = 0;
    cJSON *made = cJSON_CreateObject();
    status = fill_entry(index, made, error);
    char checksum[17] = "";
    bool is_whole = errno != ENOMEM && checksum_of(made, checksum) &&
                    cJSON_AddStringToObject(made, "checksum", checksum);
    if (!status && !is_whole)
        status = error_memory(error, "the entry of the atlas");
    if (!status && !cJSON_GetObjectItemCaseSensitive(made, "workloads")->child)
        status = error_set(error, STATUS_INPUT,
                           "the run has no point at which two implementations were timed");
    if (!status)
        status = check_types("manifest.json", made, error);
    if (status) {
        cJSON_Delete(made);
        return status;
    }
    make_name(index, checksum, name);
    *entry = made;
    return STATUS_OK;
}

enum status atlas_entry_write(const char *folder, const char *name, const cJSON *entry,
                              struct error *error) {
    char *path = NULL;
    enum status status = asprintf(&path, "%s/%s", folder, name) >= 0
                             ? file_make_directories(folder, error)
                             : error_memory(error, "the entry of the atlas");
    if (!status)
        status = json_write(path, entry, error);
    free(path);
    return status;
}

/* --- checking --------------------------------------------------------------------------------- */

static enum status check(const char *path, const cJSON *entry, struct error *error) {
    const char *stored = NULL;
    char checksum[17];
    enum status status = check_types(path, entry, error);
    if (!status)
        status = json_get_string(path, entry, "checksum", &stored, error);
    if (status)
        return status;
    if (!checksum_of(entry, checksum))
        return error_memory(error, path);
    if (strcmp(stored, checksum) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: its checksum is %s, but its content has %s: it was damaged or "
                     "edited. Make it again with treebench submit",
                     path, stored, checksum);
}

enum status atlas_entry_read(const char *path, cJSON **entry, struct error *error) {
    *entry = NULL;
    enum status status = json_read(path, entry, error);
    if (!status)
        status = check(path, *entry, error);
    if (!status)
        return STATUS_OK;
    cJSON_Delete(*entry);
    *entry = NULL;
    return status;
}
