/* The formats, for the table in format.c and for tests. */
#ifndef MODELS_FORMATS_H
#define MODELS_FORMATS_H

#include "models/format.h"

#define FORMAT(name) extern const struct model_format model_format_##name;
#include "models/formats.def"
#undef FORMAT

/* Recognises files that users pass as models but that cannot be read. */
/* Returns a description of the content and what to do about it, or NULL if it is not recognised. */
const char *model_foreign(const char *text, size_t size);

#endif
