/* Recognises files that users pass as models but that cannot be read. */
#ifndef MODELS_FOREIGN_H
#define MODELS_FOREIGN_H

#include <stddef.h>

/* Returns a description of the content and what to do about it, or NULL if it is not recognised. */
const char *model_foreign(const char *text, size_t size);

#endif
