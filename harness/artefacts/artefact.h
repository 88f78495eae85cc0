/* An artefact: one figure or table of a paper, described by one JSON file in configs/.
 * docs/adding-an-artefact.md documents the file. */
#ifndef HARNESS_ARTEFACTS_ARTEFACT_H
#define HARNESS_ARTEFACTS_ARTEFACT_H

#include "base/files/file.h"
#include "base/status.h"
#include "harness/artefacts/panels.h"
#include "harness/measure/cell.h"
#include "harness/rows/row.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum { ARTEFACT_VARIANTS_MAX = CELL_VARIANTS_MAX };

struct artefact {
    char name[ROW_NAME_SIZE]; /* "asadi2014-fig2" */
    char title[128], source[128];
    char hash[17];      /* hash of the file's content */
    struct scale scale; /* the requested scale */
    uint64_t seed;
    /* true: measures the quality of models (quality_run.h), with neither times nor variants */
    bool is_quality;
    /* true: callgrind also counts events (counters_callgrind.h) */
    bool is_simulated;
    /* such as "vpred,v=8"; options are in a fixed order */
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE];
    size_t n_variants;
    cJSON *json; /* the whole file, from which reports read figure, table and claims; owned */
};

/* Reads an artefact's file and keeps one of its scales. Claims, figures and tables are not checked.
 * Call artefact_free on the result. */
enum status artefact_read(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);
void artefact_free(struct artefact *artefact);

/* Hashes a config's content. The hash distinguishes versions of the config. */
void artefact_hash(const struct file_text *text, char hash[static 17]);

/* Returns the name of an operand in reports. This is the operand's label if the file has one.
 * Otherwise it is the implementation's title for "=best" and "=panel", and the operand itself for
 * all others. */
const char *artefact_label(const struct artefact *artefact, const char *operand);

/* Returns true if the operand (see compare.h) is valid: one of the variants, or "FAMILY,...=best"
 * if the family has variants. "FAMILY,v=panel" is valid if the variants include FAMILY with each
 * panel's v. Every panel must list the number of threads that follows an "@". */
bool artefact_knows_operand(const struct artefact *artefact, const char *operand);

/* Sets the error for a scale that the file lacks. The message lists the scales that the file
 * has. */
enum status artefact_refuse_scale(const char *name, const cJSON *scales, const char *wanted,
                                  struct error *error);

/* Calls json_check_keys with an error that refers to docs/adding-an-artefact.md. */
enum status artefact_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                                struct error *error);

/* Returns the sorted paths of the files DIRECTORY/NAME.json whose NAME begins with `only` ("" or
 * NULL: all). Fails if there are none. Freed by artefact_free_paths. */
enum status artefact_find(const char *directory, const char *only, char ***paths, size_t *count,
                          struct error *error);
void artefact_free_paths(char **paths, size_t count);

#endif
