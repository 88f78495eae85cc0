/* Examines this machine for measuring: what it allows, and what disturbs it. */
#ifndef HARNESS_DOCTOR_DOCTOR_H
#define HARNESS_DOCTOR_DOCTOR_H

#include "base/note.h"
#include "base/status.h"
#include "harness/caches/survey.h"
#include "harness/doctor/finding.h"
#include "harness/doctor/noise.h"
#include "harness/instruments/progress.h"
#include "harness/instruments/surroundings.h"

#include <cjson/cJSON.h>
#include <stdbool.h>

/* The schema of doctor_to_json and of doctor_summarise. docs/doctor.md documents it. */
#define DOCTOR_SCHEMA 1

/* How much is measured. SHORT takes some seconds; FULL measures latencies at as many sizes as
 * jin2016 needs. */
enum doctor_detail { DOCTOR_NONE, DOCTOR_SHORT, DOCTOR_FULL };

struct examination {
    struct surroundings surroundings;
    bool has_memory, has_noise; /* were they measured? */
    struct memory_survey memory;
    struct stalls stalls;
    struct noise noise;
    struct findings findings;
};

/* Never fails: what could not be found out is a finding too. `progress` shows the steps; may be
 * NULL. `note` receives notes for the user; may be NULL. */
void doctor_examine(enum doctor_detail detail, struct progress *progress, note_function *note,
                    struct examination *examination);

/* What `treebench doctor --json` prints. Returns NULL if memory runs out. The caller frees it with
 * cJSON_Delete. */
cJSON *doctor_to_json(const struct examination *examination);

/* Adds the key "doctor" to a manifest: the findings about the system that are not ok and, with
 * `with_memory`, the latencies of the caches. Measuring those takes about half a second. */
enum status doctor_summarise(cJSON *manifest, bool with_memory, struct error *error);

#endif
