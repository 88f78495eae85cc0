/* The kinds of artefacts. A new kind is a file that defines its struct artefact_kind, and a line
 * here. */
#include "harness/artefacts/artefact.h"

/* The first one is the kind of artefacts that name none. */
#define KINDS(KIND)                                                                                \
    KIND(time)                                                                                     \
    KIND(counts)                                                                                   \
    KIND(quality)                                                                                  \
    KIND(code_size)                                                                                \
    KIND(latency)                                                                                  \
    KIND(blocking)

#define DECLARE(name) extern const struct artefact_kind kind_##name;
KINDS(DECLARE)

#define ENTRY(name) &kind_##name,
const struct artefact_kind *const artefact_kinds[] = {KINDS(ENTRY) NULL};
