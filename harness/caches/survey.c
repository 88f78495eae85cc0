#include "harness/caches/survey.h"

#include "base/cpu.h"
#include "base/files/record.h"
#include "harness/caches/buffer.h"
#include "harness/instruments/stats.h"
#include "harness/instruments/timer.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* --- bandwidth and the clock rate ------------------------------------------------------------- */

enum { PASSES = 5 /* odd */, LANES = 8 };

/* Several sums, because one would wait for the addition before it. */
static uint64_t read_all(const char *bytes, size_t size) {
    uint64_t sums[LANES] = {0}, words[LANES], total = 0;
    for (size_t at = 0; at + sizeof words <= size; at += sizeof words) {
        memcpy(words, bytes + at, sizeof words);
        for (size_t i = 0; i < LANES; i++)
            sums[i] += words[i];
    }
    for (size_t i = 0; i < LANES; i++)
        total += sums[i];
    return total;
}

double bandwidth_measure(const struct memory_buffer *buffer) {
    double rates[PASSES];
    for (int pass = 0; pass < PASSES; pass++) {
        uint64_t begin = timer_wall_ns();
        uint64_t total = read_all(buffer->bytes, buffer->size);
        /* the compiler must not drop the loads */
        __asm__ volatile("" : : "r"(total));
        uint64_t took = timer_wall_ns() - begin;
        rates[pass] = (double)buffer->size / (double)(took > 0 ? took : 1);
    }
    return stats_median_in_place(rates, PASSES);
}

enum {
    /* the fastest batch counts, because it was not interrupted; the first ones also give the clock
     * time to rise */
    BATCHES = 40,
    ROUNDS = 1 << 15
};

/* Makes the value of a register unknown to the compiler, so that it cannot combine additions. */
#define HIDE(x) __asm__ volatile("" : "+r"(x))

static uint64_t add_chain(uint64_t step) {
    uint64_t sum = 0;
    HIDE(step); /* some processors need no time to add a constant */
    for (size_t i = 0; i < ROUNDS; i++) {
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
        sum += step;
        HIDE(sum);
    }
    return sum;
}

/* Returns the clock rate of the core in cycles per ns (GHz), so that times can be given in cycles
 * without counters. It follows from the time of a chain of dependent additions, which take a cycle
 * each. Takes about 10 ms. If other programs use the core, the result is too low. */
static double measure_clock_rate(void) {
    enum { ADDITIONS = 4 * ROUNDS };
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < BATCHES; i++) {
        uint64_t begin = timer_wall_ns();
        uint64_t sum = add_chain(3);
        HIDE(sum);
        uint64_t took = timer_wall_ns() - begin;
        least = took < least ? took : least;
    }
    return (double)ADDITIONS / (double)(least > 0 ? least : 1);
}

/* --- measuring -------------------------------------------------------------------------------- */

enum {
    UNKNOWN_LARGEST = 64 << 20, /* the largest set if no cache is known */
    /* less memory than this may be needed by others, or does not hold enough sets */
    LEAST_BYTES = 1 << 20,
    AVAILABLE_PART = 4,
    READ_TIMES_LAST = 4 /* a stream over so many sizes of the last cache reads memory */
};

size_t memory_survey_most(size_t available) {
    size_t most = available / AVAILABLE_PART;
    return most >= LEAST_BYTES ? most : 0;
}

static size_t last_bytes(const struct caches *caches) {
    int last = caches_last(caches);
    return last >= 0 ? caches->levels[last].bytes : 0;
}

static size_t largest_set(const struct survey_request *request, const struct caches *caches) {
    size_t bytes = last_bytes(caches);
    double wanted = bytes ? (double)bytes * request->times_last : UNKNOWN_LARGEST;
    return wanted < (double)request->most ? (size_t)wanted : request->most;
}

static void read_stream(const struct memory_buffer *buffer, struct memory_survey *survey) {
    size_t last = last_bytes(&survey->caches);
    if (last && buffer->size / READ_TIMES_LAST < last)
        return; /* the caches would hold much of it */
    survey->bandwidth = bandwidth_measure(buffer);
    survey->bandwidth_bytes = buffer->size;
}

static enum status survey_pages(const struct latency_detail *detail, size_t most, bool huge,
                                struct memory_survey *survey, struct error *error) {
    struct page_survey *pages = &survey->pages[huge ? PAGES_HUGE : PAGES_SMALL];
    size_t sets[LATENCY_SETS_MOST];
    size_t count = latency_choose_sets(&survey->caches, detail, most, sets);
    struct memory_buffer buffer;
    enum status status = memory_buffer_create(most, huge, &buffer, error);
    if (status)
        return status;
    pages->is_huge = huge;
    pages->huge_share = buffer.huge_share;
    /* small pages must not pass for huge ones */
    pages->is_measured = !huge || buffer.huge_share > 0.5;
    if (pages->is_measured)
        latency_measure(&buffer, sets, count, &pages->curve);
    if (!huge)
        read_stream(&buffer, survey);
    memory_buffer_free(&buffer);
    latency_derive(&pages->curve, &survey->caches, &pages->levels);
    return STATUS_OK;
}

enum status memory_survey(const struct survey_request *request, struct memory_survey *survey,
                          struct error *error) {
    *survey = (struct memory_survey){.bandwidth = (double)NAN};
    caches_read("", &survey->caches);
    struct cpu_affinity before;
    cpu_pin_here(&before);
    survey->clock_ghz = measure_clock_rate();
    size_t most = largest_set(request, &survey->caches);
    enum status status = survey_pages(request->detail, most, false, survey, error);
    if (!status && request->with_huge)
        status = survey_pages(request->detail, most, true, survey, error);
    cpu_unpin(&before);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

enum { RATIOS = LATENCY_LEVELS - 1 };

/* What JSON says about a level. */
struct level_facts {
    const char *name;
    bool is_cache;
    struct cache reported;
    size_t bytes, seen_bytes, effective_bytes;
    double ns, cycles;
};

static bool is_cache(const void *data) {
    return ((const struct level_facts *)data)->is_cache;
}

/* Three digits after the point are more than a measurement has, and keep the text short. */
#define ROUNDED .decimals = 3
#define SIZE(NAME, MEMBER)                                                                         \
    FIELD(struct level_facts, COUNT, NAME, MEMBER, .zero_is_unknown = true, .applies = is_cache)
static const struct record_field level_fields[] = {
    PLAIN(struct level_facts, STRING, "name", name),
    SIZE("bytes", bytes),
    SIZE("reported_bytes", reported.bytes),
    SIZE("seen_bytes", seen_bytes),
    FIELD(struct level_facts, U32, "cores", reported.cores, .zero_is_unknown = true,
          .applies = is_cache),
    SIZE("effective_bytes", effective_bytes),
    FIELD(struct level_facts, NUMBER, "ns", ns, ROUNDED),
    FIELD(struct level_facts, NUMBER, "cycles", cycles, ROUNDED)};
static const struct record level_record = RECORD_OF(level_fields);

#define RATIO(NAME, INDEX)                                                                         \
    { .name = NAME, .type = RECORD_NUMBER, .offset = (INDEX) * sizeof(double), ROUNDED }
static const struct record_field ratio_fields[RATIOS] = {RATIO("c2", 0), RATIO("c3", 1),
                                                         RATIO("c4", 2)};
static const struct record ratios_record = RECORD_OF(ratio_fields);

static const struct record_field page_fields[] = {
    PLAIN(struct page_survey, BOOL, "huge", is_huge),
    FIELD(struct page_survey, NUMBER, "huge_share", huge_share, ROUNDED)};
static const struct record_field point_fields[] = {
    PLAIN(struct latency_point, COUNT, "bytes", bytes),
    FIELD(struct latency_point, NUMBER, "ns", ns, ROUNDED)};
static const struct record_field survey_fields[] = {
    FIELD(struct memory_survey, NUMBER, "clock_ghz", clock_ghz, ROUNDED),
    FIELD(struct memory_survey, NUMBER, "bandwidth_gb_per_s", bandwidth, ROUNDED),
    FIELD(struct memory_survey, COUNT, "bandwidth_bytes", bandwidth_bytes,
          .zero_is_unknown = true)};
static const struct record page_record = RECORD_OF(page_fields),
                           point_record = RECORD_OF(point_fields),
                           survey_record = RECORD_OF(survey_fields);

static cJSON *levels_to_json(const struct page_survey *pages, const struct memory_survey *survey) {
    static const char *const names[LATENCY_LEVELS] = {"L1", "L2", "L3", "memory"};
    struct level_facts levels[LATENCY_LEVELS];
    for (int i = 0; i < LATENCY_LEVELS; i++) {
        levels[i] = (struct level_facts){.name = names[i],
                                         .is_cache = i < CACHE_LEVELS,
                                         .ns = pages->levels.ns[i],
                                         .cycles = pages->levels.ns[i] * survey->clock_ghz};
        if (!levels[i].is_cache)
            continue;
        levels[i].reported = survey->caches.levels[i];
        levels[i].bytes = pages->levels.bytes[i];
        levels[i].seen_bytes = pages->levels.seen_bytes[i];
        /* of one core, if all cores that share the cache score at once (jin2016) */
        const struct cache used = {levels[i].bytes, levels[i].reported.cores};
        levels[i].effective_bytes = caches_effective(&used, UINT_MAX);
    }
    return record_list(&level_record, levels, LATENCY_LEVELS, sizeof *levels);
}

/* The ratios, or what jin2016's cost formula adds to an access to L1: the ratios minus 1. */
static cJSON *ratios_to_json(const struct latency_levels *levels, double minus) {
    double ratios[RATIOS];
    for (int i = 0; i < RATIOS; i++)
        ratios[i] = latency_ratio(levels, i + 1) - minus;
    return record_object(&ratios_record, ratios);
}

cJSON *memory_survey_to_json(const struct memory_survey *survey, bool with_points) {
    cJSON *object = record_object(&survey_record, survey);
    cJSON *array = cJSON_AddArrayToObject(object, "pages");
    for (int kind = 0; kind < PAGE_KINDS; kind++) {
        const struct page_survey *pages = &survey->pages[kind];
        const struct latency_curve *curve = &pages->curve;
        if (!pages->is_measured)
            continue;
        cJSON *item = record_object(&page_record, pages);
        cJSON_AddItemToObject(item, "levels", levels_to_json(pages, survey));
        cJSON_AddItemToObject(item, "ratios", ratios_to_json(&pages->levels, 0));
        cJSON_AddItemToObject(item, "extra", ratios_to_json(&pages->levels, 1));
        if (with_points)
            cJSON_AddItemToObject(
                item, "points",
                record_list(&point_record, curve->points, curve->count, sizeof *curve->points));
        cJSON_AddItemToArray(array, item);
    }
    return object;
}
