#include "harness/memory/survey.h"

#include "base/cpu.h"
#include "base/files/json.h"
#include "harness/memory/buffer.h"
#include "harness/memory/speeds.h"

#include <errno.h>
#include <limits.h>
#include <math.h>

enum {
    UNKNOWN_LARGEST = 64 << 20, /* the largest set if no cache is known */
    /* less memory than this may be needed by others, or does not hold enough sets */
    LEAST_BYTES = 1 << 20,
    AVAILABLE_PART = 4,
    READ_TIMES_LAST = 4 /* a stream over so many sizes of the last cache reads memory */
};

/* --- measuring -------------------------------------------------------------------------------- */

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
    survey->clock_ghz = clock_rate_measure();
    size_t most = largest_set(request, &survey->caches);
    enum status status = survey_pages(request->detail, most, false, survey, error);
    if (!status && request->with_huge)
        status = survey_pages(request->detail, most, true, survey, error);
    cpu_unpin(&before);
    return status;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Three digits after the point are more than a measurement has, and keep the text short. */
static void add_number(cJSON *object, const char *key, double number) {
    if (isfinite(number))
        cJSON_AddNumberToObject(object, key, round(number * 1000) / 1000);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_size(cJSON *object, const char *key, size_t bytes) {
    if (bytes)
        cJSON_AddNumberToObject(object, key, (double)bytes);
    else
        cJSON_AddNullToObject(object, key);
}

static void add_levels(cJSON *object, const struct page_survey *pages,
                       const struct memory_survey *survey) {
    static const char *const names[LATENCY_LEVELS] = {"L1", "L2", "L3", "memory"};
    cJSON *array = cJSON_AddArrayToObject(object, "levels");
    for (int i = 0; i < LATENCY_LEVELS; i++) {
        cJSON *level = cJSON_CreateObject();
        cJSON_AddStringToObject(level, "name", names[i]);
        if (i < CACHE_LEVELS) {
            add_size(level, "bytes", pages->levels.bytes[i]);
            add_size(level, "reported_bytes", survey->caches.levels[i].bytes);
            add_size(level, "seen_bytes", pages->levels.seen_bytes[i]);
            add_size(level, "cores", survey->caches.levels[i].cores);
            /* of one core, if all cores that share the cache score at once (jin2016) */
            const struct cache used = {pages->levels.bytes[i], survey->caches.levels[i].cores};
            add_size(level, "effective_bytes", caches_effective(&used, UINT_MAX));
        }
        add_number(level, "ns", pages->levels.ns[i]);
        add_number(level, "cycles", pages->levels.ns[i] * survey->clock_ghz);
        cJSON_AddItemToArray(array, level);
    }
}

static void add_ratios(cJSON *object, const char *key,
                       double (*ratio)(const struct latency_levels *, int),
                       const struct latency_levels *levels) {
    static const char *const names[LATENCY_LEVELS] = {NULL, "c2", "c3", "c4"};
    cJSON *ratios = cJSON_AddObjectToObject(object, key);
    for (int i = 1; i < LATENCY_LEVELS; i++)
        add_number(ratios, names[i], ratio(levels, i));
}

static void add_points(cJSON *object, const struct latency_curve *curve) {
    cJSON *array = cJSON_AddArrayToObject(object, "points");
    for (size_t i = 0; i < curve->count; i++) {
        cJSON *point = cJSON_CreateObject();
        add_size(point, "bytes", curve->points[i].bytes);
        add_number(point, "ns", curve->points[i].ns);
        cJSON_AddItemToArray(array, point);
    }
}

cJSON *memory_survey_to_json(const struct memory_survey *survey, bool with_points) {
    errno = 0;
    cJSON *object = cJSON_CreateObject();
    add_number(object, "clock_ghz", survey->clock_ghz);
    add_number(object, "bandwidth_gb_per_s", survey->bandwidth);
    add_size(object, "bandwidth_bytes", survey->bandwidth_bytes);
    cJSON *array = cJSON_AddArrayToObject(object, "pages");
    for (int kind = 0; kind < PAGE_KINDS; kind++) {
        const struct page_survey *pages = &survey->pages[kind];
        if (!pages->is_measured)
            continue;
        cJSON *item = cJSON_CreateObject();
        cJSON_AddBoolToObject(item, "huge", kind == PAGES_HUGE);
        add_number(item, "huge_share", pages->huge_share);
        add_levels(item, pages, survey);
        add_ratios(item, "ratios", latency_ratio, &pages->levels);
        add_ratios(item, "extra", latency_extra, &pages->levels);
        if (with_points)
            add_points(item, &pages->curve);
        cJSON_AddItemToArray(array, item);
    }
    return json_if_whole(object);
}
