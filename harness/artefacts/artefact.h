/* An artefact: one figure or table of a paper, described by one JSON file in configs/.
 * docs/adding-an-artefact.md documents the file. */
#ifndef HARNESS_ARTEFACTS_ARTEFACT_H
#define HARNESS_ARTEFACTS_ARTEFACT_H

#include "base/files/file.h"
#include "base/status.h"
#include "harness/artefacts/panels.h"
#include "harness/measure/cells.h"
#include "harness/rows/lines.h"
#include "harness/rows/row.h"

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

enum { ARTEFACT_VARIANTS_MAX = CELL_VARIANTS_MAX };

struct artefact;
struct artefact_report; /* a report that is being written: harness/papers/report.h */
struct artefact_run;    /* artefact_run.h */
struct claim_result;    /* harness/judge/claim_result.h */
struct item_claim;      /* harness/judge/item_claim.h */
struct item_claim_kind;
struct table_kind;

/* A kind of artefact: what it measures, and how that is judged and reported. The results of an
 * artefact are those of its kind in a run's folder: a list of the kind's lines (struct json_list),
 * or the index of the rows (struct row_index). */
struct artefact_kind {
    const char *measure; /* what the file's key "measure" says: "code-size" */
    const char *title;   /* of what is measured, on pages: "code size" */
    bool is_timed;       /* the artefact has variants, may have a figure, and has cells with rows */
    bool has_variants;   /* it has variants, though it is not timed */
    bool is_simulated;   /* callgrind also counts events (counted_pass.h) */
    bool has_seeds;      /* panels may have several models per trial, which differ in their seeds */
    const struct json_lines *lines; /* where results are stored; NULL: rows */
    /* The kinds of its table (harness/papers/report_parts.h) and of its claims (item_claim.h), both
     * ended by a name of NULL. NULL: the artefact is timed. */
    const struct table_kind *tables;
    const struct item_claim_kind *claims;
    /* Adds what all claims say after their verdict. NULL: nothing. */
    void (*finish_claim)(const struct item_claim *claim, struct claim_result *result);
    /* NULL: no more to check than the kind of its table. Fails if a table or figure cannot be made.
     * `name` names the file in errors. */
    enum status (*check)(const char *name, const struct artefact *artefact, struct error *error);
    /* Draws NAME.svg and NAME.png. NULL: no figure. */
    enum status (*draw)(const struct artefact_report *report, char *warning, size_t warning_size,
                        struct error *error);
    /* Sets what is asked for at a point: item k of the lines, as far as it is known before it is
     * measured. False: the point has fewer items. NULL: cells are measured. */
    bool (*ask)(const struct artefact *artefact, const struct panel *panel,
                const struct point *point, size_t k, void *item);
    /* Measures an item. What this machine lacks for it is added to run->missing, and *is_missing
     * set. */
    enum status (*measure_item)(struct artefact_run *run, const struct artefact *artefact,
                                void *item, bool *is_missing, struct error *error);
    bool is_untimed;                   /* times do not count, so all cores measure items at once */
    const char *doing, *done, *things; /* "training", "trained and judged", "models" */
};

/* All kinds, ended by NULL: harness/papers/kinds.c. */
extern const struct artefact_kind *const artefact_kinds[];
enum { ARTEFACT_KINDS_MAX = 8 };

struct artefact {
    char name[ROW_NAME_SIZE]; /* "asadi2014-fig2" */
    char title[128], source[128];
    char hash[17];      /* hash of the file's content */
    struct scale scale; /* the requested scale */
    uint64_t seed;
    const struct artefact_kind *kind;
    struct simulated_caches caches; /* l1 = 0: the default */
    /* such as "vpred,v=8"; each variant has only one spelling; none for some kinds */
    char variants[ARTEFACT_VARIANTS_MAX][ROW_NAME_SIZE];
    size_t n_variants;
    cJSON *json; /* the whole file; reports read its figure, tables and claims; owned */
};

/* Reads an artefact's file and keeps the points of one scale. Does not check claims, figures and
 * tables. Call artefact_free on the result. */
enum status artefact_read(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);
void artefact_free(struct artefact *artefact);

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

/* Returns true if this is one of the artefact's variants. */
bool artefact_has_variant(const struct artefact *artefact, const char *text);

/* Returns true if the name is among names that this separator ends, and perhaps spaces. */
bool artefact_is_listed(const char *names, const char *separator, const char *name);

/* Appends a name to names separated by ", ", unless it is among them. */
void artefact_list_name(char *names, size_t size, const char *name);

/* Sets the error for a scale that the file lacks. The message lists the scales that the file
 * has. */
enum status artefact_refuse_scale(const char *name, const cJSON *scales, const char *wanted,
                                  struct error *error);

/* Calls json_check_keys with an error that refers to ARTEFACT_DOCS. */
enum status artefact_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                                struct error *error);

/* Returns the sorted paths of the files DIRECTORY/NAME.json whose NAME begins with `only` ("" or
 * NULL: all). Fails if there are none. Freed by artefact_free_paths. */
enum status artefact_find(const char *directory, const char *only, char ***paths, size_t *count,
                          struct error *error);
void artefact_free_paths(char **paths, size_t count);

#endif
