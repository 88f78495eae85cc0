/* treebench doctor: checks whether this machine is ready for measuring. */
#include "base/cpu.h"
#include "base/process.h"
#include "harness/cli/commands.h"
#include "harness/cli/shared/paint.h"
#include "harness/cli/shared/wrap.h"
#include "harness/instruments/counters.h"
#include "harness/instruments/timer.h"
#include "impls/scorer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* FINDING_MISSING: something that treebench needs is missing, such as a compiler or a working
 * clock. */
enum finding { FINDING_OK, FINDING_WARNING, FINDING_MISSING };

enum { TEXT_SIZE = 256 };

static enum finding report(enum finding finding, const char *what, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static enum finding report(enum finding finding, const char *what, const char *format, ...) {
    static const char *const words[] = {"ok", "warning", "missing"};
    static const enum paint colours[] = {PAINT_GOOD, PAINT_DOUBT, PAINT_BAD};
    va_list arguments;
    va_start(arguments, format);
    char text[2 * TEXT_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%s%-8s%s %-14s ", paint(stdout, colours[finding]), words[finding],
           paint(stdout, PAINT_OFF), what);
    wrap_print(stdout, text, 24, WRAP_TABLE);
    return finding;
}

/* --- processor -------------------------------------------------------------------------------- */

static enum finding check_features(const struct cpu_info *info) {
    char features[TEXT_SIZE], hidden[TEXT_SIZE];
    cpu_feature_names(cpu_features(), features, sizeof features);
    cpu_feature_names(cpu_hidden_features(), hidden, sizeof hidden);
    report(FINDING_OK, "CPU", "%s", info->model[0] ? info->model : "unknown model");
    if (hidden[0])
        return report(FINDING_WARNING, "instructions", "%s; TREEBENCH_CPU hides %s",
                      features[0] ? features : "none", hidden);
    return report(FINDING_OK, "instructions", "%s", features[0] ? features : "none");
}

static enum finding check_cores(const struct cpu_info *info) {
    if (info->cores < 2)
        return report(FINDING_WARNING, "cores",
                      "%u: other programs take time from the measured core; use at least two",
                      info->cores);
    return report(FINDING_OK, "cores", "%u on %u NUMA node%s", info->cores, info->numa_nodes,
                  info->numa_nodes == 1 ? "" : "s");
}

/* Warns if other programs may share the core of the measuring process. */
static enum finding check_load(const struct cpu_info *info) {
    double load = cpu_load();
    if (isnan(load))
        return report(FINDING_WARNING, "load", "unknown: other programs may use the cores");
    if (load + 1 > info->cores)
        return report(FINDING_WARNING, "load",
                      "%.2f of %u core%s in the last minute: other programs use them; wait, or "
                      "compare only ratios within one run",
                      load, info->cores, info->cores == 1 ? "" : "s");
    return report(FINDING_OK, "load", "%.2f of %u cores in the last minute", load, info->cores);
}

static enum finding check_caches(const struct cpu_info *info) {
    if (!info->l1d_bytes || !info->l2_bytes)
        return report(
            FINDING_WARNING, "caches",
            "unknown: the kernel lists none in /sys/devices/system/cpu; reports lack their sizes");
    return report(FINDING_OK, "caches", "L1d %zu KB, L2 %zu KB, L3 %zu KB", info->l1d_bytes >> 10,
                  info->l2_bytes >> 10, info->l3_bytes >> 10);
}

static enum finding check_governor(const struct cpu_info *info) {
    if (!info->governor[0])
        return report(FINDING_WARNING, "governor",
                      "unknown, as on most virtual machines: the clock rate may change unnoticed; "
                      "compare only ratios within one run");
    if (strcmp(info->governor, "performance") != 0)
        return report(FINDING_WARNING, "governor",
                      "%s: the clock rate changes with the load; run cpupower frequency-set -g "
                      "performance",
                      info->governor);
    return report(FINDING_OK, "governor", "%s", info->governor);
}

/* --- clocks and counters ---------------------------------------------------------------------- */

static enum finding check_clock(const char *what, double resolution_ns, double cost_ns) {
    const double coarse_ns = 1000;
    if (!(resolution_ns > 0))
        return report(FINDING_MISSING, what, "does not advance: no time can be measured");
    if (resolution_ns > coarse_ns)
        return report(FINDING_WARNING, what,
                      "steps of %.0f ns: samples must be long; choose a better clock source in "
                      "/sys/devices/system/clocksource",
                      resolution_ns);
    return report(FINDING_OK, what, "steps of %.0f ns, %.0f ns per reading", resolution_ns,
                  cost_ns);
}

static void spin(void *argument) {
    volatile unsigned *sum = argument;
    for (unsigned i = 0; i < 100000; i++)
        *sum += i;
}

static enum finding check_counters(void) {
    struct counts counts;
    unsigned sum = 0;
    counters_count(COUNTERS_AUTO, spin, &sum, &counts);
    if (counts.reason[0])
        return report(FINDING_WARNING, "counters", "%s", counts.reason);
    return report(FINDING_OK, "counters", "all %d, from %s", (int)COUNTER_COUNT, counts.source);
}

/* --- programs --------------------------------------------------------------------------------- */

static enum finding report_memory(const char *what) {
    return report(FINDING_MISSING, what, "unknown: out of memory while looking for it");
}

/* Reads the first line that `program --version` prints. Returns STATUS_MACHINE if the program
 * cannot be run, and STATUS_MEMORY if memory runs out. */
static enum status program_version(const char *program, char *text, size_t size) {
    const char *const argv[] = {program, "--version", NULL};
    struct process process;
    int exit_status;
    enum status status = process_start(argv, NULL, 0, &process, NULL);
    if (status)
        return status;
    process_finish(&process, text, size, &exit_status);
    text[strcspn(text, "\n")] = '\0';
    return exit_status == 0 ? STATUS_OK : STATUS_MACHINE;
}

static enum finding check_compiler(void) {
    char version[TEXT_SIZE];
    const char *named = getenv("TREEBENCH_CC");
    const char *program = named && *named ? named : "cc";
    enum status status = program_version(program, version, sizeof version);
    if (status == STATUS_MEMORY)
        return report_memory("compiler");
    if (status)
        return report(FINDING_MISSING, "compiler",
                      "'%s' does not run, but codegen needs it; apt-get install gcc libc6-dev, or "
                      "name a compiler in TREEBENCH_CC",
                      program);
    return report(FINDING_OK, "compiler", "%s", version);
}

static enum finding check_gnuplot(void) {
    char version[TEXT_SIZE];
    enum status status = program_version("gnuplot", version, sizeof version);
    if (status == STATUS_MEMORY)
        return report_memory("gnuplot");
    if (status)
        return report(FINDING_WARNING, "gnuplot",
                      "does not run: reports have no figures; apt-get install gnuplot-nox");
    return report(FINDING_OK, "gnuplot", "%s", version);
}

static enum finding check_valgrind(void) {
    char version[TEXT_SIZE];
    enum status status = program_version("valgrind", version, sizeof version);
    if (status == STATUS_MEMORY)
        return report_memory("valgrind");
    if (status)
        return report(
            FINDING_WARNING, "valgrind",
            "does not run: --counters callgrind is not available; apt-get install valgrind");
    return report(FINDING_OK, "valgrind", "%s: --counters callgrind", version);
}

/* Libraries are optional, so a missing library is only a warning. */
static enum finding check_library(const struct impl *impl) {
    char text[TEXT_SIZE];
    enum status status = impl->find(text, sizeof text);
    if (status == STATUS_MEMORY)
        return report_memory(impl->name);
    if (status)
        return report(FINDING_WARNING, impl->name, "left out of comparisons: %s", text);
    return report(FINDING_OK, impl->name, "%s", text);
}

static void worsen(enum finding *worst, enum finding finding) {
    if (finding > *worst)
        *worst = finding;
}

static int examine(void) {
    struct cpu_info info;
    struct timer_info timer;
    cpu_read_info(&info);
    timer_measure(&timer);
    enum finding worst = FINDING_OK;
    worsen(&worst, check_features(&info));
    worsen(&worst, check_cores(&info));
    worsen(&worst, check_load(&info));
    worsen(&worst, check_caches(&info));
    worsen(&worst, check_governor(&info));
    worsen(&worst, check_clock("wall clock", timer.wall_resolution_ns, timer.wall_cost_ns));
    worsen(&worst, check_clock("CPU clock", timer.cpu_resolution_ns, timer.cpu_cost_ns));
    worsen(&worst, check_counters());
    worsen(&worst, check_compiler());
    worsen(&worst, check_valgrind());
    worsen(&worst, check_gnuplot());
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        if (impls[i]->kind == IMPL_LIBRARY)
            worsen(&worst, check_library(impls[i]));
    return worst == FINDING_MISSING ? EXIT_MACHINE : EXIT_DONE;
}

static int run(int argc, char **argv) {
    struct parsed parsed = command_parse(&command_doctor, argc, argv, NULL);
    return parsed.ends ? parsed.exit_status : examine();
}

static const struct flag flags[] = {{0}};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "check what this machine has for measuring",
    .details =
        "Each warning names what is missing from results, and what to do. The environment variable "
        "TREEBENCH_CPU hides instruction sets: TREEBENCH_CPU=-avx512 hides AVX-512, and all that "
        "is built on it.\n"
        "\n"
        "Exit status 4: something is missing that an implementation or the measurement needs.\n"
        "\n"
        "Example:\n"
        "  treebench doctor",
    .flags = flags,
    .run = run,
};
