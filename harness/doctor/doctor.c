#include "harness/doctor/doctor.h"

#include "base/cpu.h"
#include "base/files/json.h"
#include "harness/doctor/finding.h"
#include "harness/instruments/timer.h"

#include <errno.h>
#include <stdint.h>

#define NOISE_SECONDS 2.0
#define STALLS_SECONDS 0.5
/* Limits of the memory that is measured. 8 times the largest cache of most machines, and less for a
 * manifest, because a run should begin soon. */
#define MOST_BYTES ((size_t)2 << 30)
#define MOST_BYTES_OF_MANIFEST ((size_t)1 << 30)

/* --- memory and noise ------------------------------------------------------------------------- */

static enum status survey(const struct latency_detail *detail, unsigned times_last, bool with_huge,
                          size_t most, const struct surroundings *s, struct memory_survey *memory,
                          struct error *error) {
    size_t available = s->memory_available < SIZE_MAX ? (size_t)s->memory_available : SIZE_MAX;
    size_t usable = memory_survey_most(available);
    const struct survey_request request = {.detail = detail,
                                           .most = usable < most ? usable : most,
                                           .times_last = times_last,
                                           .with_huge = with_huge};
    if (usable == 0)
        return error_set(error, STATUS_MACHINE,
                         available ? "too little memory is available"
                                   : "/proc/meminfo does not tell how much memory is available");
    return memory_survey(&request, memory, error);
}

static void examine_memory(enum doctor_detail detail, struct examination *e) {
    const struct latency_detail *sets = detail == DOCTOR_FULL ? &latency_full : &latency_short;
    struct error error;
    enum status status = survey(sets, 8, true, MOST_BYTES, &e->surroundings, &e->memory, &error);
    e->has_memory = !status;
    find_memory(&e->memory, status, &error, &e->findings);
}

static void examine_noise(note_function *note, struct examination *e) {
    struct error error;
    enum status status = noise_measure(NOISE_SECONDS, note, &e->noise, &error);
    e->has_noise = !status;
    find_noise(&e->noise, status, &error, &e->findings);
}

/* --- everything ------------------------------------------------------------------------------- */

static void examine_programs(struct examination *e) {
    struct timer_info timer;
    timer_measure(&timer);
    find_clocks(&e->surroundings, &timer, &e->findings);
    find_counters(&e->surroundings, &e->findings);
    find_programs(&e->findings);
    find_libraries(&e->findings);
}

/* Reads the surroundings first, because the load that doctor itself causes does not count. */
static void examine_system(struct examination *e) {
    struct cpu_info cpu;
    surroundings_read("", &e->surroundings);
    cpu_read_info(&cpu);
    find_processor(&cpu, &e->findings);
    find_settings(&e->surroundings, cpu.cores, &e->findings);
}

void doctor_examine(enum doctor_detail detail, struct progress *progress, note_function *note,
                    struct examination *examination) {
    struct examination *e = examination;
    *e = (struct examination){0};
    examine_system(e);
    progress_note(progress, "looking for counters, programs and libraries");
    examine_programs(e);
    struct cpu_ticks before = {0};
    if (detail != DOCTOR_NONE) {
        before = e->surroundings.ticks;
        progress_note(progress, "measuring caches and memory");
        examine_memory(detail, e);
        progress_note(progress, "looking for stalls");
        e->stalls = stalls_measure(STALLS_SECONDS, timer_wall_ns);
        find_stalls(&e->stalls, &e->findings);
        progress_note(progress, "comparing an implementation with itself");
        examine_noise(note, e);
    }
    struct surroundings after;
    surroundings_read("", &after);
    find_steal(&before, &after.ticks, &e->findings);
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Adds "schema" and the findings, or of those that are not ok only what was found. */
static cJSON *begin(const struct findings *findings, bool in_full) {
    static const struct record *const full = &finding_record;
    const struct record brief = {.fields = full->fields, .n_fields = 3};
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "schema", DOCTOR_SCHEMA);
    cJSON *array = cJSON_AddArrayToObject(object, "findings");
    for (size_t i = 0; i < findings->count; i++)
        if (in_full || findings->items[i].level != FINDING_OK)
            cJSON_AddItemToArray(array,
                                 record_object(in_full ? full : &brief, &findings->items[i]));
    return object;
}

cJSON *doctor_to_json(const struct examination *e) {
    errno = 0;
    cJSON *object = begin(&e->findings, true);
    cJSON_AddItemToObject(object, "surroundings",
                          record_object(&surroundings_record, &e->surroundings));
    cJSON_AddItemToObject(object, "memory",
                          e->has_memory ? memory_survey_to_json(&e->memory, true)
                                        : cJSON_CreateNull());
    cJSON_AddItemToObject(object, "stalls",
                          e->stalls.seconds > 0 ? record_object(&stalls_record, &e->stalls)
                                                : cJSON_CreateNull());
    cJSON_AddItemToObject(object, "noise",
                          e->has_noise ? record_object(&noise_record, &e->noise)
                                       : cJSON_CreateNull());
    return json_if_whole(object);
}

enum status doctor_summarise(cJSON *manifest, bool with_memory, struct error *error) {
    struct examination e = {0};
    struct error reason;
    examine_system(&e);
    find_steal(&(struct cpu_ticks){0}, &e.surroundings.ticks, &e.findings);
    enum status status = STATUS_MACHINE;
    if (with_memory)
        status = survey(&latency_least, 4, false, MOST_BYTES_OF_MANIFEST, &e.surroundings,
                        &e.memory, &reason);
    if (status == STATUS_MEMORY)
        return error_set(error, status, "%s", reason.text);
    errno = 0;
    cJSON *summary = begin(&e.findings, false);
    cJSON_AddItemToObject(summary, "memory",
                          status ? cJSON_CreateNull() : memory_survey_to_json(&e.memory, false));
    summary = json_if_whole(summary);
    if (summary && cJSON_AddItemToObject(manifest, "doctor", summary))
        return STATUS_OK;
    cJSON_Delete(summary);
    return error_memory(error, "the summary of doctor");
}
