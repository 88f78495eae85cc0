/* What was measured, claimed and changed, as facts of the page. */
#include "harness/html/html_parts.h"

#include "base/origin.h"
#include "harness/judge/compare.h"
#include "harness/rows/point.h"
#include "impls/scorer.h"

#include <math.h>
#include <string.h>

/* Samples are shown only if the run has at most this many, so that the page stays small. */
enum { SAMPLES_MAX = 60000 };

cJSON *html_number(double value) {
    char text[32];
    if (!isfinite(value))
        return cJSON_CreateNull();
    snprintf(text, sizeof text, "%.6g", value);
    return cJSON_CreateRaw(text);
}

/* --- what is not real ------------------------------------------------------------------------- */

static cJSON *origins_json(unsigned origin) {
    static const struct {
        unsigned bits;
        const char *name;
    } names[] = {{ORIGIN_SYNTHETIC, "synthetic"},         {ORIGIN_STAND_IN, "stand-in"},
                 {ORIGIN_SAMPLE | ORIGIN_PART, "sample"}, {ORIGIN_GROWN | ORIGIN_COPIED, "grown"},
                 {ORIGIN_RESAMPLED, "resampled"},         {ORIGIN_UNKNOWN, "unknown"}};
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (origin & names[i].bits)
            cJSON_AddItemToArray(list, cJSON_CreateString(names[i].name));
    return list;
}

cJSON *html_run_origins(const struct rows *rows) {
    unsigned origin = 0;
    for (size_t i = 0; i < rows->count; i++)
        origin |= rows->list[i].origin;
    return origins_json(origin);
}

cJSON *html_origins(const struct row_index *index, const struct panel *panel) {
    unsigned origin = 0;
    for (size_t i = 0; i < panel->n_points; i++)
        origin |= row_index_origin(index, &panel->points[i]) |
                  (panel->points[i].data[0] ? 0 : ORIGIN_SYNTHETIC);
    return origins_json(origin);
}

/* --- rows ------------------------------------------------------------------------------------- */

static cJSON *samples_json(const struct row *row) {
    const double *samples = row_reported_samples(row);
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < row->samples.count; i++)
        cJSON_AddItemToArray(list, html_number(samples[i]));
    return list;
}

static const char *const row_columns[] = {
    "cell", "variant", "point",  "documents", "call", "trial",     "order",  "threads", "median",
    "low",  "high",    "status", "reason",    "note", "artefacts", "origin", "samples"};

static cJSON *titled_json(const struct record_field *field) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "name", field->name);
    cJSON_AddStringToObject(json, "title", field->title);
    cJSON_AddStringToObject(json, "unit", field->unit ? field->unit : "");
    cJSON_AddBoolToObject(json, "number", field->type != RECORD_TEXT);
    return json;
}

/* The value of a field that has a title. The integers of rows are 0 if they are unknown. */
static cJSON *field_json(const struct record_field *field, const struct row *row) {
    const void *member = (const char *)row + field->offset;
    if (field->type == RECORD_TEXT)
        return cJSON_CreateString(member);
    if (field->type == RECORD_REAL)
        return html_number(*(const double *)member);
    uint64_t value =
        field->type == RECORD_U64 ? *(const uint64_t *)member : *(const uint32_t *)member;
    return value ? cJSON_CreateNumber((double)value) : cJSON_CreateNull();
}

static cJSON *row_json(const struct row *row, bool with_samples) {
    char where[POINT_TEXT_SIZE];
    struct point point = point_of_row(row);
    point_describe(&point, where, sizeof where);
    cJSON *const fields[] = {
        cJSON_CreateString(row->cell),
        cJSON_CreateString(row_variant(row).text),
        cJSON_CreateString(where),
        cJSON_CreateNumber((double)row->workload.documents),
        cJSON_CreateNumber((double)row->doc_block),
        cJSON_CreateNumber(row->workload.trial),
        cJSON_CreateString(row->order),
        cJSON_CreateNumber(row->threads),
        html_number(row->median),
        html_number(row->median_interval.low),
        html_number(row->median_interval.high),
        cJSON_CreateString(row_status_names[row->status]),
        cJSON_CreateString(row->reason),
        cJSON_CreateString(row->note),
        cJSON_CreateString(row->artefacts),
        origins_json(row->origin),
        with_samples && row->status == ROW_OK ? samples_json(row) : cJSON_CreateNull(),
    };
    cJSON *line = cJSON_CreateArray();
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        cJSON_AddItemToArray(line, fields[i]);
    for (size_t i = 0; i < row_record.n_fields; i++)
        if (row_record.fields[i].title)
            cJSON_AddItemToArray(line, field_json(&row_record.fields[i], row));
    return line;
}

cJSON *html_rows(const struct rows *rows) {
    cJSON *json = cJSON_CreateObject(), *titled = cJSON_AddArrayToObject(json, "titled");
    cJSON *columns =
        cJSON_CreateStringArray(row_columns, (int)(sizeof row_columns / sizeof *row_columns));
    cJSON_AddItemToObject(json, "columns", columns);
    for (size_t i = 0; i < row_record.n_fields; i++)
        if (row_record.fields[i].title) {
            cJSON_AddItemToArray(columns, cJSON_CreateString(row_record.fields[i].name));
            cJSON_AddItemToArray(titled, titled_json(&row_record.fields[i]));
        }
    cJSON *lines = cJSON_AddArrayToObject(json, "lines");
    size_t n_samples = 0;
    for (size_t i = 0; i < rows->count; i++)
        n_samples += rows->list[i].samples.count;
    for (size_t i = 0; i < rows->count; i++)
        cJSON_AddItemToArray(lines, row_json(&rows->list[i], n_samples <= SAMPLES_MAX));
    return json;
}

/* --- speeds ----------------------------------------------------------------------------------- */

static cJSON *speed_json(const struct row_index *index, const struct row_entry *entry) {
    const struct row *row = entry->row;
    char where[POINT_TEXT_SIZE];
    point_describe(&entry->point, where, sizeof where);
    struct estimate time = compare_time(index, &entry->point, entry->variant);
    if (time.trials == 1) /* the interval over trials needs two */
        time.interval = row->median_interval;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "impl", row->impl);
    cJSON_AddStringToObject(json, "variant", entry->variant);
    cJSON_AddStringToObject(json, "point", where);
    cJSON_AddNumberToObject(json, "documents", (double)row->workload.documents);
    cJSON_AddItemToObject(json, "value", html_number(time.mean));
    cJSON_AddItemToObject(json, "low", html_number(time.interval.low));
    cJSON_AddItemToObject(json, "high", html_number(time.interval.high));
    cJSON_AddNumberToObject(json, "trials", (double)time.trials);
    cJSON_AddItemToObject(json, "origin", origins_json(row->origin));
    return json;
}

static bool is_first(const struct row_index *index, size_t entry) {
    const struct row_entry *at = &index->entries[entry];
    return entry == 0 || !point_equal(&at->point, &at[-1].point) ||
           strcmp(at->variant, at[-1].variant) != 0;
}

cJSON *html_speeds(const struct row_index *index) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; i < index->count; i++)
        if (is_first(index, i) && index->entries[i].row->status == ROW_OK)
            cJSON_AddItemToArray(list, speed_json(index, &index->entries[i]));
    return list;
}

static const char *kind_name(enum impl_kind kind) {
    return kind == IMPL_BASELINE ? "baseline" : kind == IMPL_TRAVERSAL ? "traversal" : "library";
}

cJSON *html_implementations(const struct rows *rows) {
    cJSON *json = cJSON_CreateObject();
    for (size_t i = 0; i < rows->count; i++) {
        const char *name = rows->list[i].impl;
        const struct impl *impl = impl_find(name, NULL);
        if (!impl || cJSON_HasObjectItem(json, name))
            continue;
        cJSON *facts = cJSON_AddObjectToObject(json, name);
        cJSON_AddStringToObject(facts, "title", impl->title);
        cJSON_AddStringToObject(facts, "source", impl->source);
        cJSON_AddStringToObject(facts, "kind", kind_name(impl->kind));
    }
    return json;
}

/* --- changes ---------------------------------------------------------------------------------- */

/* An interval that excludes 1 resolves the change. */
static const char *change_name(struct interval interval) {
    return interval.low > 1 ? "slower" : interval.high < 1 ? "faster" : "not resolved";
}

static cJSON *change_json(const struct row_index *index, const struct row_index *other,
                          const struct row_entry *entry) {
    char where[POINT_TEXT_SIZE];
    point_describe(&entry->point, where, sizeof where);
    struct ratio ratio = compare_runs(index, other, &entry->point, entry->variant);
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "variant", entry->variant);
    cJSON_AddStringToObject(json, "point", where);
    cJSON_AddItemToObject(json, "value",
                          html_number(compare_time(index, &entry->point, entry->variant).mean));
    cJSON_AddItemToObject(json, "other",
                          html_number(compare_time(other, &entry->point, entry->variant).mean));
    cJSON_AddItemToObject(json, "ratio", html_number(ratio.value));
    cJSON_AddItemToObject(json, "low", html_number(ratio.interval.low));
    cJSON_AddItemToObject(json, "high", html_number(ratio.interval.high));
    cJSON_AddStringToObject(json, "change", change_name(ratio.interval));
    cJSON_AddItemToObject(json, "origin", origins_json(entry->row->origin));
    return json;
}

cJSON *html_changes(const struct row_index *index, const struct row_index *other) {
    cJSON *json = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(json, "changes");
    double missing = 0, unlike = 0;
    for (size_t i = 0; i < index->count; i++) {
        const struct row_entry *entry = &index->entries[i];
        if (!is_first(index, i) || entry->row->status != ROW_OK)
            continue;
        struct row_span span = row_index_find(other, &entry->point, entry->variant);
        const struct row *row = span.count ? span.entries[0].row : NULL;
        if (!row || row->status != ROW_OK)
            missing++;
        else if (row->workload.documents != entry->row->workload.documents)
            unlike++;
        else
            cJSON_AddItemToArray(list, change_json(index, other, entry));
    }
    cJSON_AddNumberToObject(json, "missing", missing);
    cJSON_AddNumberToObject(json, "unlike", unlike);
    return json;
}

/* --- claims ----------------------------------------------------------------------------------- */

/* [low, high]; null stands for a side that is not given. */
static cJSON *interval_json(struct interval interval) {
    cJSON *sides = cJSON_CreateArray();
    cJSON_AddItemToArray(sides, html_number(interval.low));
    cJSON_AddItemToArray(sides, html_number(interval.high));
    return sides;
}

/* {"held", "not held", "unresolved"}: numbers of points */
static cJSON *points_json(const struct claim_evidence *evidence) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_HELD], (double)evidence->held);
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_NOT_HELD], (double)evidence->failed);
    cJSON_AddNumberToObject(json, verdict_names[VERDICT_UNRESOLVED], (double)evidence->open);
    return json;
}

static cJSON *value_json(const struct claim_value *value) {
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "where", value->where);
    cJSON_AddStringToObject(json, "what", value->what);
    cJSON_AddItemToObject(json, "value", html_number(value->value));
    cJSON_AddItemToObject(json, "interval", interval_json(value->interval));
    cJSON_AddStringToObject(json, "verdict", verdict_names[value->verdict]);
    return json;
}

static cJSON *claim_json(const struct claim_result *result) {
    const struct claim_evidence *evidence = &result->evidence;
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "id", result->id);
    cJSON_AddStringToObject(json, "words", result->words);
    cJSON_AddStringToObject(json, "verdict", verdict_names[result->verdict]);
    cJSON_AddStringToObject(json, "measured", result->measured);
    cJSON_AddItemToObject(json, "origin", origins_json(result->origin));
    cJSON_AddStringToObject(json, "rule", result->rule);
    cJSON_AddStringToObject(json, "open", result->open);
    if (evidence->n_values == 0)
        return json;
    cJSON_AddBoolToObject(json, "share", evidence->is_share);
    cJSON_AddItemToObject(json, "bounds", interval_json(evidence->bounds));
    if (!isnan(evidence->papers.low))
        cJSON_AddItemToObject(json, "papers", interval_json(evidence->papers));
    cJSON_AddItemToObject(json, "points", points_json(evidence));
    cJSON_AddNumberToObject(json, "found", (double)evidence->n_values);
    cJSON *values = cJSON_AddArrayToObject(json, "values");
    for (size_t i = 0; i < evidence->n_values && i < CLAIM_VALUES_MAX; i++)
        cJSON_AddItemToArray(values, value_json(&evidence->values[i]));
    return json;
}

cJSON *html_claims(const struct claim_result *judged, size_t count) {
    cJSON *claims = cJSON_CreateArray();
    for (enum verdict v = 0; v < VERDICTS; v++)
        for (size_t i = 0; i < count; i++)
            if (judged[i].verdict == v)
                cJSON_AddItemToArray(claims, claim_json(&judged[i]));
    return claims;
}
