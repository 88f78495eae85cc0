/* Opens an artefact: reads its file, then checks its parts. */
#ifndef HARNESS_PAPERS_OPEN_H
#define HARNESS_PAPERS_OPEN_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"

/* Like artefact_read, but also fails if a claim cannot be judged or if a table or figure cannot be
 * made. Freed by artefact_free. */
enum status artefact_open(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);

#endif
