#include "harness/regress/pairs.h"

#include "base/cpu.h"
#include "base/process.h"
#include "harness/counting/step.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 1024, OUTPUT_SIZE = 1 << 20, COMMAND_SIZE = 8192, SAMPLES_MAX = 4096 };
enum { EXIT_REFUSED = 4 }; /* of `treebench duet` */

const char *const pair_side_names[PAIR_SIDES] = {"base", "head"};

/* Removes the prefix of messages and what follows the first line. */
static const char *first_line(char *text) {
    static const char prefix[] = "treebench: ";
    text[strcspn(text, "\n")] = '\0';
    return strncmp(text, prefix, sizeof prefix - 1) == 0 ? text + sizeof prefix - 1 : text;
}

/* The command line of `treebench duet`. It has room for one more option. */
struct duet_command {
    const char *argv[18]; /* ended by NULL */
    size_t count;
    char block[24], seed[24];
};

static void make_duet(const char *const libraries[PAIR_SIDES],
                      const struct regress_workload *workload, const char *impl, uint64_t seed,
                      struct duet_command *duet) {
    *duet = (struct duet_command){.argv = {"/proc/self/exe", "duet", "--base", libraries[PAIR_BASE],
                                           "--head", libraries[PAIR_HEAD], "--model",
                                           workload->model, "--data", workload->data, "--impl",
                                           impl, "--seed", duet->seed},
                                  .count = 14};
    snprintf(duet->seed, sizeof duet->seed, "%" PRIu64, seed & INT64_MAX);
    if (workload->block == 0)
        return;
    snprintf(duet->block, sizeof duet->block, "%zu", workload->block);
    duet->argv[duet->count++] = "--block";
    duet->argv[duet->count++] = duet->block;
}

enum status pair_of_libraries(const char *const libraries[PAIR_SIDES],
                              const struct regress_workload *workload, const char *impl,
                              uint64_t seed, struct pair *pair, struct error *error) {
    char text[TEXT_SIZE];
    int exit_status;
    struct duet_command duet;
    make_duet(libraries, workload, impl, seed, &duet);
    enum status status = process_run(duet.argv, text, sizeof text, &exit_status, error);
    if (status)
        return status;
    if (exit_status != 0)
        return error_set(error, exit_status == EXIT_REFUSED ? STATUS_UNSUPPORTED : STATUS_INPUT,
                         "%s", first_line(text));
    if (sscanf(text, "%lf %lf %lf", &pair->log_ratio, &pair->value[PAIR_BASE],
               &pair->value[PAIR_HEAD]) != 3 ||
        !isfinite(pair->log_ratio))
        return error_set(error, STATUS_INPUT, "treebench duet printed \"%s\"", first_line(text));
    return STATUS_OK;
}

enum status pair_count_libraries(const char *const libraries[PAIR_SIDES],
                                 const struct regress_workload *workload, const char *impl,
                                 uint64_t instructions[PAIR_SIDES], struct error *error) {
    struct duet_command duet;
    struct step_counts counts;
    make_duet(libraries, workload, impl, 1, &duet);
    duet.argv[duet.count++] = "--step";
    const struct step_request request = {duet.argv, (const char *const *)environ, STEP_LIMIT};
    enum status status = step_count(&request, &counts, error);
    if (status)
        return status;
    if (counts.n_regions != PAIR_SIDES)
        return error_set(error, STATUS_MACHINE, "treebench duet marked %zu regions",
                         counts.n_regions);
    memcpy(instructions, counts.instructions, PAIR_SIDES * sizeof *instructions);
    return STATUS_OK;
}

/* --- commands --------------------------------------------------------------------------------- */

/* Replaces each {} by the seed. */
static enum status expand(const char *command, uint64_t seed, char *expanded, struct error *error) {
    size_t length = 0;
    for (const char *at = command; *at && length < COMMAND_SIZE;) {
        const char *hole = strstr(at, "{}");
        size_t plain = hole ? (size_t)(hole - at) : strlen(at);
        int written = snprintf(expanded + length, COMMAND_SIZE - length, "%.*s", (int)plain, at);
        length += (size_t)written;
        at += plain;
        if (hole && length < COMMAND_SIZE) {
            length += (size_t)snprintf(expanded + length, COMMAND_SIZE - length, "%" PRIu64, seed);
            at += 2;
        }
    }
    if (length >= COMMAND_SIZE)
        return error_set(error, STATUS_INPUT, "a command is longer than %d bytes",
                         COMMAND_SIZE - 1);
    return STATUS_OK;
}

/* Returns the median of the lines that are positive numbers, or NaN if there is none. */
static double median_of_lines(char *text) {
    double samples[SAMPLES_MAX];
    size_t count = 0;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && count < SAMPLES_MAX;
         line = strsep(&rest, "\n")) {
        char *end;
        double value = strtod(line, &end);
        if (end != line && end[strspn(end, " \t\r")] == '\0' && value > 0 && isfinite(value))
            samples[count++] = value;
    }
    return stats_median(samples, count);
}

static enum status run_side(const char *const commands[PAIR_SIDES], enum pair_side side,
                            enum pair_metric metric, uint64_t seed, char *text, double *value,
                            struct error *error) {
    char command[COMMAND_SIZE];
    int exit_status;
    const char *const argv[] = {"sh", "-c", command, NULL};
    enum status status = expand(commands[side], seed, command, error);
    uint64_t begin = timer_wall_ns();
    if (!status)
        status = process_run(argv, text, OUTPUT_SIZE, &exit_status, error);
    if (status)
        return status;
    double wall = (double)(timer_wall_ns() - begin);
    if (exit_status != 0)
        return error_set(error, STATUS_INPUT, "the command of %s ended with status %d: %s",
                         pair_side_names[side], exit_status, first_line(text));
    *value = metric == PAIR_WALL ? wall : median_of_lines(text);
    if (!(*value > 0))
        return error_set(error, STATUS_INPUT,
                         "the command of %s printed no line that is a positive number. Print one "
                         "time or count per line, or use --metric wall",
                         pair_side_names[side]);
    return STATUS_OK;
}

enum status pair_of_commands(const char *const commands[PAIR_SIDES], enum pair_metric metric,
                             uint64_t seed, struct pair *pair, struct error *error) {
    char *text = malloc(OUTPUT_SIZE);
    struct cpu_affinity before;
    enum pair_side first = seed % 2 ? PAIR_HEAD : PAIR_BASE;
    if (!text)
        return error_memory(error, "the output of a command");
    cpu_pin_here(&before); /* the commands inherit it */
    enum status status = run_side(commands, first, metric, seed, text, &pair->value[first], error);
    enum pair_side second = first == PAIR_BASE ? PAIR_HEAD : PAIR_BASE;
    if (!status)
        status = run_side(commands, second, metric, seed, text, &pair->value[second], error);
    cpu_unpin(&before);
    free(text);
    if (!status)
        pair->log_ratio = log(pair->value[PAIR_HEAD] / pair->value[PAIR_BASE]);
    return status;
}
