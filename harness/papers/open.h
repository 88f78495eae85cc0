/* Opens an artefact: reads its file and checks all parts of it. */
#ifndef HARNESS_PAPERS_OPEN_H
#define HARNESS_PAPERS_OPEN_H

#include "base/status.h"
#include "harness/artefacts/artefact.h"

/* Like artefact_read, but also fails if a claim cannot be judged, or if a table or figure cannot be
 * made. Call artefact_free on the result. */
enum status artefact_open(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error);

#endif
