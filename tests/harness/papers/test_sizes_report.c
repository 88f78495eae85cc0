/* Tables and claims about machine code, on made-up sizes. */
#include "harness/papers/sizes_parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/papers/report.h"
#include "tests/harness/papers/expect_in_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TREES                                                                                      \
    "{\"full\": {\"kind\": \"forest\", \"x\": \"depth\", \"trials\": 1, \"rounds\": 1, "           \
    "\"panels\": [{\"title\": \"covertype\", \"data\": \"covertype\", \"learner\": "               \
    "\"random-forest\", \"trees\": 1, \"depth\": [1, 5]}]}}"
#define NODES                                                                                      \
    "{\"full\": {\"depths\": [3], \"features\": [16], \"documents\": [1], \"trials\": 1, "         \
    "\"rounds\": 1}}"

static const char config[] =
    "{\"name\": \"a\", \"title\": \"Title\", \"source\": \"paper\", \"seed\": 5,"
    " \"measure\": \"code-size\", \"scales\": %s,"
    " \"table\": {\"kind\": \"%s\", \"reference\": \"a-reference.csv\"}, \"claims\": [%s]}";

enum { SIZES = 16 };

struct fixture {
    char folder[32];
    struct artefact artefact;
    struct code_size list[SIZES];
    struct json_list sizes;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/test_sizes.XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {"a.md", "a.csv", "a.json", "a-reference.csv"};
    artefact_free(&f->artefact);
    for (size_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", f->folder, files[i]);
        unlink(path);
    }
    int left = rmdir(f->folder);
    free(f);
    return left;
}

static void write_file(const struct fixture *f, const char *name, const char *text) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    FILE *stream = fopen(path, "w");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static enum status open_config(struct fixture *f, const char *scales, const char *table,
                               const char *claims, struct error *error) {
    char text[2048], path[64];
    snprintf(text, sizeof text, config, scales, table, claims);
    write_file(f, "a.json", text);
    snprintf(path, sizeof path, "%s/a.json", f->folder);
    return artefact_open(path, "full", &f->artefact, error);
}

static void open_good(struct fixture *f, const char *scales, const char *table,
                      const char *claims) {
    struct error error;
    if (open_config(f, scales, table, claims, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

static struct code_size *add(struct fixture *f, size_t point, const char *compiler,
                             const char *machine, double code) {
    const struct panel *panel = &f->artefact.scale.panels[0];
    struct code_size *size = &f->list[f->sizes.count++];
    f->sizes.list = f->list;
    *size = (struct code_size){.subject = sizes_subject(&f->artefact, panel, &panel->points[point]),
                               .code = code};
    size->subject.splits = 9;
    size->subject.leaves = 10;
    strcpy(size->compiler, compiler);
    strcpy(size->machine, machine);
    return size;
}

static void expect_in(const struct fixture *f, const char *name, const char *words) {
    char path[64];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    expect_in_file(path, words);
}

static void report(struct fixture *f) {
    struct error error;
    char warning[64];
    const struct report_paths paths = {.reference = f->folder};
    if (report_artefact(f->folder, &f->artefact, &f->sizes, &paths, NULL, NULL, warning,
                        sizeof warning, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void trees_are_beside_the_papers(void **state) {
    struct fixture *f = *state;
    open_good(f, TREES, "trees", "");
    write_file(f, "a-reference.csv", "data,depth,intel,ppc,arm\ncovertype,5,575,604,605\n");
    strcpy(add(f, 0, "gcc", "x86_64", 200)->note, "trained on a part");
    add(f, 1, "gcc", "x86_64", 655)->constants = 24;
    report(f);
    expect_in(f, "a.md", "**Here trained on a part.**");
    expect_in(f, "a.md", "| PPC, paper | - | 604 |\n");
    expect_in(f, "a.md", "| leaves here | 10 | 10 |\n");
    expect_in(f, "a.md",
              "| x86_64, gcc: code | 200 | 655 |\n"
              "| x86_64, gcc: constants | 0 | 24 |\n"
              "| x86_64, gcc: code per leaf | 20.0 | 65.5 |\n");
    expect_in(f, "a.md", "| powerpc-linux-gnu-gcc | | not installed |\n");
    expect_in(f, "a.csv", "\nrandom-forest,covertype,,,5,0,1,5,9,10,int,-O3,gcc,x86_64,,655,24\n");
}

/* Eight more splits take 80 bytes of code and 32 of constants. With eight leaves, they take 136. */
static void nodes_are_differences(void **state) {
    struct fixture *f = *state;
    open_good(f, NODES, "nodes", "");
    write_file(f, "a-reference.csv", "arm_int_split,arm_float_split\n20,32\n");
    static const double codes[] = {100, 180, 200, 336}, constants[] = {4, 36, 40, 72};
    for (size_t feature = 0; feature < 2; feature++)
        for (enum sizes_example e = 0; e < SIZES_EXAMPLES; e++) {
            struct code_size *size =
                add(f, 0, "gcc", "x86_64", codes[e] + (feature ? 2 * codes[e] : 0));
            sizes_choose_example(&size->subject, e, sizes_features[feature], "-O0");
            size->constants = feature ? constants[e] : 0;
        }
    report(f);
    expect_in(f, "a.md", "\n## k = 8\n");
    expect_in(f, "a.md", "| ARM, paper | -O0 | 20 | 32 | - | - |\n");
    expect_in(f, "a.md", "| x86_64, gcc | -O0 | 10.0 | 30.0 + 4.0 | 7.0 | 21.0 |\n");
}

/* --- claims ----------------------------------------------------------------------------------- */

#define CLAIM                                                                                      \
    "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"smallest_code\", \"machine\": \"x86_64\", "     \
    "\"than\": [\"powerpc\", \"arm\"], \"low\": 0.5}"

static void expect_verdict(struct fixture *f, enum verdict verdict, const char *words) {
    struct claim_result *judged = NULL;
    size_t count = 0;
    struct error error;
    if (claims_judge(f->artefact.name, &f->artefact, &f->sizes, &judged, &count, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    assert_int_equal(count, 1);
    if (judged->verdict != verdict || !strstr(judged->measured, words))
        fail_msg("%s: '%s' is not in '%s'", verdict_names[judged->verdict], words,
                 judged->measured);
    free(judged);
}

static void the_smallest_code_is_counted(void **state) {
    struct fixture *f = *state;
    open_good(f, TREES, "trees", CLAIM);
    expect_verdict(f, VERDICT_NOT_MEASURED, "no code by gcc for x86_64, powerpc, arm");
    add(f, 0, "gcc", "x86_64", 200);
    add(f, 0, "clang", "x86_64", 1);
    add(f, 0, "powerpc-linux-gnu-gcc", "powerpc", 210);
    add(f, 0, "arm-linux-gnueabihf-gcc", "arm", 220);
    expect_verdict(f, VERDICT_UNRESOLVED, "x86_64 is the smallest at 1 of 1 points");
    add(f, 1, "gcc", "x86_64", 200);
    add(f, 1, "powerpc-linux-gnu-gcc", "powerpc", 200); /* equal is not smaller */
    add(f, 1, "arm-linux-gnueabihf-gcc", "arm", 220);
    expect_verdict(f, VERDICT_HELD, "x86_64 is the smallest at 1 of 2 points");
    strcpy(f->list[0].note, "trained on a part");
    expect_verdict(f, VERDICT_HELD, "; covertype: trained on a part");
    f->list[2].code = 190;
    expect_verdict(f, VERDICT_NOT_HELD, "x86_64 is the smallest at 0 of 2 points");
}

/* --- mistakes --------------------------------------------------------------------------------- */

static void wrong_configs_are_refused(void **state) {
    struct fixture *f = *state;
    static const struct {
        const char *scales, *table, *claims, *words;
    } cases[] = {
        {TREES, "ndcg", "", "table: kind: ndcg is none of nodes, trees"},
        {TREES, "nodes", "", "table: kind: nodes needs a scale of kind \"synthetic\""},
        {NODES, "trees", "", "table: kind: trees needs a scale of kind \"forest\""},
        {NODES, "nodes", CLAIM, "claim c: kind: smallest_code is only for scales of kind"},
        {"{\"full\": {\"depths\": [3, 11], \"features\": [16], \"documents\": [1], \"trials\": 1, "
         "\"rounds\": 1}}",
         "nodes", "", "scales: full: depths: at most 10"},
        {TREES, "trees", "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"ratio\"}",
         "claim c: kind: ratio is none of smallest_code"},
        {TREES, "trees",
         "{\"id\": \"c\", \"words\": \"w\", \"kind\": \"smallest_code\", \"machine\": \"arm\", "
         "\"than\": [], \"low\": 1}",
         "claim c: than: must be an array of names, not empty"},
        {TREES, "trees\", \"colour\": \"red", "", "table: colour: unknown key"},
        {TREES, "trees", "], \"figure\": [", "figure: not supported with this \"measure\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        assert_int_equal(open_config(f, cases[i].scales, cases[i].table, cases[i].claims, &error),
                         STATUS_INPUT);
        if (!strstr(error.text, cases[i].words))
            fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(trees_are_beside_the_papers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nodes_are_differences, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_smallest_code_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_configs_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
