/* Files that people hand over as models, and that hold none that can be read here. */
#ifndef MODELS_FOREIGN_H
#define MODELS_FOREIGN_H

#include <stddef.h>

/* What the content is, and what to do; NULL: it is not known. */
const char *model_foreign(const char *text, size_t size);

#endif
