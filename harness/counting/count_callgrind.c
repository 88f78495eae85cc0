#include "harness/counting/count_callgrind.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/process.h"
#include "harness/counting/callgrind_totals.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 48 };

static enum status find_valgrind(struct error *error) {
    const char *const argv[] = {"valgrind", "--version", NULL};
    struct process process;
    char text[COUNTED_TEXT_SIZE];
    int exit_status = 127;
    if (process_start(argv, NULL, 0, &process, NULL) == STATUS_OK)
        process_finish(&process, text, sizeof text, &exit_status);
    return exit_status == 0
               ? STATUS_OK
               : error_set(error, STATUS_MACHINE,
                           "valgrind cannot be run. Install it (apt-get install valgrind)");
}

void callgrind_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                     const struct matrix *documents) {
    struct error error;
    *pass = (struct counted_pass){.documents = 0};
    if (find_valgrind(&error) != STATUS_OK)
        counted_pass_refuse(pass, &error);
    else
        counted_pass_begin(pass, ensemble, documents, CALLGRIND_PAIRS);
}

struct arguments {
    const char *list[ARGUMENTS_MAX];
    size_t count;
};

static void push_all(struct arguments *arguments, const char *const *texts) {
    for (size_t i = 0; texts[i]; i++)
        arguments->list[arguments->count++] = texts[i];
}

/* Sets a cache option of valgrind, such as "--D1=32768,8,64". */
static void set_option(const char *name, uint32_t bytes, uint32_t ways, char option[static 48]) {
    snprintf(option, 48, "--%s=%" PRIu32 ",%" PRIu32 ",%d", name, bytes, ways, SIMULATED_LINE);
}

static enum status run_valgrind(const struct counted_pass *pass,
                                const struct counted_command *command,
                                const struct simulated_caches *caches,
                                char text[static COUNTED_TEXT_SIZE], struct error *error) {
    char out_file[COUNTED_PATH_SIZE], code[48], data[48], last[48];
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s",
             pass->folder.files[COUNTED_PROFILE]);
    set_option("I1", caches->l1, caches->l1_ways, code);
    set_option("D1", caches->l1, caches->l1_ways, data);
    set_option("LL", caches->last, caches->last_ways, last);
    static const char *const env[] = {"env", "-i", NULL};
    const char *const valgrind[] = {"valgrind",
                                    "-q",
                                    "--tool=callgrind",
                                    "--vgdb=no",
                                    code,
                                    data,
                                    last,
                                    "--cache-sim=yes",
                                    "--branch-sim=yes",
                                    "--instr-atstart=no",
                                    "--collect-atstart=no",
                                    out_file,
                                    NULL};
    struct arguments arguments = {.count = 0};
    push_all(&arguments, env);
    push_all(&arguments, (const char *const *)command->environment);
    push_all(&arguments, valgrind);
    push_all(&arguments, command->arguments);
    struct process process;
    int exit_status = 0;
    enum status status = process_start(arguments.list, NULL, 0, &process, error);
    if (!status)
        process_finish(&process, text, COUNTED_TEXT_SIZE, &exit_status);
    if (!status && exit_status != 0)
        status = error_set(error, STATUS_MACHINE, "valgrind exited with status %d: %s", exit_status,
                           text);
    return status;
}

/* Fails if the simulated variant is not the one that was timed. They can differ, because valgrind's
 * processor lacks some features and an implementation may use those that it finds. */
static enum status check_same(const struct counted_pass *pass, const struct scorer *scorer,
                              char *text, struct error *error) {
    char expected[COUNTED_TEXT_SIZE];
    if (counted_pass_is_of(pass, scorer, text, expected))
        return STATUS_OK;
    return error_set(error, STATUS_UNSUPPORTED,
                     "valgrind simulates a processor on which another implementation would run: "
                     "%.100s there, %.100s here",
                     text, expected);
}

static enum status count(const struct counted_pass *pass, const char *variant,
                         const struct scorer *scorer, const struct plan *plan,
                         const struct simulated_caches *caches, struct counter_value *values,
                         struct error *error) {
    if (scorer->impl->cpu & CPU_AVX512)
        return error_set(error, STATUS_UNSUPPORTED,
                         "valgrind does not support AVX-512. --counters step counts the "
                         "instructions of this variant");
    char text[COUNTED_TEXT_SIZE] = "";
    struct counted_command command;
    enum status status = counted_command_make(pass, variant, plan, &command, error);
    if (!status)
        status = run_valgrind(pass, &command, caches, text, error);
    counted_command_free(&command);
    if (!status)
        status = check_same(pass, scorer, text, error);
    struct file_text totals;
    if (!status)
        status = file_read(pass->folder.files[COUNTED_PROFILE], &totals, error);
    if (status)
        return status;
    status = callgrind_read_totals("callgrind", totals.data, values, error);
    file_text_free(&totals);
    return status;
}

static void describe(const struct simulated_caches *caches, char *text, size_t size) {
    snprintf(text, size,
             "I1 and D1 %" PRIu32 " KiB, %" PRIu32 "-way; LL %" PRIu32 " MiB, %" PRIu32
             "-way; lines of %d bytes",
             caches->l1 >> 10, caches->l1_ways, caches->last >> 20, caches->last_ways,
             SIMULATED_LINE);
}

void callgrind_count(const struct counted_pass *pass, const char *variant,
                     const struct scorer *scorer, const struct plan *plan,
                     const struct simulated_caches *caches, struct counts *counts) {
    struct error error;
    *counts = (struct counts){.source = "none"};
    if (pass->reason[0]) {
        counts_refuse(counts, pass->reason);
    } else if (count(pass, variant, scorer, plan, caches, counts->values, &error) != STATUS_OK) {
        counts_refuse(counts, error.text);
    } else {
        strcpy(counts->source, "callgrind");
        strcpy(counts->reason, "callgrind does not simulate cycles");
        describe(caches, counts->simulated, sizeof counts->simulated);
        counts->documents = pass->documents;
    }
}
