#include "harness/instruments/counters_callgrind.h"

#include "base/cleanup.h"
#include "base/cpu.h"
#include "base/files/file.h"
#include "base/process.h"
#include "datasets/data.h"
#include "harness/instruments/callgrind_totals.h"
#include "models/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* MOST_PAIRS and MOST_BYTES limit the counted documents. Each variant needs two passes, and
 * callgrind runs only 20 to 60 million instructions per second. The limit is a multiple of STEP. A
 * kernel that scores 64 documents per step, or a divisor of 64, then has no remaining documents. */
#define MOST_PAIRS ((size_t)1 << 19) /* documents times trees */
#define MOST_BYTES ((size_t)32 << 20)
enum { STEP = 64, PATH_SIZE = 320, TEXT_SIZE = 4096, ARGUMENTS_MAX = 40 };

/* All machines simulate the caches of the Xeon E5-2630 v3 (lettich2018, Table 5), so that counts
 * from different machines can be compared. */
#define CACHE_OPTIONS "--I1=32768,8,64", "--D1=32768,8,64", "--LL=20971520,20,64"
static const char simulated[] = "I1 and D1 32 KiB, 8-way; LL 20 MiB, 20-way; lines of 64 bytes";

static const char *const files[] = {"model.json", "documents.cache", "profile"};
enum { MODEL, DOCUMENTS, PROFILE, FILES };
_Static_assert(FILES + 1 == sizeof((struct callgrind *)0)->unfinished / sizeof(char *),
               "one entry per file, and one for the folder");

static void path_of(const struct callgrind *callgrind, int file, char path[static PATH_SIZE]) {
    snprintf(path, PATH_SIZE, "%s/%s", callgrind->folder, files[file]);
}

/* --- the workload ----------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t callgrind_documents(size_t n_rows, size_t stride, size_t n_trees) {
    size_t most = smaller(MOST_PAIRS / (n_trees ? n_trees : 1),
                          MOST_BYTES / ((stride ? stride : 1) * sizeof(float)));
    most = most > STEP ? most - most % STEP : STEP;
    return smaller(n_rows, most);
}

/* Registers the folder and its files for removal, in case a signal ends this program. */
static void add_to_cleanup(struct callgrind *callgrind) {
    for (int i = 0; i < FILES; i++) {
        char path[PATH_SIZE];
        path_of(callgrind, i, path);
        callgrind->unfinished[i] = strdup(path);
    }
    callgrind->unfinished[FILES] = strdup(callgrind->folder);
    for (int i = 0; i <= FILES; i++)
        if (callgrind->unfinished[i])
            cleanup_add_path(callgrind->unfinished[i]);
}

static enum status make_folder(struct callgrind *callgrind, struct error *error) {
    const char *place = getenv("TMPDIR");
    int length = snprintf(callgrind->folder, sizeof callgrind->folder, "%s/treebench-XXXXXX",
                          place && *place ? place : "/tmp");
    sigset_t before;
    cleanup_hold_signals(&before);
    bool made = (size_t)length < sizeof callgrind->folder && mkdtemp(callgrind->folder);
    if (made)
        add_to_cleanup(callgrind);
    cleanup_release_signals(&before);
    if (made)
        return STATUS_OK;
    callgrind->folder[0] = '\0';
    return error_set(error, STATUS_IO,
                     "cannot make a temporary folder in %s. Set TMPDIR to a folder that is "
                     "writable",
                     place && *place ? place : "/tmp");
}

/* Picks the documents of the warm-up, then the documents to count. Both sets are spread evenly over
 * all documents. They must represent all documents, but the documents of one query are alike. */
static enum status pick_documents(const struct callgrind *callgrind, const struct matrix *documents,
                                  struct matrix **picked, struct error *error) {
    size_t counted = callgrind->documents, rows = documents->n_rows;
    size_t n = smaller(rows, 2 * counted), warming = n - counted;
    enum status status = matrix_create(n, documents->n_features, picked, error);
    for (size_t i = 0; i < n && !status; i++) {
        size_t half_steps = i < warming ? 2 * i + 1 : 2 * (i - warming);
        memcpy(matrix_row(*picked, i), matrix_row(documents, half_steps * rows / (2 * counted)),
               documents->n_features * sizeof(float));
    }
    return status;
}

static enum status write_workload(const struct callgrind *callgrind,
                                  const struct ensemble *ensemble, const struct matrix *documents,
                                  struct error *error) {
    char path[PATH_SIZE];
    path_of(callgrind, MODEL, path);
    enum status status = model_write(ensemble, path, NULL, error);
    if (status)
        return status;
    struct matrix *picked = NULL;
    status = pick_documents(callgrind, documents, &picked, error);
    path_of(callgrind, DOCUMENTS, path);
    if (!status)
        status = data_write(picked, path, NULL, error);
    matrix_free(picked);
    return status;
}

static enum status find_valgrind(struct error *error) {
    const char *const argv[] = {"valgrind", "--version", NULL};
    struct process process;
    char text[TEXT_SIZE];
    int exit_status = 127;
    if (process_start(argv, NULL, 0, &process, NULL) == STATUS_OK)
        process_finish(&process, text, sizeof text, &exit_status);
    return exit_status == 0
               ? STATUS_OK
               : error_set(error, STATUS_MACHINE,
                           "valgrind cannot be run. Install it (apt-get install valgrind)");
}

void callgrind_begin(struct callgrind *callgrind, const struct ensemble *ensemble,
                     const struct matrix *documents) {
    struct error error;
    *callgrind = (struct callgrind){
        .documents = callgrind_documents(documents->n_rows, documents->stride, ensemble->n_trees)};
    enum status status = find_valgrind(&error);
    if (!status)
        status = make_folder(callgrind, &error);
    if (!status)
        status = write_workload(callgrind, ensemble, documents, &error);
    if (status)
        snprintf(callgrind->reason, sizeof callgrind->reason, "%.*s",
                 (int)sizeof callgrind->reason - 1, error.text);
}

void callgrind_end(struct callgrind *callgrind) {
    char path[PATH_SIZE];
    if (!callgrind->folder[0])
        return;
    for (int i = 0; i < FILES; i++) {
        path_of(callgrind, i, path);
        unlink(path);
    }
    rmdir(callgrind->folder);
    for (int i = 0; i <= FILES; i++)
        cleanup_drop_path(callgrind->unfinished[i]);
}

/* --- a count ---------------------------------------------------------------------------------- */

/* The only environment variables that the simulated program gets. The program itself or codegen's
 * compiler reads them. */
static const char *const passed_on[] = {"PATH", "HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME",
                                        "TREEBENCH_CC"};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };

struct arguments {
    const char *list[ARGUMENTS_MAX];
    size_t count;
    char *environment[PASSED_ON];
};

static void push(struct arguments *arguments, const char *text) {
    arguments->list[arguments->count++] = text;
}

static bool push_environment(struct arguments *arguments) {
    for (size_t i = 0; i < PASSED_ON; i++) {
        const char *value = getenv(passed_on[i]);
        if (!value)
            continue;
        if (asprintf(&arguments->environment[i], "%s=%s", passed_on[i], value) < 0) {
            arguments->environment[i] = NULL;
            return false;
        }
        push(arguments, arguments->environment[i]);
    }
    return true;
}

static void free_environment(struct arguments *arguments) {
    for (size_t i = 0; i < PASSED_ON; i++)
        free(arguments->environment[i]);
}

/* Keeps only the last line of `text`. `treebench pass` printed that line; lines before it may be
 * warnings of valgrind. */
static void keep_last_line(char *text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *last = strrchr(text, '\n');
    if (last)
        memmove(text, last + 1, strlen(last));
}

static enum status run_valgrind(const struct callgrind *callgrind, const char *variant,
                                const struct plan *plan, char text[static TEXT_SIZE],
                                struct error *error) {
    char program[PATH_SIZE], model[PATH_SIZE], documents[PATH_SIZE], profile[PATH_SIZE];
    char out_file[PATH_SIZE + 32], counted[32], block[32];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    path_of(callgrind, MODEL, model);
    path_of(callgrind, DOCUMENTS, documents);
    path_of(callgrind, PROFILE, profile);
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s", profile);
    snprintf(counted, sizeof counted, "%zu", callgrind->documents);
    snprintf(block, sizeof block, "%zu", plan->doc_block ? plan->doc_block : callgrind->documents);
    struct arguments arguments = {.list = {"env", "-i"}, .count = 2};
    const char *const rest[] = {"valgrind",
                                "-q",
                                "--tool=callgrind",
                                "--vgdb=no",
                                CACHE_OPTIONS,
                                "--cache-sim=yes",
                                "--branch-sim=yes",
                                "--instr-atstart=no",
                                "--collect-atstart=no",
                                out_file,
                                program,
                                "pass",
                                "--model",
                                model,
                                "--data",
                                documents,
                                "--documents",
                                counted,
                                "--block",
                                block,
                                "--impl",
                                variant,
                                plan->team ? "--team" : NULL};
    enum status status =
        push_environment(&arguments) ? STATUS_OK : error_memory(error, "the environment");
    for (size_t i = 0; i < sizeof rest / sizeof *rest && rest[i]; i++)
        push(&arguments, rest[i]);
    struct process process;
    int exit_status = 0;
    if (!status)
        status = process_start(arguments.list, NULL, 0, &process, error);
    if (!status)
        process_finish(&process, text, TEXT_SIZE, &exit_status);
    free_environment(&arguments);
    keep_last_line(text);
    if (!status && exit_status != 0)
        status = error_set(error, STATUS_MACHINE, "valgrind exited with status %d: %s", exit_status,
                           text);
    return status;
}

/* Fails if the simulated variant is not the one that was timed. They can differ, because valgrind's
 * processor lacks some features and an implementation may use those that it finds. */
static enum status check_same(const struct callgrind *callgrind, const struct scorer *scorer,
                              const char *text, struct error *error) {
    char expected[TEXT_SIZE];
    snprintf(expected, sizeof expected, "%zu documents, %u lanes, %zu bytes", callgrind->documents,
             scorer->lanes, scorer->bytes);
    if (strcmp(text, expected) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "valgrind simulates a processor on which another implementation would run: "
                     "%.100s there, %.100s here",
                     text, expected);
}

static enum status count(const struct callgrind *callgrind, const char *variant,
                         const struct scorer *scorer, const struct plan *plan,
                         struct counter_value *values, struct error *error) {
    if (scorer->impl->cpu & CPU_AVX512)
        return error_set(error, STATUS_UNSUPPORTED,
                         "valgrind does not support AVX-512. Only hardware counters can count this "
                         "variant");
    char text[TEXT_SIZE] = "", profile[PATH_SIZE];
    enum status status = run_valgrind(callgrind, variant, plan, text, error);
    if (!status)
        status = check_same(callgrind, scorer, text, error);
    struct file_text totals;
    path_of(callgrind, PROFILE, profile);
    if (!status)
        status = file_read(profile, &totals, error);
    if (status)
        return status;
    status = callgrind_read_totals("callgrind", totals.data, values, error);
    file_text_free(&totals);
    return status;
}

void callgrind_count(const struct callgrind *callgrind, const char *variant,
                     const struct scorer *scorer, const struct plan *plan, struct counts *counts) {
    struct error error;
    *counts = (struct counts){.source = "none"};
    if (callgrind->reason[0]) {
        memcpy(counts->reason, callgrind->reason, sizeof counts->reason);
    } else if (count(callgrind, variant, scorer, plan, counts->values, &error) != STATUS_OK) {
        snprintf(counts->reason, sizeof counts->reason, "%.*s", (int)sizeof counts->reason - 1,
                 error.text);
    } else {
        strcpy(counts->source, "callgrind");
        strcpy(counts->reason, "callgrind does not simulate cycles");
        strcpy(counts->simulated, simulated);
        counts->documents = callgrind->documents;
    }
}
