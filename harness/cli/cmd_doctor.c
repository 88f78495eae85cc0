/* treebench doctor: reports what this machine allows and what disturbs it. */
#include "base/files/json.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/terminal.h"
#include "harness/doctor/doctor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_COLUMN = 24 };

struct doctor_options {
    bool json;
    int measure; /* 0: not given; otherwise an enum doctor_detail plus 1 */
};

static const char *const details[] = {
    [DOCTOR_NONE] = "none", [DOCTOR_SHORT] = "short", [DOCTOR_FULL] = "full", NULL};

static void print_more(const char *label, const char *text) {
    if (!text[0])
        return;
    printf("%*s%s", TEXT_COLUMN, "", label);
    wrap_print(stdout, text, TEXT_COLUMN + strlen(label), WRAP_TABLE);
}

/* Findings that are ok need no more than a line. */
static void print_finding(const struct finding *finding) {
    static const enum paint colours[] = {[FINDING_OK] = PAINT_GOOD,
                                         [FINDING_UNKNOWN] = PAINT_DOUBT,
                                         [FINDING_WARNING] = PAINT_DOUBT,
                                         [FINDING_MISSING] = PAINT_BAD};
    printf("%s%-8s%s %-14s ", paint(stdout, colours[finding->level]),
           finding_level_names[finding->level], paint(stdout, PAINT_OFF), finding->name);
    wrap_print(stdout, finding->text, TEXT_COLUMN, WRAP_TABLE);
    if (finding->level == FINDING_OK)
        return;
    print_more("", finding->effect);
    print_more("fix: ", finding->fix);
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct doctor_options *options = parsed->request;
    struct progress progress;
    struct examination *examination = malloc(sizeof *examination);
    if (!examination)
        return error_memory(error, "findings");
    enum status status = STATUS_OK;
    progress_begin(&progress, 1);
    doctor_examine(options->measure ? (enum doctor_detail)(options->measure - 1) : DOCTOR_SHORT,
                   &progress, command_show, examination);
    progress_done(&progress);
    if (options->json)
        status = json_print(doctor_to_json(examination), stdout, error);
    for (size_t i = 0; !options->json && i < examination->findings.count; i++)
        print_finding(&examination->findings.items[i]);
    parsed->exit_status =
        findings_worst(&examination->findings) == FINDING_MISSING ? EXIT_MACHINE : EXIT_DONE;
    free(examination);
    return status;
}

static const struct flag flags[] = {
    {"measure", NULL, "how much to measure (default: short, which takes about 5 seconds)",
     SETS_CHOICE(doctor_options, measure, details)},
    {"json", NULL, "print JSON, which docs/doctor.md describes", SETS_SWITCH(doctor_options, json)},
    {0}};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "report what this machine allows and what disturbs measuring",
    .details =
        "Reports the processor, settings of the system, clocks, counters, programs and libraries. "
        "Measures the latencies of caches and memory, the bandwidth of memory, how often the "
        "machine stalls, and how much an implementation seems to differ from itself. A finding "
        "that is not ok is followed by what it does to results, and by the command that fixes it.\n"
        "\n"
        "--measure none only reads settings. --measure full measures latencies at many more sizes. "
        "The environment variable TREEBENCH_CPU hides instruction sets: TREEBENCH_CPU=-avx512 "
        "hides AVX-512, and all that is built on it.\n"
        "\n"
        "Exit status 4: something is missing that an implementation or the measurement needs.\n"
        "\n"
        "Example:\n"
        "  treebench doctor",
    .flags = flags,
    .request = &(struct doctor_options){0},
    .run = run,
};
