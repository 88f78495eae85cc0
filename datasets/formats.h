/* The formats themselves, for format.c's table and for tests. */
#ifndef DATASETS_FORMATS_H
#define DATASETS_FORMATS_H

#include "datasets/format.h"

extern const struct data_format data_format_svmlight, data_format_csv, data_format_cache;

#endif
