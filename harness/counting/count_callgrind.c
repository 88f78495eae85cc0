#include "harness/counting/count_callgrind.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/process.h"
#include "harness/counting/callgrind_totals.h"

#include <stdio.h>
#include <string.h>

enum { ARGUMENTS_MAX = 48 };

/* All machines simulate the caches of the Xeon E5-2630 v3 (lettich2018, Table 5), so that counts
 * from different machines can be compared. */
#define CACHE_OPTIONS "--I1=32768,8,64", "--D1=32768,8,64", "--LL=20971520,20,64"
static const char simulated[] = "I1 and D1 32 KiB, 8-way; LL 20 MiB, 20-way; lines of 64 bytes";

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
    *pass = (struct counted_pass){.folder = ""};
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

static enum status run_valgrind(const struct counted_pass *pass,
                                const struct counted_command *command,
                                char text[static COUNTED_TEXT_SIZE], struct error *error) {
    char profile[COUNTED_PATH_SIZE], out_file[COUNTED_PATH_SIZE + 32];
    counted_pass_path(pass, COUNTED_PROFILE, profile);
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s", profile);
    static const char *const env[] = {"env", "-i", NULL};
    const char *const valgrind[] = {"valgrind",
                                    "-q",
                                    "--tool=callgrind",
                                    "--vgdb=no",
                                    CACHE_OPTIONS,
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
                         struct counter_value *values, struct error *error) {
    if (scorer->impl->cpu & CPU_AVX512)
        return error_set(error, STATUS_UNSUPPORTED,
                         "valgrind does not support AVX-512. --counters step counts the "
                         "instructions of this variant");
    char text[COUNTED_TEXT_SIZE] = "", profile[COUNTED_PATH_SIZE];
    struct counted_command command;
    enum status status = counted_command_make(pass, variant, plan, &command, error);
    if (!status)
        status = run_valgrind(pass, &command, text, error);
    counted_command_free(&command);
    if (!status)
        status = check_same(pass, scorer, text, error);
    struct file_text totals;
    counted_pass_path(pass, COUNTED_PROFILE, profile);
    if (!status)
        status = file_read(profile, &totals, error);
    if (status)
        return status;
    status = callgrind_read_totals("callgrind", totals.data, values, error);
    file_text_free(&totals);
    return status;
}

void callgrind_count(const struct counted_pass *pass, const char *variant,
                     const struct scorer *scorer, const struct plan *plan, struct counts *counts) {
    struct error error;
    *counts = (struct counts){.source = "none"};
    if (pass->reason[0]) {
        counts_refuse(counts, pass->reason);
    } else if (count(pass, variant, scorer, plan, counts->values, &error) != STATUS_OK) {
        counts_refuse(counts, error.text);
    } else {
        strcpy(counts->source, "callgrind");
        strcpy(counts->reason, "callgrind does not simulate cycles");
        strcpy(counts->simulated, simulated);
        counts->documents = pass->documents;
    }
}
