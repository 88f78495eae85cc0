/* Measures the caches and the memory of this machine: latencies with small and with huge pages, the
 * bandwidth and the clock rate. `doctor` prints the result, and runs store it in their manifest. */
#ifndef HARNESS_CACHES_SURVEY_H
#define HARNESS_CACHES_SURVEY_H

#include "base/status.h"
#include "harness/caches/caches.h"
#include "harness/caches/latency.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>

enum memory_pages { PAGES_SMALL, PAGES_HUGE, PAGE_KINDS };

struct page_survey {
    bool is_huge;
    bool is_measured; /* false: no memory has such pages, or they were not asked for */
    double huge_share;
    struct latency_curve curve;
    struct latency_levels levels;
};

struct memory_survey {
    struct caches caches; /* as the system reports them */
    double clock_ghz;
    struct page_survey pages[PAGE_KINDS];
    double bandwidth;       /* GB/s, small pages; NaN if the buffer was too small */
    size_t bandwidth_bytes; /* the buffer that was read */
};

struct survey_request {
    const struct latency_detail *detail;
    size_t most;         /* bytes of memory that may be used */
    unsigned times_last; /* the largest set, in sizes of the last cache: 4 to 8 */
    bool with_huge;
};

/* Measures on the core that the calling thread runs on. STATUS_MEMORY if out of memory; the survey
 * then holds what was measured before. */
enum status memory_survey(const struct survey_request *request, struct memory_survey *survey,
                          struct error *error);

/* Returns how many bytes a survey may use if so many are available: enough for other programs to go
 * on. 0 if too few are available. */
size_t memory_survey_most(size_t available);

/* The object "memory" of docs/doctor.md. `with_points` adds the measured sets. The caller sets
 * errno to 0 before and calls json_if_whole after. */
cJSON *memory_survey_to_json(const struct memory_survey *survey, bool with_points);

/* Returns the bytes per ns (GB/s) at which one thread reads the whole buffer from its beginning to
 * its end: the median of a few passes. The buffer must be several times larger than the last cache,
 * or the caches are measured. */
double bandwidth_measure(const struct memory_buffer *buffer);

#endif
