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
    /* true: measures the quality of models (quality_run.h), not times; n_variants is 0 */
    bool is_quality;
    /* true: measures the machine code of trees (sizes_run.h), not times; n_variants is 0 */
    bool is_code_size;
    /* true: callgrind also counts events (count_callgrind.h) */
    bool is_simulated;
    struct simulated_caches caches; /* l1 = 0: the default */
    /* such as "vpred,v=8"; each variant has only one spelling */
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE];
    size_t n_variants;
    cJSON *json; /* the whole file; reports read its figure, tables and claims; owned */
};

/* Reads an artefact's file and keeps the points of one scale. Does not check claims, figures and
 * tables. Call artefact_free on the result. */
enum status artefact_read(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);
void artefact_free(struct artefact *artefact);

/* Returns true if the artefact is about times, or about counts beside them. */
static inline bool artefact_is_timed(const struct artefact *artefact) {
    return !artefact->is_quality && !artefact->is_code_size;
}

/* Hashes the text of an artefact's file, so that a changed file can be detected. */
void artefact_hash(const struct file_text *text, char hash[static 17]);

/* Returns the name that reports show for an operand (see compare.h): the operand's label, if the
 * file has one. Otherwise, an operand that ends in "=best" or "=panel" is shown by its
 * implementation's title. All other operands are shown as they are. */
const char *artefact_label(const struct artefact *artefact, const char *operand);

/* Returns true if the operand (see compare.h) is valid. "FAMILY,...=best" is valid if the artefact
 * has a variant of FAMILY. "FAMILY,v=panel" is valid if, for each panel, FAMILY with the panel's v
 * is a variant of the artefact. Any other operand must be one of the artefact's variants. If it
 * ends in "@N", every panel must list N threads. */
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
