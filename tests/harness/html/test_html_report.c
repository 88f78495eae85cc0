/* The facts of the page, and how they stand in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "base/files/json.h"
#include "harness/html/html_parts.h"
#include "harness/html/html_report.h"
#include "harness/judge/claims.h"
#include "harness/papers/report.h"
#include "tests/harness/rows/made_up_rows.h"

#define NAME "asadi2014-table2"

struct fixture {
    char folder[64];
    struct made_up made;
    struct artefact artefact;
    struct claim_result *judged;
    size_t count;
    cJSON *facts;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    if (!f)
        return -1;
    snprintf(f->folder, sizeof f->folder, "/tmp/treebench-html-XXXXXX");
    *state = f;
    return mkdtemp(f->folder) ? 0 : -1;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {NAME ".csv", NAME ".md", "page.html"};
    for (size_t i = 0; i < 3; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
        unlink(path);
    }
    int left = rmdir(f->folder);
    cJSON_Delete(f->facts);
    free(f->judged);
    artefact_free(&f->artefact);
    made_up_free(&f->made);
    free(f);
    return left;
}

/* PRED takes 2 units and CODEGEN 1.5, so VPRED, which takes 1, is the fastest. */
static void measure(struct fixture *f) {
    const struct scale *scale = &f->artefact.scale;
    for (size_t i = 0; i < f->artefact.n_variants; i++)
        for (size_t p = 0; p < scale->n_panels; p++)
            for (size_t k = 0; k < scale->panels[p].n_points; k++) {
                const struct point *point = &scale->panels[p].points[k];
                const char *variant = f->artefact.variants[i];
                double factor = strcmp(variant, "pred") == 0      ? 2
                                : strcmp(variant, "codegen") == 0 ? 1.5
                                : strstr(variant, "vpred")        ? 1
                                                                  : 3;
                made_up_trials(&f->made, point->depth, point->features, 5, variant,
                               factor * point->depth);
            }
    made_up_passes(&f->made, scale);
    f->made.rows.manifest =
        cJSON_Parse("{\"scale\": \"smoke\", \"data\": {\"mq2008\": \"stand-in\"}}");
}

static void expect_ok(enum status status, const struct error *error) {
    if (status != STATUS_OK)
        fail_msg("%s", error->text);
}

/* Returns the page's text. */
static char *make_page(struct fixture *f) {
    struct error error;
    expect_ok(artefact_open("configs/" NAME ".json", "smoke", &f->artefact, &error), &error);
    measure(f);
    const struct row_index *index = made_up_index(&f->made);
    const struct report_paths paths = {"plots", "results/reference"};
    char warning[256], path[128];
    expect_ok(report_artefact(f->folder, &f->artefact, index, &paths, NULL, NULL, warning,
                              sizeof warning, &error),
              &error);
    expect_ok(claims_judge(f->artefact.name, &f->artefact, index, &f->judged, &f->count, &error),
              &error);
    struct html_report *report;
    expect_ok(html_report_begin(f->folder, index, &report, &error), &error);
    html_report_warn(report, "</script><b>");
    html_report_add_absent(report, "paper-fig9");
    struct not_reproduced entry = {"paper", "Fig. 9", "its times", "no machine", "one"};
    const struct not_reproduced_list list = {.entries = &entry, .count = 1};
    html_report_add_not_reproduced(report, &list);
    expect_ok(html_report_add(report, &f->artefact, f->judged, f->count, paths.reference, &error),
              &error);
    snprintf(path, sizeof path, "%s/page.html", f->folder);
    expect_ok(html_report_write(report, path, &error), &error);
    html_report_free(report);
    struct file_text text;
    expect_ok(file_read_kept(path, &text, &error), &error);
    return text.data;
}

static void read_facts(struct fixture *f) {
    static const char begin[] = "<script type=\"application/json\" id=\"facts\">\n";
    char *page = make_page(f);
    char *facts = strstr(page, begin);
    assert_non_null(facts);
    facts += strlen(begin);
    struct error error;
    size_t size = (size_t)(strstr(facts, "\n</script>") - facts);
    expect_ok(json_parse("facts", facts, size, &f->facts, &error), &error);
    free(page);
}

static const cJSON *get(const cJSON *json, const char *key) {
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(json, key);
    if (!value)
        fail_msg("no %s", key);
    return value;
}

static const char *text_of(const cJSON *json, const char *key) {
    return cJSON_GetStringValue(get(json, key));
}

static void a_text_cannot_end_the_script(void **state) {
    struct fixture *f = *state;
    char *page = make_page(f);
    assert_null(strstr(page, "</script><b>"));
    assert_non_null(strstr(page, "\\u003c/script>\\u003cb>"));
    assert_null(strstr(page, "http://127"));
    assert_null(strstr(page, "<link rel=\"stylesheet\""));
    assert_null(strstr(page, "src=\""));
    free(page);
}

static void the_page_has_the_run(void **state) {
    struct fixture *f = *state;
    read_facts(f);
    assert_string_equal(text_of(get(f->facts, "manifest"), "scale"), "smoke");
    assert_string_equal(cJSON_GetArrayItem(get(f->facts, "warnings"), 0)->valuestring,
                        "</script><b>");
    assert_string_equal(cJSON_GetArrayItem(get(f->facts, "absent"), 0)->valuestring, "paper-fig9");
    const cJSON *missing = get(f->facts, "not_reproduced");
    assert_int_equal(cJSON_GetArraySize(missing), 1);
    assert_string_equal(text_of(cJSON_GetArrayItem(missing, 0), "why"), "no machine");
    const cJSON *rows = get(f->facts, "rows");
    assert_int_equal(cJSON_GetArraySize(get(rows, "lines")), f->made.rows.count);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetArrayItem(get(rows, "lines"), 0)),
                     cJSON_GetArraySize(get(rows, "columns")));
    assert_string_equal(text_of(get(get(f->facts, "implementations"), "vpred"), "title"), "VPRED");
}

/* Each variant at each point once, with the mean over its five trials. */
static void speeds_are_over_all_trials(void **state) {
    struct fixture *f = *state;
    read_facts(f);
    const cJSON *speeds = get(f->facts, "speeds"), *speed;
    assert_int_equal(cJSON_GetArraySize(speeds) * 5, f->made.rows.count);
    cJSON_ArrayForEach(speed, speeds) {
        assert_int_equal(get(speed, "trials")->valueint, 5);
        assert_string_equal(cJSON_GetArrayItem(get(speed, "origin"), 0)->valuestring, "synthetic");
        if (strcmp(text_of(speed, "variant"), "pred") == 0 &&
            strcmp(text_of(speed, "point"), "d=7 f=32, cold") == 0)
            assert_float_equal(get(speed, "value")->valuedouble, 14, 0.01);
    }
}

/* pred / vpred is 2 at all points, and the bound is 1. */
static void claims_have_values_and_bounds(void **state) {
    struct fixture *f = *state;
    read_facts(f);
    const cJSON *artefact = cJSON_GetArrayItem(get(f->facts, "artefacts"), 0);
    const cJSON *claim = cJSON_GetArrayItem(get(artefact, "claims"), 0), *value;
    assert_string_equal(text_of(claim, "id"), "vpred-beats-pred");
    assert_string_equal(text_of(claim, "verdict"), "held");
    assert_float_equal(cJSON_GetArrayItem(get(claim, "bounds"), 0)->valuedouble, 1, 0);
    assert_true(cJSON_IsNull(cJSON_GetArrayItem(get(claim, "bounds"), 1)));
    assert_int_equal(cJSON_GetArraySize(get(claim, "values")), 6); /* d = 3, 7, 11 and two f */
    cJSON_ArrayForEach(value, get(claim, "values")) {
        assert_float_equal(get(value, "value")->valuedouble, 2, 0.001);
        assert_string_equal(text_of(value, "verdict"), "held");
        assert_int_equal(strncmp(text_of(value, "what"), "pred / vpred", 12), 0);
    }
    const cJSON *share = cJSON_GetArrayItem(get(artefact, "claims"), 1);
    assert_true(cJSON_IsTrue(get(share, "share")));
    assert_float_equal(cJSON_GetArrayItem(get(share, "papers"), 1)->valuedouble, 0.7, 0);
    assert_float_equal(get(cJSON_GetArrayItem(get(share, "values"), 0), "value")->valuedouble, 0.5,
                       0.001);
}

/* Table 2 (a) prints 22.6 ns for PRED at d = 3; here it takes 6. */
static void the_papers_times_stand_beside_ours(void **state) {
    struct fixture *f = *state;
    read_facts(f);
    const cJSON *artefact = cJSON_GetArrayItem(get(f->facts, "artefacts"), 0), *time;
    bool found = false;
    cJSON_ArrayForEach(time, get(artefact, "papers")) {
        if (cJSON_GetArrayItem(time, 0)->valueint != 0 ||
            cJSON_GetArrayItem(time, 1)->valueint != 3 ||
            strcmp(cJSON_GetArrayItem(time, 2)->valuestring, "pred") != 0)
            continue;
        assert_float_equal(cJSON_GetArrayItem(time, 4)->valuedouble, 22.6, 0);
        assert_float_equal(cJSON_GetArrayItem(time, 5)->valuedouble, 6, 0.01);
        assert_float_equal(cJSON_GetArrayItem(time, 6)->valuedouble, 6, 0.01);
        assert_float_equal(cJSON_GetArrayItem(time, 7)->valuedouble, 6, 0.01);
        found = true;
    }
    assert_true(found);
}

/* With one trial there is no interval over trials, so the row's own is shown. */
static void a_single_trial_has_the_interval_of_its_rounds(void **state) {
    struct fixture *f = *state;
    struct row *row = made_up_add(&f->made, 3, 32, 0, "pred", 10);
    row->median_interval = (struct interval){9, 12};
    f->facts = html_speeds(made_up_index(&f->made));
    assert_string_equal(get(f->facts->child, "low")->valuestring, "9");
    assert_string_equal(get(f->facts->child, "high")->valuestring, "12");
}

static const cJSON *field(const cJSON *table, const char *column) {
    int i = 0;
    const cJSON *name;
    cJSON_ArrayForEach(name, get(table, "columns")) {
        if (strcmp(name->valuestring, column) == 0)
            return cJSON_GetArrayItem(get(table, "lines")->child, i);
        i++;
    }
    return NULL;
}

static void rows_have_their_intervals(void **state) {
    struct fixture *f = *state;
    struct row *row = made_up_add(&f->made, 3, 32, 0, "pred", 10);
    row->median_interval = (struct interval){9, 12};
    f->facts = html_rows(&f->made.rows);
    assert_string_equal(field(f->facts, "low")->valuestring, "9");
    assert_string_equal(field(f->facts, "high")->valuestring, "12");
    assert_int_equal(cJSON_GetArraySize(field(f->facts, "samples")), MADE_UP_ROUNDS);
}

static void many_samples_are_left_out(void **state) {
    struct fixture *f = *state;
    enum { MANY = 60001 };
    struct row *row = made_up_add(&f->made, 3, 32, 0, "pred", 10);
    free(row->samples.cpu);
    row->samples.cpu = calloc(MANY, sizeof *row->samples.cpu);
    row->samples.count = MANY;
    assert_non_null(row->samples.cpu);
    f->facts = html_rows(&f->made.rows);
    assert_true(cJSON_IsNull(field(f->facts, "samples")));
}

static void claims_are_listed_by_verdict(void **state) {
    (void)state;
    struct claim_result *results = calloc(VERDICTS, sizeof *results);
    assert_non_null(results);
    for (size_t i = 0; i < VERDICTS; i++)
        results[i].verdict = (enum verdict)(VERDICTS - 1 - i);
    cJSON *claims = html_claims(results, VERDICTS);
    for (int i = 0; i < VERDICTS; i++)
        assert_string_equal(text_of(cJSON_GetArrayItem(claims, i), "verdict"), verdict_names[i]);
    cJSON_Delete(claims);
    free(results);
}

/* VPRED takes twice as long in the first run as in the second; PRED takes the same time. The second
 * run has no CODEGEN. */
static void runs_are_compared_variant_by_variant(void **state) {
    (void)state;
    struct made_up first = {.capacity = 0}, second = {.capacity = 0};
    for (uint32_t trial = 0; trial < 4; trial++) {
        made_up_add(&first, 3, 32, trial, "vpred,v=8", 20 + trial);
        made_up_add(&second, 3, 32, trial, "vpred,v=8", (20 + trial) / 2.0);
        made_up_add(&first, 3, 32, trial, "pred", 30 + trial % 2);
        made_up_add(&second, 3, 32, trial, "pred", 30 + (trial + 1) % 2);
        made_up_add(&first, 3, 32, trial, "codegen", 10);
    }
    cJSON *json = html_changes(made_up_index(&first), made_up_index(&second));
    assert_int_equal(get(json, "missing")->valueint, 1);
    assert_int_equal(get(json, "unlike")->valueint, 0);
    const cJSON *changes = get(json, "changes");
    assert_int_equal(cJSON_GetArraySize(changes), 2);
    const cJSON *pred = cJSON_GetArrayItem(changes, 0), *vpred = cJSON_GetArrayItem(changes, 1);
    assert_string_equal(text_of(pred, "variant"), "pred");
    assert_string_equal(text_of(pred, "change"), "not resolved");
    assert_string_equal(text_of(vpred, "change"), "slower");
    char *text = cJSON_Print(get(vpred, "ratio"));
    assert_string_equal(text, "2");
    cJSON_free(text);
    cJSON_Delete(json);
    json = html_changes(made_up_index(&second), made_up_index(&first));
    assert_string_equal(text_of(cJSON_GetArrayItem(get(json, "changes"), 1), "change"), "faster");
    cJSON_Delete(json);
    for (size_t i = 0; i < second.rows.count; i++)
        second.rows.list[i].workload.documents = 7;
    json = html_changes(made_up_index(&first), made_up_index(&second));
    assert_int_equal(get(json, "unlike")->valueint, 2);
    cJSON_Delete(json);
    made_up_free(&first);
    made_up_free(&second);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_cannot_end_the_script, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_page_has_the_run, set_up, tear_down),
        cmocka_unit_test_setup_teardown(speeds_are_over_all_trials, set_up, tear_down),
        cmocka_unit_test_setup_teardown(claims_have_values_and_bounds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_papers_times_stand_beside_ours, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_single_trial_has_the_interval_of_its_rounds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(rows_have_their_intervals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_samples_are_left_out, set_up, tear_down),
        cmocka_unit_test(claims_are_listed_by_verdict),
        cmocka_unit_test(runs_are_compared_variant_by_variant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
