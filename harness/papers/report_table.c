#include "harness/papers/report_parts.h"

#include "base/files/json.h"
#include "base/files/record.h"
#include "base/memory.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

enum column_kind {
    COLUMN_TIME,        /* the operand's time */
    COLUMN_LESS,        /* time saved at a point compared with the panel's first point */
    COLUMN_IMPROVEMENT, /* time that `fast` saves compared with `slow` */
    COLUMN_RATIO,       /* how many times faster `fast` is than `slow` */
    COLUMN_COUNT,       /* a counter's value per document and tree */
    COLUMN_QUERY,       /* time in ms of a query with `documents` documents */
    COLUMN_QUERIES,     /* number of such queries per second */
    COLUMN_PAPER        /* only the paper's number */
};

struct column {
    enum column_kind kind;
    const char *title, *operand, *slow, *fast;
    enum counter counter;
    uint32_t documents;    /* number of documents of a query */
    const char *reference; /* column of the reference file; NULL if the paper gives no number */
};

enum { TABLE_COLUMNS_MAX = ARTEFACT_VARIANTS_MAX, QUERY_DOCUMENTS_MAX = 1 << 20 };

struct table {
    const char *title; /* appended to the title of each panel, or NULL */
    struct column columns[TABLE_COLUMNS_MAX];
    size_t n_columns;
    bool has_counts, compares; /* a column has a counter's values; one compares two variants */
    const char *reference;     /* name of the reference file, or NULL */
    const char *machine;       /* the machine that the paper used, or NULL */
    const char *marks;         /* "least": the least time of each line is bold; or NULL */
};

static enum status read_operand(const char *name, const struct artefact *artefact,
                                const cJSON *json, const char *key, const char **operand,
                                struct error *error) {
    enum status status = json_get_string(name, json, key, operand, error);
    if (!status && !artefact_knows_operand(artefact, *operand))
        status = error_set(error, STATUS_INPUT, "%s: %s: %s is not a variant of this artefact",
                           name, key, *operand);
    return status;
}

/* A column has the first kind in this list whose key it contains. Every key names an operand,
 * except "counter", "documents" and "reference". */
static const struct {
    const char *key, *second;
} column_keys[] = {
    [COLUMN_TIME] = {"time", NULL},
    [COLUMN_LESS] = {"less", NULL},
    [COLUMN_IMPROVEMENT] = {"slow", "fast"},
    [COLUMN_RATIO] = {"faster", "than"},
    [COLUMN_COUNT] = {"count", "counter"},
    [COLUMN_QUERY] = {"query", "documents"},
    [COLUMN_QUERIES] = {"queries", "documents"},
    [COLUMN_PAPER] = {"reference", NULL},
};

static enum status read_column(const char *name, const struct artefact *artefact, const cJSON *json,
                               struct column *column, struct error *error) {
    *column = (struct column){.kind = COLUMN_TIME};
    if (!cJSON_IsObject(json))
        return error_set(error, STATUS_INPUT, "%s: an entry of columns is not an object", name);
    while (column->kind < COLUMN_PAPER && !cJSON_HasObjectItem(json, column_keys[column->kind].key))
        column->kind++;
    const char *first = column_keys[column->kind].key, *second = column_keys[column->kind].second;
    const char *const keys[] = {"title", "reference", first, second, NULL};
    enum status status = artefact_check_keys(name, json, keys, error);
    if (!status)
        status = json_get_string(name, json, "title", &column->title, error);
    if (!status && (column->kind == COLUMN_PAPER || cJSON_HasObjectItem(json, "reference")))
        status = json_get_string(name, json, "reference", &column->reference, error);
    if (status || column->kind == COLUMN_PAPER)
        return status;
    const char *operands[2] = {NULL, NULL};
    status = read_operand(name, artefact, json, first, &operands[0], error);
    if (!status && column->kind == COLUMN_COUNT)
        status = counter_read(name, json, &column->counter, error);
    else if (!status && (column->kind == COLUMN_QUERY || column->kind == COLUMN_QUERIES))
        status =
            json_get_u32(name, json, second, 1, QUERY_DOCUMENTS_MAX, &column->documents, error);
    else if (!status && second)
        status = read_operand(name, artefact, json, second, &operands[1], error);
    column->operand = operands[0];
    column->slow = operands[column->kind == COLUMN_RATIO];
    column->fast = operands[column->kind == COLUMN_IMPROVEMENT];
    return status;
}

/* Adds a column with the time of each variant. Artefacts without a table get these columns. */
static void every_variant(const struct artefact *artefact, struct table *table) {
    for (size_t i = 0; i < artefact->n_variants; i++)
        table->columns[table->n_columns++] =
            (struct column){.title = artefact_label(artefact, artefact->variants[i]),
                            .operand = artefact->variants[i]};
}

/* Returns the table with this index, from "table" (one object) or "tables" (an array), or NULL if
 * there is none. */
static const cJSON *table_json(const struct artefact *artefact, size_t index) {
    const cJSON *one = cJSON_GetObjectItemCaseSensitive(artefact->json, "table");
    const cJSON *many = cJSON_GetObjectItemCaseSensitive(artefact->json, "tables");
    return many ? cJSON_GetArrayItem(many, (int)index) : index == 0 ? one : NULL;
}

static const struct record_field fields[] = {
    FIELD(struct table, STRING, "title", title, .is_optional = true,
          .help = "appended to the title of each panel"),
    FIELD(struct table, STRING, "reference", reference, .is_optional = true,
          .help = "file with the paper's numbers"),
    FIELD(struct table, STRING, "machine", machine, .is_optional = true,
          .help = "machine of the paper"),
    FIELD(struct table, STRING, "marks", marks, .is_optional = true,
          .help = "\"least\": the least time of each line is bold"),
    KEY("columns", .help = "columns")};
static const struct record record = ARTEFACT_RECORD("a table", fields);

static enum status table_read(const char *name, const struct artefact *artefact, const cJSON *json,
                              struct table *table, struct error *error) {
    *table = (struct table){.n_columns = 0};
    const cJSON *columns = NULL, *entry;
    if (!json) {
        every_variant(artefact, table);
        return STATUS_OK;
    }
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: table", name);
    enum status status = record_from_json(where, &record, json, table, error);
    if (!status && table->marks && strcmp(table->marks, "least") != 0)
        status = error_set(error, STATUS_INPUT, "%s: marks: must be \"least\"", where);
    if (!status && table->reference && strchr(table->reference, '/'))
        status = error_set(error, STATUS_INPUT, "%s: reference: must be a file name without a path",
                           where);
    if (!status)
        status = json_get_array(where, json, "columns", &columns, error);
    cJSON_ArrayForEach(entry, columns) {
        struct column *column = &table->columns[table->n_columns];
        if (!status && table->n_columns == TABLE_COLUMNS_MAX)
            status = error_set(error, STATUS_INPUT, "%s: columns: more than %d", where,
                               TABLE_COLUMNS_MAX);
        if (status)
            return status;
        status = read_column(where, artefact, entry, column, error);
        table->n_columns++;
        table->has_counts |= column->kind == COLUMN_COUNT;
        table->compares |= column->slow != NULL;
    }
    return status;
}

typedef enum status table_function(void *context, const struct artefact *artefact,
                                   const struct table *table, const struct reference *reference,
                                   struct error *error);

/* Reads each table of the artefact, and its reference file from the folder, and hands them over.
 * Without a folder, it only checks the tables. */
static enum status each_table(const char *name, const struct artefact *artefact, const char *folder,
                              table_function *take, void *context, struct error *error) {
    struct table table;
    size_t number = 0;
    enum status status;
    do {
        struct reference *reference = NULL;
        char path[2 * ROW_PATH_SIZE];
        status = table_read(name, artefact, table_json(artefact, number++), &table, error);
        if (!status && folder && table.reference) {
            snprintf(path, sizeof path, "%s/%s", folder, table.reference);
            status = reference_read(path, &reference, error);
        }
        if (!status && folder)
            status = take(context, artefact, &table, reference, error);
        reference_free(reference);
    } while (!status && table_json(artefact, number));
    return status;
}

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error) {
    return each_table(name, artefact, NULL, NULL, NULL, error);
}

static void write_estimate(FILE *stream, double value, struct interval interval, int digits,
                           const char *unit) {
    if (isnan(value))
        fputs("-", stream);
    else
        fprintf(stream, "%.*f%s", digits, value, unit);
    if (!isnan(value) && !isnan(interval.low))
        fprintf(stream, " [%.*f, %.*f]", digits, interval.low, digits, interval.high);
}

/* Writes the share of time saved. `ratio` is the share that remains. */
static void write_less(FILE *stream, struct ratio ratio) {
    struct interval less = {1 - ratio.interval.high, 1 - ratio.interval.low};
    char text[COMPARE_LESS_SIZE] = "-";
    if (!isnan(ratio.value))
        compare_describe_less(1 - ratio.value, less, "", text);
    fputs(text, stream);
}

/* Converts a time in ns per document to the time of a query in ms, or to queries per second. */
static struct estimate of_query(const struct column *column, struct estimate time) {
    double ms = column->documents / 1e6;
    if (column->kind == COLUMN_QUERY)
        return (struct estimate){
            time.mean * ms, {time.interval.low * ms, time.interval.high * ms}, time.trials};
    return (struct estimate){1e3 / (time.mean * ms),
                             {1e3 / (time.interval.high * ms), 1e3 / (time.interval.low * ms)},
                             time.trials};
}

/* A table of a panel that is being written. */
struct writing {
    FILE *stream;
    const struct table *table;
    const struct row_index *index;
    const struct panel *panel;
    enum axis x;
    const struct reference *reference; /* NULL: the paper gives no number */
};

static void write_ours(FILE *stream, const struct place *at, const struct column *column) {
    const struct point *first = &at->panel->points[0];
    struct estimate shown;
    struct ratio ratio;
    switch (column->kind) {
    case COLUMN_TIME:
        shown = report_shown(at, compare_operand_time(at, column->operand));
        write_estimate(stream, shown.mean, shown.interval, report_digits(at->panel), "");
        break;
    case COLUMN_LESS:
        if (at->point == first)
            fputs("-", stream);
        else
            write_less(stream, compare_operand_speedup(&(struct place){at->index, at->panel, first},
                                                       at->point, column->operand));
        break;
    case COLUMN_IMPROVEMENT:
        write_less(stream, compare_operand_ratio(at, column->fast, column->slow));
        break;
    case COLUMN_RATIO:
        ratio = compare_operand_ratio(at, column->slow, column->fast);
        write_estimate(stream, ratio.value, ratio.interval, 2, "x");
        break;
    case COLUMN_COUNT:
        shown = compare_operand_count(at, column->operand, column->counter);
        write_estimate(stream, shown.mean, shown.interval, shown.mean >= 10 ? 1 : 4, "");
        break;
    case COLUMN_QUERY:
    case COLUMN_QUERIES:
        shown = of_query(column, compare_operand_time(at, column->operand));
        write_estimate(stream, shown.mean, shown.interval, column->kind == COLUMN_QUERY ? 3 : 0,
                       "");
        break;
    case COLUMN_PAPER:
        break;
    }
}

static const char *unit_of_paper(const struct column *column) {
    return column->kind == COLUMN_LESS || column->kind == COLUMN_IMPROVEMENT ? " %"
           : column->kind == COLUMN_RATIO                                    ? "x"
                                                                             : "";
}

/* Returns true if this run may have numbers for the column. It has none for a column of paper's
 * numbers only, and none for operands that need more threads than this machine has cores. */
static bool is_possible(const struct writing *w, const struct column *column) {
    struct point at;
    const char *operands[] = {column->operand, column->slow, column->fast};
    for (size_t i = 0; i < 3; i++)
        if (operands[i] && !panel_operand_point(w->panel, &w->panel->points[0], operands[i], &at))
            return false;
    return column->kind != COLUMN_PAPER;
}

/* Returns true if the paper gives a number in this column for any point of the panel. */
static bool has_papers(const struct writing *w, const struct column *column) {
    for (size_t i = 0; i < w->panel->n_points; i++)
        if (strcmp(reference_text(w->reference, &w->panel->points[i], column->reference), "-") != 0)
            return true;
    return false;
}

/* The least time of a line, here and in the paper. NaN: no time, or none is marked. */
struct least {
    double ours, papers;
};

static void take_least(double *least, double value) {
    if (!isnan(value) && !(*least <= value))
        *least = value;
}

static double papers_number(const struct reference *reference, const struct point *point,
                            const struct column *column) {
    const char *text = reference_text(reference, point, column->reference);
    double value;
    return number_parse_double(text, text + strlen(text), &value) ? value : (double)NAN;
}

static struct least least_times(const struct writing *w, const struct place *at) {
    struct least least = {NAN, NAN};
    for (size_t i = 0; i < w->table->n_columns && w->table->marks; i++) {
        const struct column *column = &w->table->columns[i];
        if (column->kind != COLUMN_TIME)
            continue;
        take_least(&least.ours, compare_operand_time(at, column->operand).mean);
        take_least(&least.papers, papers_number(w->reference, at->point, column));
    }
    return least;
}

static void write_head(const struct writing *w) {
    fprintf(w->stream, "| %s |", axis_title(w->x));
    for (size_t i = 0; i < w->table->n_columns; i++) {
        const struct column *column = &w->table->columns[i];
        bool papers = has_papers(w, column);
        if (papers)
            fprintf(w->stream, " %s, paper |", column->title);
        if (is_possible(w, column))
            fprintf(w->stream, " %s%s |", column->title, papers ? ", here" : "");
    }
    fputs("\n|---:|", w->stream);
    for (size_t i = 0; i < w->table->n_columns; i++) {
        fputs(has_papers(w, &w->table->columns[i]) ? "---:|" : "", w->stream);
        fputs(is_possible(w, &w->table->columns[i]) ? "---:|" : "", w->stream);
    }
    fputs("\n", w->stream);
}

static void write_best_at(const struct writing *w, const char *operand, const struct point *point) {
    const struct place at = {w->index, w->panel, point};
    char variant[ROW_NAME_SIZE];
    struct point any_depth = *point;
    any_depth.depth = 0;
    const char *v = w->reference ? reference_find(w->reference, &any_depth, "v") : NULL;
    if (!compare_operand_variant(&at, operand, variant, sizeof variant))
        return;
    fputs("\nBest here", w->stream);
    if (compare_chooses_by_point(operand))
        fprintf(w->stream, " at %u", point_x(point, w->x));
    fprintf(w->stream, ": `%s`, chosen on trial 0 and timed on the others", variant);
    fprintf(w->stream, v ? ". In the paper: v = %s.\n" : ".\n", v);
}

/* For each column of times of the best variant, writes which variant that is in this run and which
 * v it has in the paper. */
static void write_best(const struct writing *w) {
    for (size_t i = 0; i < w->table->n_columns; i++) {
        const char *operand = w->table->columns[i].operand;
        if (w->table->columns[i].kind != COLUMN_TIME || !strstr(operand, "=best"))
            continue;
        size_t count = compare_chooses_by_point(operand) ? w->panel->n_points : 1;
        for (size_t k = 0; k < count; k++)
            write_best_at(w, operand, &w->panel->points[k]);
    }
}

/* Writes the point's x. If x is the limit of leaves, adds the models' actual depth and number of
 * trees: "10 (depth 5.9, 120 trees)". */
static void write_x(const struct writing *w, const struct point *point) {
    struct report_shape shape = report_shape_at(w->index, point);
    fprintf(w->stream, "| %u", point_x(point, w->x));
    if (w->x == AXIS_MAX_LEAVES && shape.n_rows > 0)
        fprintf(w->stream, " (depth %.1f, %.0f trees)", shape.mean_tree_depth, shape.trees);
    fputs(" |", w->stream);
}

/* Writes the unit of counted events and their source, which is taken from the first counted row. */
static void write_counts_unit(const struct writing *w) {
    for (size_t k = 0; k < w->panel->n_points; k++) {
        struct row_span span = row_index_at(w->index, &w->panel->points[k]);
        for (size_t i = 0; i < span.count; i++) {
            const struct counts *counts = &span.entries[i].row->counts;
            if (counts->documents == 0)
                continue;
            fprintf(w->stream, "\nUnit: per document and tree, by %s", counts->source);
            if (counts->simulated[0])
                fprintf(w->stream,
                        ": **simulated** (%s). The simulation has no cache in between, so the last "
                        "level gets what the first missed",
                        counts->simulated);
            fputs(".\n", w->stream);
            return;
        }
    }
    fputs("\nNothing was counted.\n", w->stream);
}

/* Writes what the panel's numbers are, and what they were measured on. */
static void write_panel_head(const struct writing *w) {
    const struct panel *panel = w->panel;
    if (w->table->has_counts)
        write_counts_unit(w);
    else
        fprintf(w->stream, "\nUnit: %s. Trials: %u. Calls: %s.\n", report_unit(panel),
                report_trials(w->index, panel), report_calls(panel));
    if (strcmp(panel->points[0].barrier, "step") == 0)
        fputs("\nThe threads add up their sums after each step of an implementation. The time of a "
              "step is therefore its latency.\n",
              w->stream);
    report_write_notes(w->stream, w->index, panel);
    write_best(w);
    fputs("\n", w->stream);
    write_head(w);
}

static void write_point(const struct writing *w, const struct point *point) {
    const struct place at = {w->index, w->panel, point};
    struct least least = least_times(w, &at);
    write_x(w, point);
    for (size_t i = 0; i < w->table->n_columns; i++) {
        const struct column *column = &w->table->columns[i];
        if (has_papers(w, column)) {
            const char *text = reference_text(w->reference, point, column->reference);
            const char *mark =
                papers_number(w->reference, point, column) == least.papers ? "**" : "";
            fprintf(w->stream, " %s%s%s%s |", mark, text,
                    strcmp(text, "-") != 0 ? unit_of_paper(column) : "", mark);
        }
        if (!is_possible(w, column))
            continue;
        bool is_least = column->kind == COLUMN_TIME &&
                        compare_operand_time(&at, column->operand).mean == least.ours;
        fputs(is_least ? " **" : " ", w->stream);
        write_ours(w->stream, &at, column);
        fputs(is_least ? "** |" : " |", w->stream);
    }
    fputs("\n", w->stream);
}

static void write_panel(const struct writing *w) {
    fprintf(w->stream, "\n### %s%s%s\n", w->panel->title, w->table->title ? ": " : "",
            w->table->title ? w->table->title : "");
    if (w->panel->n_points == 0) {
        fputs("\nThis machine has too few cores for any of its points.\n", w->stream);
        return;
    }
    write_panel_head(w);
    for (size_t k = 0; k < w->panel->n_points; k++)
        write_point(w, &w->panel->points[k]);
}

static enum status write_table(void *context, const struct artefact *artefact,
                               const struct table *table, const struct reference *reference,
                               struct error *error) {
    (void)error;
    const struct artefact_report *report = context;
    const struct scale *scale = &artefact->scale;
    if (table->machine)
        fprintf(report->stream, "\nThe paper's numbers were measured on %s.\n", table->machine);
    if (table->compares)
        fputs(
            "\nComparisons come from pairs: within a trial the median ratio of samples of the same "
            "round, over trials the geometric mean of these medians. They may therefore differ "
            "from the quotient of the times in the table, mostly if there are few rounds. A "
            "\"more\" or a negative bound means more time.\n",
            report->stream);
    for (size_t p = 0; p < scale->n_panels; p++)
        write_panel(&(struct writing){report->stream, table, report->results, &scale->panels[p],
                                      scale->x, reference});
    return STATUS_OK;
}

enum status report_table(const struct artefact_report *report, struct error *error) {
    fputs("Times are geometric means over trials. With more than one trial, each has its 95 % "
          "interval (Student's t on logarithms). Counts are means.\n",
          report->stream);
    return each_table(report->artefact->name, report->artefact, report->paths->reference,
                      write_table, (void *)report, error);
}

/* --- the paper's numbers as marks in figures -------------------------------------------------- */

static enum status list_papers(void *context, const struct artefact *artefact,
                               const struct table *table, const struct reference *reference,
                               struct error *error) {
    struct papers_times *times = context;
    for (size_t c = 0; reference && c < table->n_columns; c++) {
        const struct column *column = &table->columns[c];
        for (struct spot at = {0};
             column->kind == COLUMN_TIME && scale_next(&artefact->scale, &at);) {
            double value = papers_number(reference, at.point, column);
            if (isnan(value))
                continue;
            if (!memory_grow((void **)&times->list, &times->capacity, times->count,
                             sizeof *times->list))
                return error_memory(error, "the paper's numbers");
            times->list[times->count++] =
                (struct papers_time){at.p, at.i, column->operand, column->title, value};
        }
    }
    return STATUS_OK;
}

enum status report_papers_times(const struct artefact *artefact, const char *reference_folder,
                                struct papers_times *times, struct error *error) {
    *times = (struct papers_times){.count = 0};
    return each_table(artefact->name, artefact, reference_folder, list_papers, times, error);
}
