#include "harness/counting/counted_pass.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/process.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 48 };

static enum status find_valgrind(struct error *error) {
    const char *const argv[] = {"valgrind", "--version", NULL};
    char text[COUNTED_TEXT_SIZE];
    int exit_status = 127;
    return process_run(argv, text, sizeof text, &exit_status, NULL) == STATUS_OK && exit_status == 0
               ? STATUS_OK
               : error_set(error, STATUS_MACHINE,
                           "valgrind cannot be run. Install it (apt-get install valgrind)");
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

static enum status run_valgrind(struct counted_command *command,
                                const struct simulated_caches *caches, struct error *error) {
    char out_file[COUNTED_PATH_SIZE], code[48], data[48], last[48];
    snprintf(out_file, sizeof out_file, "--callgrind-out-file=%s", command->profile);
    set_option("I1", caches->l1, caches->l1_ways, code);
    set_option("D1", caches->l1, caches->l1_ways, data);
    set_option("LL", caches->last, caches->last_ways, last);
    /* valgrind counts an instruction for each byte that a repeated string instruction writes, where
     * processors count one. So glibc's memset and memcpy do without. */
    static const char *const env[] = {"env", "-i",
                                      "GLIBC_TUNABLES=glibc.cpu.x86_rep_stosb_threshold=1073741824:"
                                      "glibc.cpu.x86_rep_movsb_threshold=1073741824",
                                      NULL};
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
    int exit_status = 0;
    enum status status =
        process_run(arguments.list, command->output, sizeof command->output, &exit_status, error);
    if (!status && exit_status != 0)
        status = error_set(error, STATUS_MACHINE, "valgrind exited with status %d: %s", exit_status,
                           command->output);
    return status;
}

/* The names that callgrind gives to events. I is an instruction and D data; r is a read, w a write
 * and m a miss. 1 is the first level of caches and L the last. Bc is a conditional branch, Bi an
 * indirect one. callgrind simulates two levels of caches, so every miss in the first is an access
 * to the last. */
static const struct event {
    const char *name;
    unsigned counters; /* one bit for each counter to which the event is added */
} events[] = {
    {"Ir", 1u << COUNTER_INSTRUCTIONS},
    {"Dr", 1u << COUNTER_L1D_REFERENCES},
    {"Dw", 1u << COUNTER_L1D_REFERENCES},
    {"I1mr", 1u << COUNTER_LLC_REFERENCES},
    {"D1mr", 1u << COUNTER_L1D_MISSES | 1u << COUNTER_LLC_REFERENCES},
    {"D1mw", 1u << COUNTER_L1D_MISSES | 1u << COUNTER_LLC_REFERENCES},
    {"ILmr", 1u << COUNTER_LLC_MISSES},
    {"DLmr", 1u << COUNTER_LLC_MISSES},
    {"DLmw", 1u << COUNTER_LLC_MISSES},
    {"Bc", 1u << COUNTER_BRANCHES},
    {"Bcm", 1u << COUNTER_BRANCH_MISSES},
    {"Bi", 1u << COUNTER_BRANCHES},
    {"Bim", 1u << COUNTER_BRANCH_MISSES},
};
enum { EVENTS = sizeof events / sizeof *events };

/* Returns the text after `key` on the first line that begins with `key`, or NULL if there is no
 * such line. */
static const char *find_line(const char *text, const char *key) {
    size_t length = strlen(key);
    for (; text; text = strchr(text, '\n')) {
        text += *text == '\n';
        if (strncmp(text, key, length) == 0)
            return text + length;
    }
    return NULL;
}

/* Returns the next word of the line, or NULL at the end of the line. *length becomes its length. */
static const char *next_word(const char **line, size_t *length) {
    const char *word = *line + strspn(*line, " ");
    *length = strcspn(word, " \n");
    *line = word + *length;
    return *length > 0 ? word : NULL;
}

static const struct event *find_event(const char *name, size_t length) {
    for (size_t i = 0; i < EVENTS; i++)
        if (strlen(events[i].name) == length && strncmp(events[i].name, name, length) == 0)
            return &events[i];
    return NULL;
}

static bool read_total(const char *word, size_t length, uint64_t *total) {
    char *end;
    errno = 0;
    *total = strtoull(word, &end, 10);
    return word[0] >= '0' && word[0] <= '9' && end == word + length && errno == 0;
}

static void add(const struct event *event, uint64_t total, uint64_t *sums) {
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        if (event->counters & 1u << i)
            sums[i] += total;
}

enum status callgrind_read_totals(const char *name, const char *text, struct counter_value *values,
                                  struct error *error) {
    const char *names = find_line(text, "events:"), *totals = find_line(text, "totals:");
    if (!names || !totals)
        return error_set(error, STATUS_INPUT, "%s: not a callgrind profile: it has no %s line",
                         name, names ? "totals" : "events");
    uint64_t sums[COUNTER_COUNT] = {0}, total;
    unsigned seen = 0;
    const char *event_name, *word;
    size_t name_length, word_length;
    while ((event_name = next_word(&names, &name_length))) {
        const struct event *event = find_event(event_name, name_length);
        if (!event)
            return error_set(error, STATUS_INPUT, "%s: events: unknown event %.*s", name,
                             (int)name_length, event_name);
        if (seen & 1u << (event - events))
            return error_set(error, STATUS_INPUT, "%s: events: %.*s appears twice", name,
                             (int)name_length, event_name);
        seen |= 1u << (event - events);
        word = next_word(&totals, &word_length);
        if (!word) /* callgrind omits trailing zeros */
            continue;
        if (!read_total(word, word_length, &total))
            return error_set(error, STATUS_INPUT, "%s: totals: %.*s is not an integer", name,
                             (int)word_length, word);
        add(event, total, sums);
    }
    if (seen != (1u << EVENTS) - 1)
        return error_set(error, STATUS_INPUT,
                         "%s: events: some are missing. Run callgrind with --cache-sim=yes "
                         "--branch-sim=yes",
                         name);
    if (next_word(&totals, &word_length))
        return error_set(error, STATUS_INPUT, "%s: totals: there are more totals than events",
                         name);
    for (size_t i = 0; i < COUNTER_COUNT; i++)
        values[i] = (struct counter_value){.valid = i != COUNTER_CYCLES, .value = sums[i]};
    return STATUS_OK;
}

static void describe(const struct simulated_caches *caches, char *text, size_t size) {
    snprintf(text, size,
             "I1 and D1 %" PRIu32 " KiB, %" PRIu32 "-way; LL %" PRIu32 " MiB, %" PRIu32
             "-way; lines of %d bytes",
             caches->l1 >> 10, caches->l1_ways, caches->last >> 20, caches->last_ways,
             SIMULATED_LINE);
}

static enum status count(struct counted_command *command, const struct scorer *scorer,
                         const struct simulated_caches *caches, struct counts *counts,
                         struct error *error) {
    struct file_text totals;
    if (scorer->impl->cpu & CPU_AVX512)
        return error_set(error, STATUS_UNSUPPORTED,
                         "valgrind does not support AVX-512. --counters step counts the "
                         "instructions of this variant");
    enum status status = run_valgrind(command, caches, error);
    if (!status)
        status = file_read(command->profile, &totals, error);
    if (status)
        return status;
    status = callgrind_read_totals("callgrind", totals.data, counts->values, error);
    file_text_free(&totals);
    describe(caches, counts->simulated, sizeof counts->simulated);
    return status;
}

/* Each variant needs two passes, and callgrind runs only 20 to 60 million instructions per
 * second. */
const struct pass_counter count_by_callgrind = {
    .source = "callgrind",
    .most_pairs = (size_t)1 << 19,
    .may_be_team = true,
    .lacks = "callgrind does not simulate cycles",
    .otherwise = "valgrind simulates a processor on which another implementation would run",
    .check = find_valgrind,
    .count = count};
