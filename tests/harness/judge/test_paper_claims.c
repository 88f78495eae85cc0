/* Judges every claim of configs/ on the paper's own numbers. A paper must pass its own claims. The
 * claims of which this is not true are listed in `exceptions`, each with its reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/number.h"
#include "harness/artefacts/grid.h"
#include "harness/judge/claims.h"
#include "harness/papers/quality_parts.h"
#include "harness/papers/report_parts.h"
#include "harness/papers/sizes_parts.h"
#include "harness/tuning/blocking.h"
#include "harness/tuning/blocking_artefact.h"
#include "tests/harness/blocking/paper.h"
#include "tests/harness/rows/made_up_rows.h"

#include <math.h>

/* A claim that the paper's own numbers leave open. `says` is part of the judgement. No claim may
 * fail on them. */
static const struct exception {
    const char *artefact, *claim, *says, *reason;
} exceptions[] = {
#define FIGURE_ONLY "printed as a figure, without numbers"
#define PARTLY "only CODEGEN and PRED are printed as numbers (Table 2); none of them contradicts"
#define BEST_ONLY                                                                                  \
    "Table 2 prints the best v only, and the caption of Fig. 3 equates v = 1 with PRED"
    {"asadi2012-fig1", "object-slowest-but-for-pred", "no numbers", FIGURE_ONLY},
    {"asadi2012-fig1", "object-slower-than-pred", "no numbers", FIGURE_ONLY},
    {"asadi2012-fig1", "codegen-beats-all-many-features", "open at 10", PARTLY},
    {"asadi2012-fig1", "struct-plus-equals-struct-shallow", "no numbers", FIGURE_ONLY},
    {"asadi2012-fig1", "struct-plus-beats-struct-deep", "no numbers", FIGURE_ONLY},
    {"asadi2012-fig1", "pred-slowest-many-features", "open at 5", PARTLY},
    {"asadi2012-fig1", "memory-wall", "no times", FIGURE_ONLY},
    {"asadi2012-fig2", "best-v-grows", "f = 128: vpred-heap,v=16", BEST_ONLY},
    {"asadi2012-fig2", "large-v-flat", "no numbers", FIGURE_ONLY},
    {"asadi2012-table2", "vpred-fastest", "open at 15", PARTLY},
#define FIG3 "Fig. 3 has no numbers; the text prints CODEGEN and VPRED on MSLR at 50 leaves only"
    {"asadi2012-fig3", "object-slowest", "no numbers", FIG3},
    {"asadi2012-fig3", "struct-plus-near-struct-letor", "no numbers", FIG3},
    {"asadi2012-fig3", "struct-plus-beats-struct", "no numbers", FIG3},
    {"asadi2012-fig3", "vpred-fastest", "open at 4", FIG3},
    {"asadi2012-fig3", "codegen-beats-vpred-letor", "no numbers", FIG3},
#define NO_OHSUMED "OHSUMED is not in the paper; the paper's own data sets pass"
    {"asadi2012-table4", "most-features", "MSLR: 93 to 96 %", NO_OHSUMED},

    {"jin2016-fig5", "blocks-beat-single", "no numbers", FIGURE_ONLY},
    {"jin2016-fig5", "too-large-blocks", "no numbers", FIGURE_ONLY},
    {"jin2016-fig6", "m-flat", "no numbers", FIGURE_ONLY},
    {"jin2016-fig7", "n-matters", "no numbers", FIGURE_ONLY},
    {"jin2016-fig7", "n-flat", "no numbers", FIGURE_ONLY},
    {"jin2016-fig5-misses", "misses-follow", "fewer than 4", FIGURE_ONLY},
    {"jin2016-kernels", "blocks-pay-for-struct-plus", "no numbers",
     "not a claim of the paper: what its blocks give implementations of today"},
    {"jin2016-fig8", "partition-matters", "no numbers", FIGURE_ONLY},

    {"asadi2014-table2", "vpred-fastest", "open at 15", PARTLY},
    {"asadi2014-fig2", "deeper-is-slower", "open at 12", PARTLY},
    {"asadi2014-fig2", "object-slowest-mostly", "no numbers", FIGURE_ONLY},
    {"asadi2014-fig2", "codegen-beats-pointers", "no numbers", FIGURE_ONLY},
    {"asadi2014-fig2", "codegen-beats-all-many-features", "open at 10", PARTLY},
    {"asadi2014-fig2", "struct-plus-equals-struct-shallow", "no numbers", FIGURE_ONLY},
    {"asadi2014-fig2", "struct-plus-beats-struct-deep", "no numbers", FIGURE_ONLY},
    {"asadi2014-fig2", "pred-equals-structs-128", "no numbers", FIGURE_ONLY},
    {"asadi2014-fig2", "pred-slowest-many-features", "open at 5", PARTLY},
    {"asadi2014-fig2", "memory-wall", "no times", FIGURE_ONLY},
#define AGED "the same claim as without 'aged', on another heap"
    {"asadi2014-fig2", "struct-plus-equals-struct-shallow-aged", "no numbers", AGED},
    {"asadi2014-fig2", "struct-plus-beats-struct-deep-aged", "no numbers", AGED},
#define DEPTH_FIRST "the same claim as without 'depth-first', in the layout of the authors' program"
    {"asadi2014-fig2", "struct-plus-beats-struct-deep-depth-first", "no numbers", DEPTH_FIRST},
    {"asadi2014-dummy-feature", "a-dummy-feature-breaks-the-symmetry", "no times",
     "section 5.2 suggests a dummy feature and prints no measurement of it"},
    {"asadi2014-fig3", "best-v-grows", "f = 128: vpred,v=16", BEST_ONLY},
    {"asadi2014-fig3", "large-v-flat", "no numbers", FIGURE_ONLY},

#define FIG4 "Fig. 4 has no numbers; section 6 prints CODEGEN and VPRED on C14 at 150 leaves only"
    {"asadi2014-fig4", "object-slowest", "no numbers", FIG4},
    {"asadi2014-fig4", "struct-plus-near-struct-letor", "no numbers", FIG4},
    {"asadi2014-fig4", "struct-plus-beats-struct", "no numbers", FIG4},
    {"asadi2014-fig4", "codegen-leads-letor", "no numbers", FIG4},
    {"asadi2014-fig4", "codegen-beats-vpred-letor", "no numbers", FIG4},
    {"asadi2014-fig4", "codegen-lead-shrinks", "no times", FIG4},
    {"asadi2014-fig4", "vpred-fastest", "open at 7", FIG4},
    {"asadi2014-fig4", "struct-plus-near-struct-letor-aged", "no numbers", AGED},
    {"asadi2014-fig4", "struct-plus-beats-struct-aged", "no numbers", AGED},
    {"asadi2014-fig4", "struct-plus-beats-struct-depth-first", "no numbers", DEPTH_FIRST},
    {"asadi2014-fig4", "codegen-lead-shrinks-with-features", "no times", FIG4},
    {"asadi2014-fig5", "codegen-more-threads-slower", "no numbers",
     "section 6 says so without numbers"},
    {"asadi2014-fig5", "throughput-grows", "open at 3", "section 6 prints 1 and 16 threads only"},
    {"asadi2014-table4", "most-features", "C14: 88 to 91 %", NO_OHSUMED},

    {"buschjaeger2018-table2", "vote-kind", "models are missing",
     "section VI says so without numbers"},

    {"lettich2018-table3", "256-bits-beat-128", "no numbers", "Table 3 prints vQS-256 only"},
    {"lettich2018-fig2", "falls-32", "no numbers", FIGURE_ONLY},
    {"lettich2018-fig2", "falls-64", "no numbers", FIGURE_ONLY},
    {"lettich2018-fig2", "rises-32", "no numbers", FIGURE_ONLY},
    {"lettich2018-fig2", "rises-64", "no numbers", FIGURE_ONLY},
    {"lettich2018-fig2", "policy-32", "no numbers",
     "the paper has no times of other numbers of threads"},
    {"lettich2018-fig2", "policy-64", "no numbers",
     "the paper has no times of other numbers of threads"},
    {"lettich2018-parallelism", "documents-beat-trees", "no numbers",
     "section 5 reports preliminary tests without numbers"},

#define FIG2 "Fig. 2 has no numbers"
    {"buschjaeger2018-fig2", "if-fastest-x86", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "if-speed-up", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "if-opt-small-depth", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "if-opt-deep", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "native-shallow", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "native-deep", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "native-opt-never-slower", "no numbers", FIG2},
    {"buschjaeger2018-fig2", "if-opt-never-slower", "no numbers", FIG2},
};

/* Claims of quality that are tests over queries. The paper prints their results as marks of
 * significance in Table 3 ('+': better than the fewest leaves). */
static const struct marked {
    const char *artefact, *claim, *data, *column;
    bool is_marked; /* at the most leaves; false: at no number of leaves */
} marked[] = {
    {"asadi2012-table3", "letor-flat", "mq2008", NULL, false},
    {"asadi2012-table3", "mslr-larger", "mslr-web10k", "ndcg_20", true},
    {"asadi2014-table3", "letor-flat", "mq2008", NULL, false},
    {"asadi2014-table3", "mslr-deeper", "mslr-web10k", "ndcg_10", true},
    {"asadi2014-table3", "c14-deeper", "yahoo-c14-set1", "ndcg_10", true},
};

/* Numbers for artefacts whose tables show no reference. */
static const struct source {
    const char *artefact, *file, *operand, *column;
} sources[] = {
    {"asadi2012-fig2", "asadi2012-table2.csv", "vpred-heap,v=best", "vpred"},
    {"asadi2012-fig2", "asadi2012-table2.csv", "vpred-heap,v=1", "pred"},
    {"asadi2014-fig3", "asadi2014-table2.csv", "vpred,v=best", "vpred"},
    {"asadi2014-fig3", "asadi2014-table2.csv", "vpred,v=1", "pred"},
};

enum { TRIALS = 3, COUNTED_DOCUMENTS = 1000000 };

/* --- rows from the paper's numbers ------------------------------------------------------------ */

struct paper {
    struct artefact artefact;
    struct reference *reference;
    struct made_up made;
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
    if (isnan(ns) || !panel_operand_point(panel, point, operand, &at))
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
    bool excepted[sizeof exceptions / sizeof *exceptions];
};

static void check_verdict(const char *artefact, const struct claim_result *judged,
                          struct tally *tally) {
    bool is_open = false;
    const char *says = "", *reason = "";
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (strcmp(exceptions[i].artefact, artefact) == 0 &&
            strcmp(exceptions[i].claim, judged->id) == 0) {
            tally->excepted[i] = true;
            is_open = true;
            says = exceptions[i].says;
            reason = exceptions[i].reason;
        }
    tally->claims++;
    bool is_right =
        is_open ? judged->verdict == VERDICT_UNRESOLVED || judged->verdict == VERDICT_NOT_MEASURED
                : judged->verdict == VERDICT_HELD;
    if (is_right && strstr(judged->measured, says))
        return;
    print_message("%s, %s is %s on the paper's own numbers: %s. Expected: %s with '%s' (%s). "
                  "Correct the claim. If the paper prints too few numbers, name it in %s\n",
                  artefact, judged->id, verdict_names[judged->verdict], judged->measured,
                  is_open ? "open" : "held", says, reason, __FILE__);
    tally->wrong++;
}

static const struct marked *find_marked(const char *artefact, const char *claim) {
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        if (strcmp(marked[i].artefact, artefact) == 0 && strcmp(marked[i].claim, claim) == 0)
            return &marked[i];
    return NULL;
}

/* Returns true if the paper marks an NDCG at this point as significantly better. */
static bool has_mark(const struct paper *paper, const struct point *point, const char *column) {
    size_t printed = 0;
    for (size_t r = 0; r < QUALITY_RANKS; r++) {
        char name[16];
        snprintf(name, sizeof name, "ndcg_%s", quality_ranks[r]);
        const char *text = reference_find(paper->reference, point, column ? column : name);
        if (!text)
            continue; /* asadi2012 prints three of the ranks */
        assert_true(parse(text) > 0);
        printed++;
        if (strchr(text, '+') || strchr(text, '*'))
            return true;
    }
    assert_true(printed > 0);
    return false;
}

static void check_marks(struct paper *paper, const struct marked *claim) {
    const struct scale *scale = &paper->artefact.scale;
    size_t checked = 0;
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        if (strcmp(panel->points[0].data, claim->data) != 0)
            continue;
        for (size_t i = claim->is_marked ? panel->n_points - 1 : 0; i < panel->n_points; i++) {
            assert_int_equal(has_mark(paper, &panel->points[i], claim->column), claim->is_marked);
            checked++;
        }
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
            double examined = number_at(paper, &panel->points[i], "examined");
            for (uint32_t fold = 0; fold < TRIALS && fold < panel->trials; fold++)
                if (!isnan(examined))
                    list[models.count++] = (struct quality){
                        .workload = grid_workload(&paper->artefact, panel, &panel->points[i], fold),
                        .examined = examined / 100};
        }
    return models;
}

static void judge_quality(struct paper *paper, struct tally *tally) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    read_reference(paper, text_of(cJSON_GetObjectItem(paper->artefact.json, "table"), "reference"));
    struct json_list models = make_models(paper);
    if (claims_judge(&paper->artefact, &models, &judged, &count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++) {
        const struct marked *claim = find_marked(paper->artefact.name, judged[i].id);
        if (claim)
            check_marks(paper, claim);
        else
            check_verdict(paper->artefact.name, &judged[i], tally);
    }
    free(judged);
    free(models.list);
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
    if (claims_judge(&paper->artefact, &sizes, &judged, &count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < count; i++)
        check_verdict(paper->artefact.name, &judged[i], tally);
    free(judged);
    free(sizes.list);
    forget_reference(paper);
}

/* The searches of Table 5 on its AMD machine. blocking_pays is judged on Table 4 elsewhere
 * (test_blocking_claims.c), because Table 5 has no times of DS. */
static void judge_blocking(struct paper *paper, struct tally *tally) {
    const struct scale *scale = &paper->artefact.scale;
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    struct blocking_choice list[PAPER_WORKLOADS] = {{.ds = 0}};
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
            choice->error = choice->error_low = choice->error_high = share;
            choice->ds = choice->ds_low = choice->ds_high = 2;
            choice->proposition = blocking_judge_proposition(
                &problem, true,
                range_case_find(reference_find(paper->reference, point, "best_amd")),
                &(struct ratio){share, {share, share}});
        }
    if (claims_judge(&paper->artefact, &choices, &judged, &count, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(count, 3);
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
    if (claims_judge(&paper->artefact, made_up_index(&paper->made), &judged, &count, &error) !=
        STATUS_OK)
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
        else
            judge_times(&paper, &tally);
        made_up_free(&paper.made);
        artefact_free(&paper.artefact);
    }
    artefact_free_paths(paths, count);
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (!tally.excepted[i])
            fail_msg("%s has no claim %s", exceptions[i].artefact, exceptions[i].claim);
    if (tally.wrong > 0)
        fail_msg("%zu of %zu claims", tally.wrong, tally.claims);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_papers_pass_their_own_claims)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
