/* Tells the user that a drop-in library is at work. */
#ifndef DROPIN_ANNOUNCE_H
#define DROPIN_ANNOUNCE_H

#include "base/note.h"

/* For note_tell: writes lines to stderr, as "treebench: ...", if TREEBENCH_DROPIN_VERBOSE is set.
 * NULL if it is not. */
note_function *announcer(void);

#endif
