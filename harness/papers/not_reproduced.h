/* What of the papers is not reproduced: results/not-reproduced.json. The tables of
 * docs/not-reproduced.md have the same words. */
#ifndef HARNESS_PAPERS_NOT_REPRODUCED_H
#define HARNESS_PAPERS_NOT_REPRODUCED_H

#include "base/files/record.h"

/* An entry of the file. The texts belong to the list's JSON. */
struct not_reproduced {
    const char *paper; /* NOT_REPRODUCED_ALL if it is about every paper */
    const char *where; /* "Figs. 3, 4, Table II": figures and tables as the paper numbers them */
    const char *what;  /* what is missing there */
    const char *why, *needs;
};
#define NOT_REPRODUCED_ALL "All papers"
extern const struct record not_reproduced_record;

struct not_reproduced_list { /* starts as zeros */
    cJSON *json;
    struct not_reproduced *entries;
    size_t count;
};

/* Reads the entries of the papers that `configs` has artefacts of. Its keys are names of artefacts,
 * as in the manifest of a run. NULL: all entries. Call not_reproduced_free, even after an error. */
enum status not_reproduced_read(const char *path, const cJSON *configs,
                                struct not_reproduced_list *list, struct error *error);
void not_reproduced_free(struct not_reproduced_list *list);

/* Writes a quote of Markdown with one line per entry. Writes nothing for an empty list. */
void not_reproduced_write(FILE *stream, const struct not_reproduced_list *list);

#endif
