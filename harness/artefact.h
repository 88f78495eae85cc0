/* An artefact: one figure or table of a paper, described by one JSON file in configs/.
 * docs/adding-an-artefact.md documents the file. */
#ifndef HARNESS_ARTEFACT_H
#define HARNESS_ARTEFACT_H

#include "base/file.h"
#include "base/status.h"
#include "harness/panels.h"
#include "harness/row.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum { ARTEFACT_VARIANTS_MAX = 32 };

struct artefact {
    char name[ROW_NAME_SIZE]; /* "asadi2014-fig2" */
    char title[128], source[128];
    char hash[17];      /* of the file's content */
    struct scale scale; /* the one asked for */
    uint64_t seed;
    bool is_quality;   /* models are judged, see quality_run.h; nothing is timed, there are no
                          variants */
    bool is_simulated; /* callgrind counts besides (counters_callgrind.h) */
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE]; /* "vpred,v=8": canonical option order */
    size_t n_variants;
    cJSON *json; /* the whole file: plot, table and claims are read from here by the reports */
};

enum status artefact_read(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);
void artefact_free(struct artefact *artefact);

/* Of a config's content: tells one version of it from another. */
void artefact_hash(const struct file_text *text, char hash[static 17]);

/* What reports call an operand: its label in the file; the implementation's title for the best and
 * the panel's own of a family; else the text itself. */
const char *artefact_label(const struct artefact *artefact, const char *operand);

/* Is it one of the variants, or "FAMILY,...=best" of a family that has some, or "FAMILY,v=panel"
 * where each panel says its v (see compare.h)? */
bool artefact_knows_operand(const struct artefact *artefact, const char *operand);

/* The error where a file's `scales` have none that is called `wanted`: it says which there are. */
enum status artefact_refuse_scale(const char *name, const cJSON *scales, const char *wanted,
                                  struct error *error);

/* Refuses members of the object that are not in the list (ended by NULL) or are given twice. */
enum status artefact_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                                struct error *error);

/* The files configs/NAME.json for which NAME begins with `only` ("" or NULL: all), sorted. None is
 * an error. The caller frees each path and the list. */
enum status artefact_find(const char *directory, const char *only, char ***paths, size_t *count,
                          struct error *error);

#endif
