/* Judges every claim of configs/ on the paper's own numbers. A paper must pass its own claims,
 * except those with the key "open", which its numbers must leave open. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "harness/artefacts/grid.h"
#include "harness/judge/claims.h"
#include "harness/judge/compare.h"
#include "harness/papers/quality_parts.h"
#include "harness/papers/report_parts.h"
#include "harness/papers/sizes_parts.h"
#include "harness/tuning/blocking.h"
#include "tests/harness/caches/paper.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

/* Numbers for artefacts whose tables show no reference. */
static const struct source {
    const char *artefact, *file, *operand, *column;
} sources[] = {
    {"asadi2012-fig2", "asadi2012-table2.csv", "vpred-heap,v=best", "vpred"},
    {"asadi2012-fig2", "asadi2012-table2.csv", "vpred-heap,v=1", "pred"},
    {"asadi2014-fig3", "asadi2014-table2.csv", "vpred,v=best", "vpred"},
    {"asadi2014-fig3", "asadi2014-table2.csv", "vpred,v=1", "pred"},
    /* v = 16 is the best of 128 and 512 features, and the paper unrolls all levels (section 3) */
    {"asadi2014-fig3", "asadi2014-table2.csv", "vpred,unroll=full,v=16", "vpred"},
    {"asadi2014-table2", "asadi2014-table2.csv", "vpred,unroll=full,v=16", "vpred"},
};

enum { TRIALS = 3, COUNTED_DOCUMENTS = 1000000, QUERIES = 100, QUALITY_PANELS = 4, LEAVES = 5 };

/* --- rows from the paper's numbers ------------------------------------------------------------ */

struct paper {
    struct artefact artefact;
    struct reference *reference;
    struct made_up made;
    double (*of_queries)[LEAVES][QUALITY_RANKS][QUERIES]; /* of each panel of a quality artefact */
};

/* Returns the number at the start of "76.7 (5.0)", or NaN. */
static double parse(const char *text) {
    double value;
    return text && number_parse_double(text, text + strcspn(text, " "), &value) ? value
                                                                                : (double)NAN;
}

static double number_at(const struct paper *paper, const struct point *point, const char *column) {
    return parse(reference_find(paper->reference, point, column));
}

static struct row *row_at(struct made_up *made, const struct point *point, const char *variant,
                          uint32_t trial) {
    for (size_t i = 0; i < made->rows.count; i++) {
        struct row *row = &made->rows.list[i];
        struct point at = point_of_row(row);
        if (row->workload.trial == trial && point_equal(&at, point) &&
            strcmp(row_variant(row).text, variant) == 0)
            return row;
    }
    struct row *row = made_up_add(made, point->depth, point->features, trial, variant, 1);
    struct workload *w = &row->workload;
    snprintf(w->kind, sizeof w->kind, "%s", point->kind);
    snprintf(w->data, sizeof w->data, "%s", point->data);
    snprintf(row->parallel, sizeof row->parallel, "%s", point->parallel);
    snprintf(row->barrier, sizeof row->barrier, "%s", point->barrier);
    snprintf(row->passes, sizeof row->passes, "%s", point->passes);
    w->trees = row->model_trees = point->trees;
    w->max_leaves = point->max_leaves;
    w->patience = point->patience;
    row->threads = point->threads;
    snprintf(row->cell, sizeof row->cell, "%.16s %.16s %u %u %u %u %u %.3s %u", point->kind,
             point->data, point->depth, point->features, point->trees, point->max_leaves,
             point->threads, point->parallel, trial);
    return row;
}

static void set_time(struct row *row, double ns) {
    row->median = row->mean = ns;
    row->median_interval = (struct interval){ns, ns};
    for (size_t i = 0; i < row->samples.count; i++)
        row->samples.cpu[i] = row->samples.wall[i] = ns;
}

/* Returns the variant of an operand. The best v is the one of the paper. */
static void find_variant(const struct paper *paper, const struct panel *panel,
                         const struct point *point, const char *operand, char *variant) {
    const char *best = strstr(operand, "v=best");
    panel_variant(panel, operand, variant, ROW_NAME_SIZE);
    if (best)
        snprintf(variant, ROW_NAME_SIZE, "%.*sv=%.0f", (int)(best - operand), operand,
                 number_at(paper, point, "v"));
}

static void add_time(struct paper *paper, const struct panel *panel, const struct point *point,
                     const char *operand, double ns) {
    char variant[ROW_NAME_SIZE];
    struct point at;
    if (isnan(ns) || compare_chooses_by_point(operand) ||
        !panel_operand_point(panel, point, operand, &at))
        return;
    find_variant(paper, panel, point, operand, variant);
    for (uint32_t trial = 0; trial < TRIALS; trial++)
        set_time(row_at(&paper->made, &at, variant, trial), ns);
}

static double ns_of(const struct panel *panel, const struct point *point, double shown) {
    return panel->show == SHOW_THROUGHPUT                    ? 1e9 / shown
           : panel->show == SHOW_PER_TREE                    ? shown * point->trees
           : strcmp(panel->points[0].kind, "synthetic") == 0 ? shown
                                                             : 1000 * shown;
}

static void add_count(struct paper *paper, const struct panel *panel, const struct point *point,
                      const char *operand, enum counter counter, double per_tree) {
    char variant[ROW_NAME_SIZE];
    struct point at;
    if (isnan(per_tree) || !panel_operand_point(panel, point, operand, &at))
        return;
    find_variant(paper, panel, point, operand, variant);
    for (uint32_t trial = 0; trial < TRIALS; trial++) {
        struct counts *counts = &row_at(&paper->made, &at, variant, trial)->counts;
        counts->documents = COUNTED_DOCUMENTS;
        counts->values[counter] = (struct counter_value){
            .valid = true, .value = (uint64_t)llround(per_tree * COUNTED_DOCUMENTS * point->trees)};
    }
}

static const char *text_of(const cJSON *column, const char *key) {
    return cJSON_GetStringValue(cJSON_GetObjectItem(column, key));
}

static void add_column_at(struct paper *paper, const struct panel *panel, const struct point *point,
                          const cJSON *column) {
    const char *time = text_of(column, "time"), *count = text_of(column, "count");
    const char *less = text_of(column, "less"), *name = text_of(column, "reference");
    if (!name)
        return;
    double number = number_at(paper, point, name);
    if (time)
        add_time(paper, panel, point, time, ns_of(panel, point, number));
    if (count)
        add_count(paper, panel, point, count, counter_find(text_of(column, "counter")), number);
    if (less && !isnan(number)) {
        add_time(paper, panel, &panel->points[0], less, 1000);
        add_time(paper, panel, point, less, 1000 * (1 - number / 100));
    }
}

static void read_reference(struct paper *paper, const char *file) {
    char path[256];
    struct error error;
    snprintf(path, sizeof path, "results/reference/%s", file);
    if (reference_read(path, &paper->reference, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static void forget_reference(struct paper *paper) {
    reference_free(paper->reference);
    paper->reference = NULL;
}

static void add_table(struct paper *paper, const cJSON *table) {
    const struct scale *scale = &paper->artefact.scale;
    const char *file = text_of(table, "reference");
    const cJSON *column;
    if (!file)
        return;
    read_reference(paper, file);
    cJSON_ArrayForEach(column, cJSON_GetObjectItem(table, "columns")) {
        for (size_t p = 0; p < scale->n_panels; p++)
            for (size_t i = 0; i < scale->panels[p].n_points; i++)
                add_column_at(paper, &scale->panels[p], &scale->panels[p].points[i], column);
    }
    forget_reference(paper);
}

static void add_source(struct paper *paper, const struct source *source) {
    const struct scale *scale = &paper->artefact.scale;
    read_reference(paper, source->file);
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++) {
            const struct point *point = &scale->panels[p].points[i];
            add_time(paper, &scale->panels[p], point, source->operand,
                     ns_of(&scale->panels[p], point, number_at(paper, point, source->column)));
        }
    forget_reference(paper);
}

static void add_all(struct paper *paper) {
    const cJSON *json = paper->artefact.json, *table;
    add_table(paper, cJSON_GetObjectItem(json, "table"));
    cJSON_ArrayForEach(table, cJSON_GetObjectItem(json, "tables")) {
        add_table(paper, table);
    }
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (strcmp(sources[i].artefact, paper->artefact.name) == 0)
            add_source(paper, &sources[i]);
}

/* --- verdicts --------------------------------------------------------------------------------- */

struct tally {
    size_t claims, wrong;
};

static void check_verdict(const char *artefact, const struct claim_result *judged,
                          struct tally *tally) {
    bool is_open = judged->open[0] != '\0';
    bool is_right =
        is_open ? judged->verdict == VERDICT_UNRESOLVED || judged->verdict == VERDICT_NOT_MEASURED
                : judged->verdict == VERDICT_HELD;
    tally->claims++;
    tally->wrong += !is_right;
    if (!is_right)
        print_message("%s, %s is %s on the paper's own numbers: %s. Its config says that they %s. "
                      "Correct the claim. If the paper prints too few numbers, say so by the "
                      "key \"open\"\n",
                      artefact, judged->id, verdict_names[judged->verdict], judged->measured,
                      is_open ? "leave it open" : "hold it");
}

/* Claims of quality that are tests over queries. The paper prints their results as marks in Table
 * 3: '+' means better than the fewest leaves of the data set, and '*' better than the second. */
static bool is_marked(const cJSON *claim) {
    const char *kind = text_of(claim, "kind");
    return strcmp(kind, "deeper_better") == 0 || strcmp(kind, "none_differ") == 0;
}

/* Table II prints the range of all forests of a data set, but not which has which accuracy. */
static bool compares_forests(const cJSON *claim) {
    const char *kind = text_of(claim, "kind");
    return strcmp(kind, "single_lower") == 0 || strcmp(kind, "deep_best") == 0;
}

static bool lists_pair(const cJSON *claim, const struct panel *panel, size_t a, size_t b) {
    const cJSON *pairs = cJSON_GetObjectItem(claim, "pairs"), *item;
    cJSON_ArrayForEach(item, pairs) {
        if (cJSON_GetArrayItem(item, 0)->valueint == (int)panel->points[a].max_leaves &&
            cJSON_GetArrayItem(item, 1)->valueint == (int)panel->points[b].max_leaves)
            return true;
    }
    return !pairs && (strcmp(text_of(claim, "kind"), "none_differ") == 0 ||
                      (a == 0 && b == panel->n_points - 1));
}

static bool lists_name(const cJSON *claim, const char *key, const char *name) {
    const cJSON *names = cJSON_GetObjectItem(claim, key), *item;
    cJSON_ArrayForEach(item, names) {
        if (strcmp(item->valuestring, name) == 0)
            return true;
    }
    return !names;
}

/* Compares the marks of point b against those that the claim says. Returns how many there are. */
static size_t check_pair(const struct paper *paper, const cJSON *claim, const struct panel *panel,
                         size_t a, size_t b) {
    bool wants_mark = strcmp(text_of(claim, "kind"), "deeper_better") == 0;
    const char *marks = a == 0 ? "+" : a == 1 ? "*" : "+*";
    size_t checked = 0;
    assert_true(a < 2 || !wants_mark); /* the paper has no mark for it */
    for (size_t r = 0; r < QUALITY_RANKS; r++) {
        char name[16];
        snprintf(name, sizeof name, "ndcg_%s", quality_ranks[r]);
        const char *text = reference_find(paper->reference, &panel->points[b], name);
        if (!text || !lists_name(claim, "ranks", quality_ranks[r]))
            continue; /* asadi2012 prints three of the ranks */
        assert_true(parse(text) > 0);
        if ((strpbrk(text, marks) != NULL) != wants_mark)
            fail_msg("%s, %s: %s at %u leaves is %s", paper->artefact.name, text_of(claim, "id"),
                     name, panel->points[b].max_leaves, text);
        checked++;
    }
    return checked;
}

static void check_marks(const struct paper *paper, const cJSON *claim) {
    const struct scale *scale = &paper->artefact.scale;
    size_t checked = 0;
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        for (size_t b = 1; b < panel->n_points && lists_name(claim, "panels", panel->title); b++)
            for (size_t a = 0; a < b; a++)
                if (lists_pair(claim, panel, a, b))
                    checked += check_pair(paper, claim, panel, a, b);
    }
    assert_true(checked > 0);
}

/* Makes a forest of the paper's lowest accuracy at the first depth of a panel, and one of its
 * highest at each other depth. */
static struct quality make_forest(const struct paper *paper, const struct panel *panel, size_t i) {
    double accuracy =
        number_at(paper, &panel->points[i], i == 0 ? "accuracy_low" : "accuracy_high");
    double rows = number_at(paper, &panel->points[i], "test_rows");
    return (struct quality){.workload =
                                grid_workload(&paper->artefact, panel, &panel->points[i], 0),
                            .trees = 1, /* votes and shares are not compared */
                            .test = {(uint64_t)rows, 0},
                            .right = (uint64_t)round(accuracy * rows)};
}

/* Every query of the model has the NDCG that the paper prints. */
static void set_ndcg(const struct paper *paper, const struct point *point,
                     double of_queries[QUALITY_RANKS][QUERIES], struct quality *model) {
    for (size_t r = 0; r < QUALITY_RANKS; r++) {
        char name[16];
        snprintf(name, sizeof name, "ndcg_%s", quality_ranks[r]);
        model->ndcg[r] = number_at(paper, point, name);
        for (size_t q = 0; q < QUERIES; q++)
            of_queries[r][q] = model->ndcg[r];
    }
    model->test.queries = QUERIES;
    model->of_queries = of_queries[0];
}

/* Makes one model per fold of each point that the paper prints. */
static struct json_list make_models(const struct paper *paper) {
    const struct scale *scale = &paper->artefact.scale;
    struct quality *list = calloc((size_t)PANELS_MAX * PANEL_POINTS_MAX * TRIALS, sizeof *list);
    struct json_list models = {list, 0, 0};
    assert_non_null(list);
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++) {
            const struct panel *panel = &scale->panels[p];
            if (kind_is_forest(panel->points[i].kind)) {
                if (!isnan(number_at(paper, &panel->points[i], "test_rows")))
                    list[models.count++] = make_forest(paper, panel, i);
                continue;
            }
            const struct point *point = &panel->points[i];
            double examined = number_at(paper, point, "examined");
            if (!reference_find(paper->reference, point, "paper"))
                continue;
            for (uint32_t fold = 0; fold < TRIALS && fold < panel->trials; fold++) {
                struct quality *model = &list[models.count++];
                *model = (struct quality){.workload =
                                              grid_workload(&paper->artefact, panel, point, fold),
                                          .examined = examined / 100};
                set_ndcg(paper, point, paper->of_queries[p][i], model);
            }
        }
    return models;
}

static void judge_quality(struct paper *paper, struct tally *tally) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    read_reference(paper, text_of(cJSON_GetObjectItem(paper->artefact.json, "table"), "reference"));
    paper->of_queries = calloc(QUALITY_PANELS, sizeof *paper->of_queries);
    assert_non_null(paper->of_queries);
    struct json_list models = make_models(paper);
    if (claims_judge(paper->artefact.name, &paper->artefact, &models, &judged, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++) {
        const cJSON *claim =
            cJSON_GetArrayItem(cJSON_GetObjectItem(paper->artefact.json, "claims"), (int)i);
        if (is_marked(claim))
            check_marks(paper, claim);
        else if (compares_forests(claim))
            assert_true(judged[i].open[0]);
        else
            check_verdict(paper->artefact.name, &judged[i], tally);
    }
    free(judged);
    free(models.list);
    free(paper->of_queries);
    forget_reference(paper);
}

/* The machines of Table III, as gcc names them, and the reference's columns. */
static const struct {
    const char *compiler, *machine, *column;
} machines[] = {{"gcc", "x86_64", "intel"},
                {"powerpc-linux-gnu-gcc", "powerpc", "ppc"},
                {"arm-linux-gnueabihf-gcc", "arm", "arm"}};

static struct json_list make_sizes(const struct paper *paper) {
    const struct scale *scale = &paper->artefact.scale;
    struct code_size *list = calloc((size_t)PANELS_MAX * PANEL_POINTS_MAX * 3, sizeof *list);
    struct json_list sizes = {list, 0, 0};
    assert_non_null(list);
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++)
            for (size_t m = 0; m < 3; m++) {
                const struct panel *panel = &scale->panels[p];
                struct code_size *size = &list[sizes.count++];
                size->subject = sizes_subject(&paper->artefact, panel, &panel->points[i]);
                size->code = number_at(paper, &panel->points[i], machines[m].column);
                strcpy(size->compiler, machines[m].compiler);
                strcpy(size->machine, machines[m].machine);
                assert_true(size->code > 0 || scale_is_synthetic(scale));
            }
    return sizes;
}

static void judge_sizes(struct paper *paper, struct tally *tally) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    read_reference(paper, text_of(cJSON_GetObjectItem(paper->artefact.json, "table"), "reference"));
    struct json_list sizes = make_sizes(paper);
    if (claims_judge(paper->artefact.name, &paper->artefact, &sizes, &judged, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        check_verdict(paper->artefact.name, &judged[i], tally);
    free(judged);
    free(sizes.list);
    forget_reference(paper);
}

/* Returns the case that guided sampling selects (section 5.2). */
static const char *selected(const struct point *point) {
    bool is_ms = strcmp(point->data, "mslr-web30k") == 0;
    return is_ms && point->max_leaves == 10 ? "SDS2D2" : "DSD2";
}

/* The searches of Table 5 on its AMD machine. blocking_pays is judged on Table 4 elsewhere
 * (test_blocking_claims.c), because Table 5 has no times of DS. */
static void judge_blocking(struct paper *paper, struct tally *tally) {
    const struct scale *scale = &paper->artefact.scale;
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    struct blocking_choice list[PAPER_WORKLOADS] = {{.origin = 0}};
    struct json_list choices = {list, 0, 0};
    read_reference(paper, text_of(cJSON_GetObjectItem(paper->artefact.json, "table"), "reference"));
    for (size_t p = 0; p < scale->n_panels; p++)
        for (size_t i = 0; i < scale->panels[p].n_points; i++) {
            const struct point *point = &scale->panels[p].points[i];
            const struct blocking_problem problem = paper_problem(choices.count, 0.3);
            struct blocking_choice *choice = &list[choices.count++];
            choice->workload = grid_workload(&paper->artefact, &scale->panels[p], point, 0);
            strcpy(choice->spec, paper->artefact.variants[0]);
            double share = number_at(paper, point, "error_amd") / 100;
            choice->error = (struct ratio){share, {share, share}};
            choice->ds = (struct ratio){2, {2, 2}};
            const char *best = reference_find(paper->reference, point, "best_amd");
            snprintf(choice->best, sizeof choice->best, "%s", best);
            snprintf(choice->guided, sizeof choice->guided, "%s", selected(point));
            choice->proposition =
                blocking_judge_proposition(&problem, true, range_case_find(best), &choice->error);
        }
    if (claims_judge(paper->artefact.name, &paper->artefact, &choices, &judged, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++)
        check_verdict(paper->artefact.name, &judged[i], tally);
    free(judged);
    forget_reference(paper);
}

static void judge_times(struct paper *paper, struct tally *tally) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    add_all(paper);
    if (claims_judge(paper->artefact.name, &paper->artefact, made_up_index(&paper->made), &judged,
                     &count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        check_verdict(paper->artefact.name, &judged[i], tally);
    free(judged);
}

static void the_papers_pass_their_own_claims(void **state) {
    (void)state;
    char **paths = NULL;
    size_t count = 0;
    struct error error = {""};
    struct tally tally = {.claims = 0};
    assert_int_equal(artefact_find("configs", NULL, &paths, &count, &error), STATUS_OK);
    for (size_t i = 0; i < count; i++) {
        struct paper paper = {.reference = NULL};
        if (artefact_open(paths[i], "full", &paper.artefact, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        if (strcmp(paper.artefact.kind->measure, "quality") == 0)
            judge_quality(&paper, &tally);
        else if (strcmp(paper.artefact.kind->measure, "code-size") == 0)
            judge_sizes(&paper, &tally);
        else if (strcmp(paper.artefact.kind->measure, "blocking") == 0)
            judge_blocking(&paper, &tally);
        else if (paper.artefact.kind->is_timed)
            judge_times(&paper, &tally);
        made_up_free(&paper.made);
        artefact_free(&paper.artefact);
    }
    artefact_free_paths(paths, count);
    if (tally.wrong > 0)
        fail_msg("%zu of %zu claims", tally.wrong, tally.claims);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_papers_pass_their_own_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
