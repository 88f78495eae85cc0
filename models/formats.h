/* The formats themselves, for format.c's table and for tests. */
#ifndef MODELS_FORMATS_H
#define MODELS_FORMATS_H

#include "models/format.h"

extern const struct model_format model_format_treebench, model_format_jforests,
    model_format_opttrees;

#endif
