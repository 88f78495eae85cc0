#include "harness/doctor/finding.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 256 };

static const char ratios_only[] = "Compare only ratios within one run.";

/* --- the processor ---------------------------------------------------------------------------- */

static void find_instructions(struct findings *findings) {
    static const char effect[] =
        "Implementations that need other instruction sets do not run here.";
    char features[TEXT_SIZE], hidden[TEXT_SIZE];
    cpu_feature_names(cpu_features(), features, sizeof features);
    cpu_feature_names(cpu_hidden_features(), hidden, sizeof hidden);
    const char *shown = features[0] ? features : "none";
    if (hidden[0])
        findings_add(findings, "instructions", FINDING_WARNING, effect, "unset TREEBENCH_CPU",
                     "%s; TREEBENCH_CPU hides %s", shown, hidden);
    else
        findings_add(findings, "instructions", FINDING_OK, effect, NULL, "%s", shown);
}

static void find_cores(const struct cpu_info *cpu, struct findings *findings) {
    if (cpu->cores < 2)
        findings_add(
            findings, "cores", FINDING_WARNING, "Other programs take time from the measured core.",
            "Use a machine, a container or a CPU mask with at least two cores.", "%u", cpu->cores);
    else if (cpu->numa_nodes == 0)
        findings_add(findings, "cores", FINDING_OK, NULL, NULL,
                     "%u on an unknown number of NUMA nodes", cpu->cores);
    else
        findings_add(findings, "cores", FINDING_OK, NULL, NULL, "%u on %u NUMA node%s", cpu->cores,
                     cpu->numa_nodes, cpu->numa_nodes == 1 ? "" : "s");
}

static void find_caches(const struct cpu_info *cpu, struct findings *findings) {
    if (!cpu->l1d_bytes || !cpu->l2_bytes)
        findings_add(findings, "caches", FINDING_UNKNOWN, "Reports lack the sizes of the caches.",
                     "Make /sys visible to this process.",
                     "the kernel lists none in /sys/devices/system/cpu");
    else
        findings_add(findings, "caches", FINDING_OK,
                     "A model or documents larger than a cache are read from the next one.", NULL,
                     "L1d %zu KB, L2 %zu KB, L3 %zu KB", cpu->l1d_bytes >> 10, cpu->l2_bytes >> 10,
                     cpu->l3_bytes >> 10);
}

void find_processor(const struct cpu_info *cpu, struct findings *findings) {
    findings_add(findings, "CPU", FINDING_OK, NULL, NULL, "%s",
                 cpu->model[0] ? cpu->model : "unknown model");
    find_instructions(findings);
    find_cores(cpu, findings);
    find_caches(cpu, findings);
}

/* --- who shares the processor ----------------------------------------------------------------- */

static void find_load(const struct surroundings *s, unsigned cores, struct findings *findings) {
    static const char effect[] =
        "Other programs take time from the measured core, and space in its caches.";
    if (isnan(s->load))
        findings_add(findings, "load", FINDING_UNKNOWN, effect, ratios_only,
                     "/proc/loadavg cannot be read");
    else
        findings_add(findings, "load", s->load + 1 > cores ? FINDING_WARNING : FINDING_OK, effect,
                     "Wait until other programs end; `top` lists them. Or compare only ratios "
                     "within one run.",
                     "%.2f of %u core%s in the last minute", s->load, cores, cores == 1 ? "" : "s");
}

void find_steal(const struct cpu_ticks *before, const struct cpu_ticks *after,
                struct findings *findings) {
    static const char effect[] = "The wall clock runs on while the hypervisor runs other machines, "
                                 "and the CPU clock may count that time too.";
    const double most = 0.005; /* as large as a difference that one wants to see */
    double share = surroundings_steal(before, after);
    const char *since = before->total ? "while doctor measured" : "since the system started";
    if (isnan(share))
        findings_add(findings, "steal time", FINDING_UNKNOWN, effect, ratios_only,
                     "/proc/stat does not tell");
    else
        findings_add(findings, "steal time", share > most ? FINDING_WARNING : FINDING_OK, effect,
                     "Use a machine with processors of its own, or measure at another time.",
                     "%.2f %% of the time %s", 100 * share, since);
}

static void find_quota(const struct surroundings *s, unsigned cores, struct findings *findings) {
    static const char effect[] =
        "Once the quota is used up, all threads stop until the next period.";
    if (isnan(s->cpu_quota))
        findings_add(findings, "CPU quota", FINDING_UNKNOWN, effect,
                     "Mount /sys/fs/cgroup, or ask who runs the container.",
                     "no control group is visible");
    else if (isinf(s->cpu_quota))
        findings_add(findings, "CPU quota", FINDING_OK, effect, NULL, "none");
    else
        findings_add(findings, "CPU quota", FINDING_WARNING, effect,
                     "Run the container without a quota (docker run --cpuset-cpus instead of "
                     "--cpus).",
                     "%.2f of %u core%s", s->cpu_quota, cores, cores == 1 ? "" : "s");
}

static void find_smt(const struct surroundings *s, struct findings *findings) {
    static const char effect[] =
        "Two hyper-threads share a core: work on one of them slows the other down.";
    if (s->smt == ANSWER_UNKNOWN)
        findings_add(findings, "SMT", FINDING_UNKNOWN, effect, ratios_only,
                     "the kernel has no /sys/devices/system/cpu/smt");
    else if (s->smt == ANSWER_YES)
        findings_add(findings, "SMT", FINDING_WARNING, effect,
                     "echo off | sudo tee /sys/devices/system/cpu/smt/control", "on");
    else
        findings_add(findings, "SMT", FINDING_OK, effect, NULL, "%s",
                     s->is_virtual == ANSWER_YES ? "off, as far as this virtual machine is told"
                                                 : "off");
}

static void find_virtualisation(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "Other machines share caches, memory and often the cores. Clock "
                                 "rate and hardware counters are often hidden.";
    static const char fix[] = "Measure on bare metal if absolute times matter. Here, compare only "
                              "ratios within one run.";
    if (s->is_virtual == ANSWER_UNKNOWN)
        findings_add(findings, "virtualisation", FINDING_UNKNOWN, effect, fix,
                     "this architecture has no flag for it");
    else if (s->is_virtual == ANSWER_YES)
        findings_add(findings, "virtualisation", FINDING_WARNING, effect, fix,
                     "a virtual machine%s%s", s->hypervisor[0] ? ": " : "", s->hypervisor);
    else
        findings_add(findings, "virtualisation", FINDING_OK, effect, NULL, "none");
}

/* --- the clock rate --------------------------------------------------------------------------- */

static void find_governor(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "The clock rate may change with the load, so that times of two "
                                 "runs differ.";
    if (!s->governor[0])
        findings_add(findings, "governor", FINDING_UNKNOWN, effect, ratios_only,
                     "the kernel has no cpufreq, as on most virtual machines");
    else
        findings_add(findings, "governor",
                     strcmp(s->governor, "performance") == 0 ? FINDING_OK : FINDING_WARNING, effect,
                     "sudo cpupower frequency-set -g performance", "%s", s->governor);
}

static void find_turbo(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "The clock rate depends on the temperature and on how many cores "
                                 "work, so that times of two runs differ.";
    char fix[TEXT_SIZE];
    if (s->turbo == ANSWER_UNKNOWN) {
        findings_add(findings, "turbo", FINDING_UNKNOWN, effect, ratios_only,
                     "the kernel has no switch for it, as on most virtual machines");
        return;
    }
    snprintf(fix, sizeof fix, "echo %d | sudo tee %s", strstr(s->turbo_switch, "no_turbo") != NULL,
             s->turbo_switch);
    if (s->turbo == ANSWER_YES)
        findings_add(findings, "turbo", FINDING_WARNING, effect, fix, "on");
    else
        findings_add(findings, "turbo", FINDING_OK, effect, NULL, "off");
}

/* --- tails of single calls ---------------------------------------------------------------------
 */

static void find_isolation(const struct surroundings *s, struct findings *findings) {
    static const char effect[] =
        "Other threads and timer interrupts lengthen single calls: they are the tails of latency. "
        "Throughput hardly suffers.";
    static const char fix[] = "For tails, boot with isolcpus=N nohz_full=N for a core N whose SMT "
                              "sibling is idle, and run taskset -c N treebench latency ...";
    if (s->isolated == ANSWER_UNKNOWN)
        findings_add(findings, "isolated cores", FINDING_UNKNOWN, effect,
                     "Make /sys visible to this process.",
                     "/sys/devices/system/cpu/isolated cannot be read");
    else if (s->isolated == ANSWER_NO)
        findings_add(findings, "isolated cores", FINDING_WARNING, effect, fix, "none");
    else if (s->tickless != ANSWER_YES)
        findings_add(findings, "isolated cores", FINDING_WARNING, effect, fix,
                     "some, but with timer interrupts");
    else
        findings_add(findings, "isolated cores", FINDING_OK, effect, NULL,
                     "some, without timer interrupts");
}

static void find_idle_states(const struct surroundings *s, struct findings *findings) {
    static const char effect[] = "A server's first call after a pause waits until the core is "
                                 "awake, and finds colder caches.";
    const int most_us = 10; /* as long as a call of a large model */
    if (s->idle_exit_us < 0)
        findings_add(findings, "idle states", FINDING_UNKNOWN, effect, ratios_only,
                     "the kernel has no cpuidle, as on many virtual machines");
    else
        findings_add(findings, "idle states",
                     s->idle_exit_us > most_us ? FINDING_WARNING : FINDING_OK, effect,
                     "sudo cpupower idle-set -D 10, which disables states that take longer",
                     "up to %d us to wake up", s->idle_exit_us);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Randomised addresses are right for treebench: it samples them by placements. */
static void find_aslr(const struct surroundings *s, struct findings *findings) {
    if (s->aslr < 0)
        findings_add(findings, "ASLR", FINDING_UNKNOWN,
                     "Addresses affect times. Without random ones, each run has the same luck.",
                     "Make /proc/sys visible to this process.",
                     "/proc/sys/kernel/randomize_va_space cannot be read");
    else if (s->aslr == 0)
        findings_add(findings, "ASLR", FINDING_WARNING,
                     "Addresses affect times. Every run has the same ones, so that intervals do "
                     "not cover what another placement would give.",
                     "sudo sysctl kernel.randomize_va_space=2", "off");
    else
        findings_add(findings, "ASLR", FINDING_OK,
                     "Addresses, and with them times, differ from process to process. Intervals "
                     "over placements cover this.",
                     NULL, "on");
}

static void find_huge_pages(const struct surroundings *s, struct findings *findings) {
    const char *effect =
        strcmp(s->huge_pages, "always") == 0
            ? "Large models and documents get huge pages if there are free ones, and otherwise "
              "take longer: this differs between runs."
            : "Models and documents are in pages of the basic size. Large ones cost time for the "
              "translation of addresses.";
    if (!s->huge_pages[0])
        findings_add(findings, "huge pages", FINDING_UNKNOWN,
                     "Large models take less time in huge pages.",
                     "Make /sys visible to this process.",
                     "/sys/kernel/mm/transparent_hugepage cannot be read");
    else
        findings_add(findings, "huge pages", FINDING_OK, effect, NULL, "%s", s->huge_pages);
}

void find_settings(const struct surroundings *surroundings, unsigned cores,
                   struct findings *findings) {
    find_load(surroundings, cores, findings);
    find_quota(surroundings, cores, findings);
    find_virtualisation(surroundings, findings);
    find_governor(surroundings, findings);
    find_turbo(surroundings, findings);
    find_smt(surroundings, findings);
    find_isolation(surroundings, findings);
    find_idle_states(surroundings, findings);
    find_aslr(surroundings, findings);
    find_huge_pages(surroundings, findings);
}
