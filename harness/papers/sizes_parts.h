/* What the tables and claims of artefacts with "measure": "code-size" share. */
#ifndef HARNESS_PAPERS_SIZES_PARTS_H
#define HARNESS_PAPERS_SIZES_PARTS_H

#include "harness/artefacts/artefact.h"
#include "harness/papers/sizes_run.h"
#include "harness/quality/code_size.h"

/* Checks the artefact's claims. */
enum status sizes_check_claims(const char *name, const struct artefact *artefact,
                               struct error *error);

/* Returns the note of the model at a point, or "". */
const char *sizes_note_at(const struct artefact *artefact, const struct code_sizes *sizes,
                          const struct panel *panel, const struct point *point);

/* Appends the note of each panel's models to the text. */
void sizes_add_notes(const struct artefact *artefact, const struct code_sizes *sizes, char *text,
                     size_t size);

#endif
