#include "harness/doctor/finding.h"

#include <math.h>

/* A measurement that failed for lack of memory is missing, as everything that doctor could not
 * check for this reason (docs/doctor.md). */
static void add_failure(const char *name, const char *effect, enum status status,
                        const struct error *error, struct findings *findings) {
    findings_add(findings, name, status == STATUS_MEMORY ? FINDING_MISSING : FINDING_UNKNOWN,
                 effect, NULL, "%s", error->text);
}

/* --- latencies -------------------------------------------------------------------------------- */

static const char latency_effect[] =
    "A load from a cache or from memory takes this long if nothing hides it. c2, c3 and c4 are "
    "the latencies of L2, L3 and memory, divided by that of L1 (jin2016).";

static void find_latencies(const char *name, const struct page_survey *pages, double clock_ghz,
                           struct findings *findings) {
    static const char *const names[LATENCY_LEVELS] = {"L1", "L2", "L3", "memory"};
    static const char *const ratios[LATENCY_LEVELS] = {NULL, "c2", "c3", "c4"};
    char text[FINDING_TEXT_SIZE] = "";
    for (int i = 0; i < LATENCY_LEVELS; i++)
        if (!isnan(pages->levels.ns[i]))
            text_append(text, sizeof text, "%s%s %.1f ns (%.0f cycles)", text[0] ? ", " : "",
                        names[i], pages->levels.ns[i], pages->levels.ns[i] * clock_ghz);
    for (int i = 1; i < LATENCY_LEVELS; i++)
        if (!isnan(latency_ratio(&pages->levels, i)))
            text_append(text, sizeof text, "%s %s = %.1f", i == 1 ? ";" : ",", ratios[i],
                        latency_ratio(&pages->levels, i));
    if (!text[0])
        findings_add(findings, name, FINDING_UNKNOWN, latency_effect,
                     "Make /sys visible to this process, so that the sizes of caches are known.",
                     "the sizes of the caches are unknown");
    else
        findings_add(findings, name, FINDING_OK, latency_effect, NULL, "%s", text);
}

/* --- shared caches ---------------------------------------------------------------------------- */

/* Compares the end of the last cache that was seen with the size that the system reports. */
static void find_last_cache(const struct memory_survey *survey, struct findings *findings) {
    const double megabyte = 1 << 20;
    int last = caches_last(&survey->caches);
    const struct latency_levels *levels = &survey->pages[PAGES_SMALL].levels;
    if (last < 0 || levels->bytes[last] == survey->caches.levels[last].bytes)
        return;
    findings_add(findings, "last cache", FINDING_WARNING,
                 "Other machines or programs use the rest. Sets of more than this wait for memory, "
                 "and how much is left may change while one measures.",
                 "Use a machine of its own, or models and documents that fit.",
                 "the system reports %.1f MB of L%d, but only about %.1f MB are there to use",
                 (double)survey->caches.levels[last].bytes / megabyte, last + 1,
                 (double)levels->bytes[last] / megabyte);
}

static void find_bandwidth(const struct memory_survey *survey, struct findings *findings) {
    static const char effect[] =
        "One thread cannot read models or documents beyond the caches faster than this.";
    if (isnan(survey->bandwidth))
        findings_add(findings, "bandwidth", FINDING_UNKNOWN, effect,
                     "Give this process more memory.",
                     "too little memory is available for a buffer beyond the caches");
    else
        findings_add(findings, "bandwidth", FINDING_OK, effect, NULL,
                     "%.1f GB/s, one thread reading %zu MB", survey->bandwidth,
                     survey->bandwidth_bytes >> 20);
}

void find_memory(const struct memory_survey *survey, enum status status, const struct error *error,
                 struct findings *findings) {
    const struct page_survey *small = &survey->pages[PAGES_SMALL];
    const struct page_survey *huge = &survey->pages[PAGES_HUGE];
    if (status) {
        add_failure("latency", latency_effect, status, error, findings);
        return;
    }
    findings_add(findings, "clock rate", FINDING_OK, "Times in cycles are computed from it.", NULL,
                 "%.2f GHz, by dependent additions", survey->clock_ghz);
    find_latencies("latency", small, survey->clock_ghz, findings);
    if (huge->is_measured)
        find_latencies("latency (huge)", huge, survey->clock_ghz, findings);
    else
        findings_add(findings, "latency (huge)", FINDING_UNKNOWN, latency_effect,
                     "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                     "the kernel gave no huge pages");
    find_last_cache(survey, findings);
    find_bandwidth(survey, findings);
}

/* --- stalls ----------------------------------------------------------------------------------- */

void find_stalls(const struct stalls *stalls, struct findings *findings) {
    static const char effect[] = "These are interrupts, other programs and the hypervisor. What "
                                 "lies above them in a tail is not the scorer's.";
    const double call_us = 1, most = 1e-4; /* p99.99 of short calls is then the machine's */
    double met = stalls->per_second * call_us * 1e-6 + stalls->share;
    findings_add(findings, "stalls", met > most ? FINDING_WARNING : FINDING_OK, effect,
                 "See isolated cores, governor, SMT and steal time above, and stop other programs.",
                 "%.0f gaps of 1 us or more per second in a loop that reads the clock, %.3f %% of "
                 "the time, the longest %.0f us: a call of 1 us that comes at any time meets one "
                 "with a chance of %.3f %%",
                 stalls->per_second, 100 * stalls->share, stalls->longest_ns / 1000, 100 * met);
}

/* --- noise ------------------------------------------------------------------------------------ */

void find_noise(const struct noise *noise, enum status status, const struct error *error,
                struct findings *findings) {
    static const char unseen[] = "A comparison cannot tell smaller differences from noise. More "
                                 "placements show smaller ones.";
    const double most = 0.05; /* hides what most changes of code gain */
    if (status) {
        add_failure("noise", unseen, status, error, findings);
        return;
    }
    if (isnan(noise->floor) || isnan(noise->compare_floor)) {
        findings_add(findings, "noise", FINDING_UNKNOWN, unseen, NULL, "too few samples");
        return;
    }
    findings_add(findings, "noise", noise->compare_floor > most ? FINDING_WARNING : FINDING_OK,
                 unseen, "Stop other programs, or run compare with more --placements and --rounds.",
                 "differences under %.1f %% cannot be seen by one compare, nor under %.1f %% in %u "
                 "placements (%s against itself: %.3f [%.3f, %.3f]; one placement deviates by "
                 "%.1f %%)",
                 100 * noise->compare_floor, 100 * noise->floor, noise->placements, noise->impl,
                 noise->ratio.value, noise->ratio.interval.low, noise->ratio.interval.high,
                 100 * noise->placement_deviation);
}
