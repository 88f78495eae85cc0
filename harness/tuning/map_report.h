/* Reports a map from its stored rows. */
#ifndef HARNESS_TUNING_MAP_REPORT_H
#define HARNESS_TUNING_MAP_REPORT_H

#include "base/note.h"
#include "harness/tuning/map_regions.h"

#include <stdio.h>

/* Returns true if these are the rows of a map. */
bool map_is_run(const struct rows *rows);

/* Writes map.csv, map.md, map.svg and map.png into the directory, and the findings to a stream.
 * `plots` is the folder with gnuplot's scripts. If gnuplot or one of its terminals is missing,
 * leaves out the picture and reports this by a note. */
enum status map_report(const char *directory, const struct rows *rows, const char *plots,
                       FILE *findings, note_function *note, struct error *error);

/* Parts of map.md, for tests. */
void map_write_tables(FILE *stream, const struct map_regions *regions);
void map_write_findings(FILE *stream, const struct map_regions *regions);

#endif
