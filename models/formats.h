/* The formats, for the table in format.c and for tests. One line each. */
#ifndef MODELS_FORMATS_H
#define MODELS_FORMATS_H

#include "models/format.h"

/* clang-format off */
extern const struct model_format
    model_format_treebench,
    model_format_jforests,
    model_format_opttrees,
    model_format_ranklib,
    model_format_quickrank,
    model_format_xgboost,
    model_format_xgboost_ubjson,
    model_format_xgboost_binary,
    model_format_lightgbm,
    model_format_lightgbm_json,
    model_format_catboost,
    model_format_archforest,
    model_format_onnx;
/* clang-format on */

/* Recognises files that users pass as models but that cannot be read. */
/* Returns a description of the content and what to do about it, or NULL if it is not recognised. */
const char *model_foreign(const char *text, size_t size);

#endif
