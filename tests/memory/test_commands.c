/* Every command while memory runs out. It prints what it prints otherwise, or ends with one line
 * that names memory: no crash, no other output with exit status 0, no other reason, and no
 * temporary file that stays.
 *
 * test_commands [NAME]: only the commands that begin so. TREEBENCH_ALLOCATIONS=all: see failing.h.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "tests/memory/failing.h"

#define main treebench_main
#include "harness/cli/main.c"
#undef main

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>

enum { ARGUMENTS = 32, TEXT_SIZE = 1 << 16, SHOWN = 12 };

/* What may differ between two runs without a failure. */
enum varies { SAME, MEASURED };

struct run {
    const char *name, *line; /* words with spaces between, of a folder beside `in` */
    enum varies varies;
    const char *needs; /* a folder of the inputs to copy into the one that it runs in */
};

static const struct run runs[] = {
    {"info", "info --model ../in/model.json --data ../in/data.txt", SAME, NULL},
    {"info-names", "info --model ../in/corpus/lightgbm/names.txt --data ../in/table.csv", SAME,
     NULL},
    {"convert-onnx", "convert --model ../in/corpus/lightgbm/rewritten.txt --out out.onnx", SAME,
     NULL},
    {"convert-xgboost",
     "convert --model ../in/corpus/lightgbm/names.txt --out out.json --format xgboost", SAME, NULL},
    {"convert-lightgbm", "convert --model ../in/model.json --out out.txt --format lightgbm", SAME,
     NULL},
    {"convert-quickrank", "convert --model ../in/model.json --out out.xml", SAME, NULL},
    {"convert-json", "convert --model ../in/corpus/xgboost/categories.json --out out.json", SAME,
     NULL},
    {"convert-cache", "convert --data ../in/table.csv --label last --out out.cache", SAME, NULL},
    {"convert-svmlight", "convert --data ../in/queries.txt --out out.txt", SAME, NULL},
    {"synth", "synth --depth 3 --features 5 --trees 2 --documents 64 --model m.json --data d.cache",
     SAME, NULL},
    {"synth-like", "synth --like magic --documents 50 --data d.txt", SAME, NULL},
    {"synth-grow", "synth --grow-on ../in/data.txt --trees 3 --leaves 6 --model m.json", SAME,
     NULL},
    {"synth-copies", "synth --copies-of ../in/corpus/lightgbm/names.txt --trees 5 --model m.json",
     SAME, NULL},
    {"train-cart", "train --learner cart --data ../in/classes.txt --depth 3 --out m.json", SAME,
     NULL},
    {"train-forest",
     "train --learner random-forest --data ../in/classes.txt --trees 3 --depth 3 --out m.json",
     SAME, NULL},
    {"train-lambdamart",
     "train --learner lambdamart --data ../in/queries.txt --trees 3 --leaves 4 --out m.json", SAME,
     NULL},
    {"list", "list", SAME, NULL},
    {"list-json", "list --json", SAME, NULL},
    {"score", "score --model ../in/model.json --data ../in/data.txt", SAME, NULL},
    {"score-categories", "score --model ../in/corpus/lightgbm/rewritten.txt --data ../in/table.csv",
     SAME, NULL},
    {"score-table",
     "score --model ../in/corpus/lightgbm/names.txt --data ../in/table.csv --label label --verbose",
     SAME, NULL},
    {"score-gz", "score --model ../in/model.gz --data ../in/data.cache --out s.txt", SAME, NULL},
    {"score-threads",
     "score --model ../in/model.json --data ../in/data.txt --threads 2 --parallel both", SAME,
     NULL},
    {"score-ifelse", "score --model ../in/model.json --data ../in/data.txt --impl ifelse", SAME,
     NULL},
    {"score-codegen", "score --model ../in/model.json --data ../in/data.txt --impl codegen", SAME,
     NULL},
    {"export", "export --model ../in/model.json --out code", SAME, NULL},
    {"export-plain", "export --model ../in/corpus/lightgbm/names.txt --out code --impl struct-plus",
     SAME, NULL},
    {"eval", "eval --model ../in/model.json --data ../in/queries.txt", SAME, NULL},
    {"eval-scores", "eval --scores ../in/scores.txt --data ../in/queries.txt --metric map", SAME,
     NULL},
    {"verify", "verify --model ../in/model.json --data ../in/data.txt", SAME, NULL},
    {"compare",
     "compare --model ../in/model.json --data ../in/data.txt --impl struct-plus --impl qs --impl "
     "planes --rounds 3 --counters none",
     MEASURED, NULL},
    {"compare-json",
     "compare --model ../in/model.json --data ../in/data.txt --impl struct-plus --impl qs --rounds "
     "3 "
     "--json",
     MEASURED, NULL},
    {"compare-csv",
     "compare --model ../in/model.json --data ../in/data.txt --impl struct-plus --impl qs --rounds "
     "3 "
     "--csv --sort time",
     MEASURED, NULL},
    {"compare-counters",
     "compare --model ../in/model.json --data ../in/data.txt --impl vpred --rounds 3 --counters "
     "auto --threads 2",
     MEASURED, NULL},
    {"tune", "tune --model ../in/corpus/lightgbm/names.txt --seconds 1 --batch 1,8", MEASURED,
     NULL},
    {"blocking",
     "blocking --model ../in/model.json --data ../in/data.txt --docs 20 --rounds 2 --measure none",
     MEASURED, NULL},
    {"blocking-queries",
     "blocking --model ../in/model.json --docs 20 --rounds 2 --measure none --query-docs 2",
     MEASURED, NULL},
    {"blocking-partition",
     "blocking --model ../in/model.json --docs 20 --rounds 2 --measure none --impl bwqs "
     "--partition",
     MEASURED, NULL},
    {"pass", "pass --model ../in/model.json --data ../in/data.txt", SAME, NULL},
    {"pass-team", "pass --model ../in/model.json --data ../in/data.txt --team", SAME, NULL},
    {"map", "map --scale smoke --config ../in/map.json --out map", MEASURED, NULL},
    {"report-map", "report --run map", SAME, "map"},
    {"report-map-html", "report --run map --html page.html", SAME, "map"},
    {"run-resume", "run --scale smoke --clock wall --counters none --out run --resume", SAME,
     "run"},
    {"doctor", "doctor --measure none --json", MEASURED, NULL},
    {"doctor-measure", "doctor --json", MEASURED, NULL},
    {"run", "run --scale smoke --only mini --out run --counters none", MEASURED, NULL},
    {"report", "report --run run", SAME, "run"},
    {"report-html", "report --run run --html page.html", SAME, "run"},
    {"report-changes", "report --run run --run ../in/run --html page.html", SAME, "run"},
};

/* These measure for long: they take part when TREEBENCH_ALLOCATIONS is set. */
static bool is_slow(const struct run *run) {
    return strstr(run->line, "map") || strcmp(run->name, "tune") == 0 ||
           strcmp(run->name, "doctor-measure") == 0;
}

/* --- folders ---------------------------------------------------------------------------------- */

static char root[] = "/tmp/treebench-memory-XXXXXX";
static int out_file, error_file;

static const char *path_of(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", root, name);
    return path;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

static void remove_folder(const char *path) {
    nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static uint64_t digest;
static bool temporary_left;

static uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (unsigned char)bytes[i]) * 1099511628211U;
    return hash;
}

/* Files may be visited in any order. What is kept for the user is no result. */
static int add_file(const char *path, const struct stat *info, int kind, struct FTW *walk) {
    (void)info, (void)walk;
    temporary_left = temporary_left || strstr(path, ".tmp");
    if (kind != FTW_F || strstr(path, "/xdg/"))
        return 0;
    uint64_t hash = hash_bytes(1, path, strlen(path));
    char bytes[4096];
    FILE *file = fopen(path, "r");
    for (size_t size; file && (size = fread(bytes, 1, sizeof bytes, file)) > 0;)
        hash = hash_bytes(hash, bytes, size);
    if (file)
        fclose(file);
    digest += hash;
    return 0;
}

/* --- one trial -------------------------------------------------------------------------------- */

struct outcome {
    struct trial_result trial;
    uint64_t files;
    bool temporary_left;
    char out[TEXT_SIZE], error[TEXT_SIZE];
};

static void read_text(int file, char *text) {
    ssize_t size = pread(file, text, TEXT_SIZE - 1, 0);
    text[size > 0 ? size : 0] = '\0';
}

/* Progress depends on the time. */
static void without_progress(char *text) {
    static const char begin[] = "treebench: [";
    for (char *line; (line = strstr(text, begin));) {
        char *end = strchr(line, '\n');
        memmove(line, end ? end + 1 : strchr(line, '\0'), end ? strlen(end + 1) + 1 : 1);
    }
}

static size_t split(char *line, char **words) {
    size_t count = 0;
    for (char *word = strtok(line, " "); word && count < ARGUMENTS - 1; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    return count;
}

static int run_in_child(const void *data) {
    char line[1024], *words[ARGUMENTS] = {(char[]){"treebench"}};
    snprintf(line, sizeof line, "%s", (const char *)data);
    size_t count = split(line, words + 1) + 1;
    dup2(out_file, STDOUT_FILENO);
    dup2(error_file, STDERR_FILENO);
    failing_arm();
    return treebench_main((int)count, words);
}

/* Time runs a thousand times as fast: what is measured is not looked at, and takes as much less. */
FAILING_PUBLIC int clock_gettime(clockid_t clock, struct timespec *time) {
    long failed = syscall(SYS_clock_gettime, clock, time);
    if (failed || clock == CLOCK_REALTIME)
        return (int)failed;
    uint64_t nanoseconds = ((uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec) * 1000;
    *time = (struct timespec){.tv_sec = (time_t)(nanoseconds / 1000000000),
                              .tv_nsec = (long)(nanoseconds % 1000000000)};
    return 0;
}

/* The program finds its configs and plots beside itself: here, the ones of this test. */
FAILING_PUBLIC ssize_t readlink(const char *path, char *text, size_t size) {
    if (strcmp(path, "/proc/self/exe") != 0)
        return syscall(SYS_readlink, path, text, size);
    char program[4096];
    int length = snprintf(program, sizeof program, "%s/bin/treebench", root);
    size_t used = (size_t)length < size ? (size_t)length : size;
    memcpy(text, program, used);
    return (ssize_t)used;
}

static bool copy_folder(const char *name) {
    char command[256];
    snprintf(command, sizeof command, "cp -r ../in/%s .", name);
    return system(command) == 0;
}

static const struct outcome *try_run(const struct run *run, long first, bool is_lasting) {
    static struct outcome outcomes[2];
    struct outcome *outcome = &outcomes[first > 0];
    if (mkdir(path_of("work"), 0777) != 0 || chdir(path_of("work")) != 0)
        fail_msg("no folder to work in: %s", strerror(errno));
    if (run->needs && !copy_folder(run->needs))
        fail_msg("no %s", run->needs);
    if (ftruncate(out_file, 0) != 0 || ftruncate(error_file, 0) != 0)
        fail_msg("no files to write to");
    lseek(out_file, 0, SEEK_SET);
    lseek(error_file, 0, SEEK_SET);
    outcome->trial = failing_try(first, is_lasting, run_in_child, run->line);
    read_text(out_file, outcome->out);
    read_text(error_file, outcome->error);
    without_progress(outcome->error);
    digest = 0;
    temporary_left = false;
    nftw(".", add_file, 8, FTW_PHYS);
    outcome->files = digest;
    outcome->temporary_left = temporary_left;
    if (chdir(root) != 0)
        fail_msg("no inputs: %s", strerror(errno));
    remove_folder(path_of("work"));
    return outcome;
}

/* --- the rule --------------------------------------------------------------------------------- */

static bool names_memory(const char *text) {
    return strcasestr(text, "out of memory") || strcasestr(text, "cannot allocate memory");
}

static size_t count_lines(const char *text) {
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

static bool same_output(const struct outcome *a, const struct outcome *b, enum varies varies) {
    if (varies == MEASURED)
        return count_lines(a->out) == count_lines(b->out);
    return strcmp(a->out, b->out) == 0 && a->files == b->files;
}

/* NULL: as it should be. */
static const char *find_fault(const struct run *run, const struct outcome *good,
                              const struct outcome *outcome) {
    enum varies varies = run->varies;
    int state = outcome->trial.state;
    if (!outcome->trial.has_failed)
        return NULL;
    if (outcome->trial.library < FAILING_LIBRARIES)
        return WIFEXITED(state) && state == good->trial.state && !same_output(good, outcome, varies)
                   ? "a library's failure went unnoticed"
                   : NULL;
    if (!WIFEXITED(state))
        return "it crashed";
    if (outcome->temporary_left)
        return "a temporary file stays";
    if (state == good->trial.state) {
        if (names_memory(outcome->error) || (varies == MEASURED && names_memory(outcome->out)))
            return same_output(good, outcome, varies) || varies == MEASURED
                       ? NULL
                       : "status 0, with another output and a note";
        return same_output(good, outcome, varies)
                   ? strcmp(good->error, outcome->error) == 0 || varies == MEASURED
                         ? NULL
                         : "it told something else"
                   : "exit status 0 with another output";
    }
    if (strcmp(run->name, "compare") == 0 && WEXITSTATUS(state) == EXIT_CHECK)
        return "the exit status is that of wrong scores";
    return names_memory(outcome->error) || names_memory(outcome->out) ? NULL
                                                                      : "the reason is not memory";
}

/* What came of failures in libraries. */
static struct tally { size_t ended, reported, failed, unchanged; } tallies[FAILING_LIBRARIES];

static void count_library(const struct outcome *good, const struct outcome *outcome) {
    if (outcome->trial.library == FAILING_LIBRARIES)
        return;
    struct tally *tally = &tallies[outcome->trial.library];
    if (!WIFEXITED(outcome->trial.state))
        tally->ended++;
    else if (outcome->trial.state == good->trial.state)
        tally->unchanged++;
    else if (names_memory(outcome->error))
        tally->reported++;
    else
        tally->failed++;
}

static void print_libraries(void) {
    for (int i = 0; failing_is_thorough() && i < FAILING_LIBRARIES; i++) {
        const struct tally *tally = &tallies[i];
        if (tally->ended + tally->reported + tally->failed + tally->unchanged)
            fprintf(stderr,
                    "# %s: %zu end the process, %zu give memory as the reason, %zu another one, "
                    "%zu change nothing\n",
                    failing_libraries[i], tally->ended, tally->reported, tally->failed,
                    tally->unchanged);
    }
    memset(tallies, 0, sizeof tallies);
}

static void show(const struct run *run, const struct outcome *outcome, const char *fault, long call,
                 bool is_lasting) {
    fprintf(stderr, "# %s: call %ld%s fails: %s (state 0x%x)\n", run->name, call,
            is_lasting ? " and all later" : "", fault, (unsigned)outcome->trial.state);
    fprintf(stderr, "# stderr: %s", outcome->error);
    if (!*outcome->error)
        fprintf(stderr, "\n");
    failing_print(stderr);
}

static void check_run(void **state) {
    const struct run *run = *state;
    const struct outcome *good = try_run(run, 0, false);
    if (!WIFEXITED(good->trial.state) || WEXITSTATUS(good->trial.state) == EXIT_USAGE)
        fail_msg("%s fails without a failure: %s", run->line, good->error);
    size_t n_calls, faults = 0;
    long *calls = failing_calls(run->name, good->trial.calls, &n_calls);
    for (size_t i = 0; i < n_calls; i++) {
        for (int is_lasting = 0; is_lasting < 2; is_lasting++) {
            const struct outcome *outcome = try_run(run, calls[i], is_lasting);
            const char *fault = find_fault(run, good, outcome);
            count_library(good, outcome);
            if (fault && faults++ < SHOWN)
                show(run, outcome, fault, calls[i], is_lasting);
        }
    }
    free(calls);
    print_libraries();
    if (faults)
        fail_msg("%s: %zu faults", run->name, faults);
}

/* --- inputs ----------------------------------------------------------------------------------- */

static void write_text(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void write_program(const char *path, const char *text) {
    write_text(path, text);
    assert_int_equal(chmod(path, 0755), 0);
}

/* Runs `line` without a failure. */
static void make(const char *line) {
    const struct run run = {.name = "make", .line = line};
    const struct outcome *outcome = try_run(&run, 0, false);
    if (outcome->trial.state != 0)
        fail_msg("%s: %s", line, outcome->error);
}

/* Documents with queries, classes and names of their columns. */
static void write_documents(void) {
    FILE *queries = fopen("queries.txt", "w"), *classes = fopen("classes.txt", "w");
    FILE *table = fopen("table.csv", "w");
    assert_true(queries && classes && table);
    fputs("b,\"a\",label\n", table);
    for (int i = 0; i < 40; i++) {
        fprintf(queries, "%d qid:%d 1:%d.5 2:%d 4:%d\n", i % 3, i / 8, i % 7, i % 5, i % 11);
        fprintf(classes, "%d 1:%d.5 2:%d 4:%d\n", i % 2, i % 7, i % 5, i % 11);
        fprintf(table, "%d,%d.25,%d\n", i % 3, i % 6, i % 2);
    }
    fclose(queries);
    fclose(classes);
    fclose(table);
}

/* An artefact of a few cells, and a map of one point. */
static const char config[] =
    "{\"name\": \"mini\", \"title\": \"Mini\", \"source\": \"none\", \"seed\": 7, \"scales\": "
    "{\"smoke\": {\"depths\": [2], \"features\": [3], \"documents\": [16], \"trials\": 2, "
    "\"rounds\": 2}}, \"variants\": {\"struct-plus\": \"STRUCT+\", \"pred\": \"PRED\"}, "
    "\"figure\": "
    "{\"kind\": \"lines\", \"variants\": [\"struct-plus\", \"pred\"]}, \"table\": "
    "{\"columns\": [{\"title\": \"PRED\", \"time\": \"pred\"}, {\"title\": \"less\", \"slow\": "
    "\"struct-plus\", \"fast\": \"pred\"}]}, \"claims\": [{\"id\": \"faster\", \"words\": \"PRED "
    "is faster\", \"kind\": \"ratio\", \"slow\": \"struct-plus\", \"fast\": \"pred\", \"low\": "
    "1}]}\n";
static const char map_config[] =
    "{\"seed\": 1, \"scales\": {\"smoke\": {\"features\": [3], \"leaves\": [4], \"trees\": [2], "
    "\"calls\": [1, 8], \"documents\": 4096, \"most_leaves\": 8, \"rounds\": 3}}}\n";

/* Compilers and gnuplot take long and are no part of this: each compilation is done once. */
static const char compiler[] =
    "#!/bin/sh\n"
    "if [ \"$1\" = --version ]; then echo compiler; exit; fi\n"
    "store=${0%/*}/../compiled\n"
    "cat >\"$store/source.$$\"\n"
    "object=$store/$(cksum <\"$store/source.$$\" | tr ' ' -)\n"
    "out=$(echo \"$*\" | sed 's/.*-o \\([^ ]*\\) .*/\\1/')\n"
    "[ -f \"$object\" ] || cc \"$@\" <\"$store/source.$$\"\n"
    "[ -f \"$object\" ] && cp \"$object\" \"$out\" || cp \"$out\" \"$object\"\n"
    "rm \"$store/source.$$\"\n";
static const char gnuplot[] = "#!/bin/sh\n"
                              "echo figure >\"$5\"\n"; /* -d -c SCRIPT CSV OUT */

static void make_installation(void) {
    char path[4096];
    assert_true(realpath("plots", path) && symlink(path, path_of("plots")) == 0);
    assert_true(realpath("results", path) && symlink(path, path_of("results")) == 0);
    assert_int_equal(mkdir(path_of("bin"), 0777), 0);
    assert_int_equal(mkdir(path_of("compiled"), 0777), 0);
    assert_int_equal(mkdir(path_of("configs"), 0777), 0);
    assert_int_equal(mkdir(path_of("in"), 0777), 0);
    write_text(path_of("configs/mini.json"), config);
    write_text(path_of("in/map.json"), map_config);
    write_program(path_of("bin/compiler"), compiler);
    write_program(path_of("bin/gnuplot"), gnuplot);
}

static int make_inputs(void **state) {
    (void)state;
    failing_setup();
    out_file = memfd_create("out", MFD_CLOEXEC);
    error_file = memfd_create("error", MFD_CLOEXEC);
    char corpus[4096], path[8192];
    if (!realpath("tests/fuzz/corpus", corpus) || !mkdtemp(root))
        return -1;
    make_installation();
    if (chdir(path_of("in")) != 0 || symlink(corpus, "corpus") != 0)
        return -1;
    setenv("XDG_CACHE_HOME", path_of("work/xdg"), 1);
    setenv("TREEBENCH_CC", path_of("bin/compiler"), 1);
    snprintf(path, sizeof path, "%s/bin:%s", root, getenv("PATH"));
    setenv("PATH", path, 1);
    write_documents();
    make("synth --depth 3 --features 4 --trees 3 --documents 40 --model ../in/model.json --data "
         "../in/data.txt");
    assert_int_equal(system("gzip -c in/model.json >in/model.gz"), 0);
    make("convert --data ../in/data.txt --out ../in/data.cache");
    make("score --model ../in/model.json --data ../in/queries.txt --out ../in/scores.txt");
    make("run --scale smoke --clock wall --counters none --out ../in/run");
    if (failing_is_thorough())
        make("map --scale smoke --config ../in/map.json --out ../in/map");
    return 0;
}

static int remove_inputs(void **state) {
    (void)state;
    if (chdir("/") == 0)
        remove_folder(root);
    return 0;
}

int main(int argc, char **argv) {
    if (!FAILING_WORKS) {
        printf("1..1\nnot ok 1 - memory of commands # SKIP the sanitizer has its own malloc\n");
        return 0;
    }
    enum { RUNS = sizeof runs / sizeof *runs };
    struct CMUnitTest tests[RUNS];
    size_t count = 0;
    for (size_t i = 0; i < RUNS; i++)
        if ((argc < 2 || strncmp(runs[i].name, argv[1], strlen(argv[1])) == 0) &&
            (failing_is_thorough() || !is_slow(&runs[i])))
            tests[count++] = (struct CMUnitTest){.name = runs[i].name,
                                                 .test_func = check_run,
                                                 .initial_state = (void *)(uintptr_t)&runs[i]};
    return _cmocka_run_group_tests("memory of commands", tests, count, make_inputs, remove_inputs);
}
