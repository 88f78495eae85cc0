#include "harness/papers/report_parts.h"

#include "base/files/json.h"
#include "base/number.h"

#include <math.h>
#include <stdlib.h>
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
    const char *reference; /* name of the reference file, or NULL */
    const char *machine;   /* the machine that the paper used, or NULL */
    const char *marks;     /* "least": the least time of each line is bold; or NULL */
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

static enum status table_read(const char *name, const struct artefact *artefact, const cJSON *json,
                              struct table *table, struct error *error) {
    static const char *const keys[] = {"title", "reference", "machine", "marks", "columns", NULL};
    *table = (struct table){.n_columns = 0};
    const cJSON *columns = NULL, *entry;
    if (!json) {
        every_variant(artefact, table);
        return STATUS_OK;
    }
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: table", name);
    if (!cJSON_IsObject(json))
        return error_set(error, STATUS_INPUT, "%s: must be an object", where);
    enum status status = artefact_check_keys(where, json, keys, error);
    if (!status && cJSON_HasObjectItem(json, "title"))
        status = json_get_string(where, json, "title", &table->title, error);
    if (!status && cJSON_HasObjectItem(json, "reference"))
        status = json_get_string(where, json, "reference", &table->reference, error);
    if (!status && cJSON_HasObjectItem(json, "machine"))
        status = json_get_string(where, json, "machine", &table->machine, error);
    if (!status && cJSON_HasObjectItem(json, "marks"))
        status = json_get_string(where, json, "marks", &table->marks, error);
    if (!status && table->marks && strcmp(table->marks, "least") != 0)
        status = error_set(error, STATUS_INPUT, "%s: marks: must be \"least\"", where);
    if (!status && table->reference && strchr(table->reference, '/'))
        status = error_set(error, STATUS_INPUT, "%s: reference: must be a file name without a path",
                           where);
    if (!status)
        status = json_get_array(where, json, "columns", &columns, error);
    cJSON_ArrayForEach(entry, columns) {
        if (!status && table->n_columns == TABLE_COLUMNS_MAX)
            status = error_set(error, STATUS_INPUT, "%s: columns: more than %d", where,
                               TABLE_COLUMNS_MAX);
        if (!status)
            status =
                read_column(where, artefact, entry, &table->columns[table->n_columns++], error);
    }
    return status;
}

enum status report_check_table(const char *name, const struct artefact *artefact,
                               struct error *error) {
    struct table table;
    size_t index = 0;
    enum status status;
    do
        status = table_read(name, artefact, table_json(artefact, index++), &table, error);
    while (!status && table_json(artefact, index));
    return status;
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

static void write_ours(FILE *stream, const struct row_index *index, const struct panel *panel,
                       const struct point *point, const struct column *column) {
    const struct point *first = &panel->points[0];
    struct estimate shown;
    struct ratio ratio;
    switch (column->kind) {
    case COLUMN_TIME:
        shown =
            report_shown(panel, point, compare_operand_time(index, panel, point, column->operand));
        write_estimate(stream, shown.mean, shown.interval, report_digits(panel), "");
        break;
    case COLUMN_LESS:
        if (point == first)
            fputs("-", stream);
        else
            write_less(stream,
                       compare_operand_speedup(index, panel, point, first, column->operand));
        break;
    case COLUMN_IMPROVEMENT:
        write_less(stream, compare_operand_ratio(index, panel, point, column->fast, column->slow));
        break;
    case COLUMN_RATIO:
        ratio = compare_operand_ratio(index, panel, point, column->slow, column->fast);
        write_estimate(stream, ratio.value, ratio.interval, 2, "x");
        break;
    case COLUMN_COUNT:
        shown = compare_operand_count(index, panel, point, column->operand, column->counter);
        write_estimate(stream, shown.mean, shown.interval, shown.mean >= 10 ? 1 : 4, "");
        break;
    case COLUMN_QUERY:
    case COLUMN_QUERIES:
        shown = of_query(column, compare_operand_time(index, panel, point, column->operand));
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
static bool is_possible(const struct panel *panel, const struct column *column) {
    struct point at;
    const char *operands[] = {column->operand, column->slow, column->fast};
    for (size_t i = 0; i < 3; i++)
        if (operands[i] && !panel_operand_point(panel, &panel->points[0], operands[i], &at))
            return false;
    return column->kind != COLUMN_PAPER;
}

/* Returns true if the paper gives a number in this column for any point of the panel. */
static bool has_papers(const struct reference *reference, const struct panel *panel,
                       const struct column *column) {
    for (size_t i = 0; reference && column->reference && i < panel->n_points; i++) {
        const char *text = reference_find(reference, &panel->points[i], column->reference);
        if (text && strcmp(text, "-") != 0)
            return true;
    }
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
    const char *text =
        reference && column->reference ? reference_find(reference, point, column->reference) : NULL;
    double value;
    return text && number_parse_double(text, text + strlen(text), &value) ? value : (double)NAN;
}

static struct least least_times(const struct table *table, const struct row_index *index,
                                const struct panel *panel, const struct point *point,
                                const struct reference *reference) {
    struct least least = {NAN, NAN};
    for (size_t i = 0; i < table->n_columns && table->marks; i++) {
        const struct column *column = &table->columns[i];
        if (column->kind != COLUMN_TIME)
            continue;
        take_least(&least.ours, compare_operand_time(index, panel, point, column->operand).mean);
        take_least(&least.papers, papers_number(reference, point, column));
    }
    return least;
}

static bool is_least(const struct row_index *index, const struct panel *panel,
                     const struct point *point, const struct column *column, double least) {
    return column->kind == COLUMN_TIME &&
           compare_operand_time(index, panel, point, column->operand).mean == least;
}

static void write_papers(FILE *stream, const struct reference *reference, const struct point *point,
                         const struct column *column, double least) {
    const char *text = reference_find(reference, point, column->reference);
    const char *mark = papers_number(reference, point, column) == least ? "**" : "";
    fprintf(stream, " %s%s%s%s |", mark, text ? text : "-",
            text && strcmp(text, "-") != 0 ? unit_of_paper(column) : "", mark);
}

static void write_head(FILE *stream, const struct table *table, const struct panel *panel,
                       enum axis x, const struct reference *reference) {
    fprintf(stream, "| %s |", axis_title(x));
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        bool papers = has_papers(reference, panel, column);
        if (papers)
            fprintf(stream, " %s, paper |", column->title);
        if (is_possible(panel, column))
            fprintf(stream, " %s%s |", column->title, papers ? ", here" : "");
    }
    fputs("\n|---:|", stream);
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct column *column = &table->columns[i];
        fputs(has_papers(reference, panel, column) ? "---:|" : "", stream);
        fputs(is_possible(panel, column) ? "---:|" : "", stream);
    }
    fputs("\n", stream);
}

/* For each column of times of the best variant, writes which variant that is in this run and which
 * v it has in the paper. */
static void write_best(FILE *stream, const struct table *table, const struct row_index *index,
                       const struct panel *panel, const struct reference *reference) {
    for (size_t i = 0; i < table->n_columns; i++) {
        const char *operand = table->columns[i].operand;
        char variant[ROW_NAME_SIZE];
        if (table->columns[i].kind != COLUMN_TIME || !strstr(operand, "=best") ||
            !compare_operand_variant(index, panel, operand, variant, sizeof variant))
            continue;
        struct point any_depth = panel->points[0];
        any_depth.depth = 0;
        const char *v = reference ? reference_find(reference, &any_depth, "v") : NULL;
        fprintf(stream, "\nBest here: `%s`, chosen on trial 0 and timed on the others", variant);
        fprintf(stream, v ? ". In the paper: v = %s.\n" : ".\n", v);
    }
}

/* Writes the point's x. If x is the limit of leaves, adds the models' actual depth and number of
 * trees: "10 (depth 5.9, 120 trees)". */
static void write_x(FILE *stream, const struct row_index *index, const struct point *point,
                    enum axis x) {
    struct report_shape shape = report_shape_at(index, point);
    fprintf(stream, "| %u", point_x(point, x));
    if (x == AXIS_MAX_LEAVES && shape.n_rows > 0)
        fprintf(stream, " (depth %.1f, %.0f trees)", shape.mean_tree_depth, shape.trees);
    fputs(" |", stream);
}

/* Writes the unit of counted events and their source, which is taken from the first counted row. */
static void write_counts_unit(FILE *stream, const struct row_index *index,
                              const struct panel *panel) {
    for (size_t k = 0; k < panel->n_points; k++) {
        struct row_span span = row_index_at(index, &panel->points[k]);
        for (size_t i = 0; i < span.count; i++) {
            const struct counts *counts = &span.entries[i].row->counts;
            if (counts->documents > 0) {
                fprintf(stream, "\nUnit: per document and tree, by %s", counts->source);
                if (counts->simulated[0])
                    fprintf(stream,
                            ": **simulated** (%s). The simulation has no cache in between, so the "
                            "last level gets what the first missed",
                            counts->simulated);
                fputs(".\n", stream);
                return;
            }
        }
    }
    fputs("\nNothing was counted.\n", stream);
}

static bool has_counts(const struct table *table) {
    bool has = false;
    for (size_t i = 0; i < table->n_columns; i++)
        has |= table->columns[i].kind == COLUMN_COUNT;
    return has;
}

static void write_panel(FILE *stream, const struct table *table, const struct row_index *index,
                        const struct panel *panel, enum axis x, const struct reference *reference) {
    fprintf(stream, "\n### %s%s%s\n", panel->title, table->title ? ": " : "",
            table->title ? table->title : "");
    if (panel->n_points == 0) {
        fputs("\nThis machine has too few cores for any of its points.\n", stream);
        return;
    }
    if (has_counts(table))
        write_counts_unit(stream, index, panel);
    else
        fprintf(stream, "\nUnit: %s. Trials: %u. Calls: %s.\n", report_unit(panel),
                report_trials(index, panel), report_calls(panel));
    if (strcmp(panel->points[0].barrier, "step") == 0)
        fputs("\nThe threads add up their sums after each step of an implementation. The time of a "
              "step "
              "is therefore its latency.\n",
              stream);
    report_write_notes(stream, index, panel);
    write_best(stream, table, index, panel, reference);
    fputs("\n", stream);
    write_head(stream, table, panel, x, reference);
    for (size_t k = 0; k < panel->n_points; k++) {
        const struct point *point = &panel->points[k];
        struct least least = least_times(table, index, panel, point, reference);
        write_x(stream, index, point, x);
        for (size_t i = 0; i < table->n_columns; i++) {
            if (has_papers(reference, panel, &table->columns[i]))
                write_papers(stream, reference, point, &table->columns[i], least.papers);
            if (!is_possible(panel, &table->columns[i]))
                continue;
            const char *mark =
                is_least(index, panel, point, &table->columns[i], least.ours) ? "**" : "";
            fprintf(stream, " %s", mark);
            write_ours(stream, index, panel, point, &table->columns[i]);
            fprintf(stream, "%s |", mark);
        }
        fputs("\n", stream);
    }
}

/* Returns true if a column of the table compares two variants. */
static bool compares(const struct table *table) {
    for (size_t i = 0; i < table->n_columns; i++)
        if (table->columns[i].slow)
            return true;
    return false;
}

static enum status write_table(FILE *stream, const struct table *table, const struct scale *scale,
                               const struct row_index *index, const char *reference_folder,
                               struct error *error) {
    struct reference *reference = NULL;
    enum status status = STATUS_OK;
    if (table->reference) {
        char path[2 * ROW_PATH_SIZE];
        snprintf(path, sizeof path, "%s/%s", reference_folder, table->reference);
        status = reference_read(path, &reference, error);
    }
    if (status)
        return status;
    if (table->machine)
        fprintf(stream, "\nThe paper's numbers were measured on %s.\n", table->machine);
    if (compares(table))
        fputs(
            "\nComparisons come from pairs: within a trial the median ratio of samples of the same "
            "round, over trials the geometric mean of these medians. They may therefore differ "
            "from "
            "the quotient of the times in the table, mostly if there are few rounds. A \"more\" or "
            "a negative bound means more time.\n",
            stream);
    for (size_t p = 0; p < scale->n_panels; p++)
        write_panel(stream, table, index, &scale->panels[p], scale->x, reference);
    reference_free(reference);
    return STATUS_OK;
}

enum status report_table(FILE *stream, const struct artefact *artefact,
                         const struct row_index *index, const char *reference_folder,
                         struct error *error) {
    struct table table;
    size_t number = 0;
    enum status status;
    fputs("Times are geometric means over trials. With more than one trial, each has its 95 % "
          "interval (Student's t on logarithms). Counts are means.\n",
          stream);
    do {
        status =
            table_read(artefact->name, artefact, table_json(artefact, number++), &table, error);
        if (!status)
            status = write_table(stream, &table, &artefact->scale, index, reference_folder, error);
    } while (!status && table_json(artefact, number));
    return status;
}

/* --- the paper's numbers as marks in figures ---------------------------------------------------
 */

static void tell_papers_column(const struct artefact *artefact, const struct reference *reference,
                               const struct column *column, papers_time_function *tell,
                               void *context) {
    for (size_t p = 0; p < artefact->scale.n_panels; p++)
        for (size_t i = 0; i < artefact->scale.panels[p].n_points; i++) {
            const char *text =
                reference_find(reference, &artefact->scale.panels[p].points[i], column->reference);
            double value;
            if (text && number_parse_double(text, text + strlen(text), &value))
                tell(context, &(struct papers_time){p, i, column->operand, column->title, value});
        }
}

static enum status tell_papers_table(const struct artefact *artefact, const struct table *table,
                                     const char *reference_folder, papers_time_function *tell,
                                     void *context, struct error *error) {
    char path[2 * ROW_PATH_SIZE];
    struct reference *reference = NULL;
    if (!table->reference)
        return STATUS_OK;
    snprintf(path, sizeof path, "%s/%s", reference_folder, table->reference);
    enum status status = reference_read(path, &reference, error);
    for (size_t i = 0; !status && i < table->n_columns; i++)
        if (table->columns[i].kind == COLUMN_TIME && table->columns[i].reference)
            tell_papers_column(artefact, reference, &table->columns[i], tell, context);
    reference_free(reference);
    return status;
}

enum status report_papers_times(const struct artefact *artefact, const char *reference_folder,
                                papers_time_function *tell, void *context, struct error *error) {
    struct table table;
    size_t number = 0;
    enum status status;
    do {
        status =
            table_read(artefact->name, artefact, table_json(artefact, number++), &table, error);
        if (!status)
            status = tell_papers_table(artefact, &table, reference_folder, tell, context, error);
    } while (!status && table_json(artefact, number));
    return status;
}
