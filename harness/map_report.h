/* The report of a map, from stored rows. */
#ifndef HARNESS_MAP_REPORT_H
#define HARNESS_MAP_REPORT_H

#include "harness/map_regions.h"

#include <stdio.h>

/* Do the rows say that they are a map's? */
bool map_is_run(const struct rows *rows);

/* Writes DIRECTORY/map.csv, map.svg and map.png (left out, with a line on stderr, where gnuplot or
 * one of its terminals is missing) and map.md; tells the findings on stdout. `plots` is the folder
 * of the scripts. */
enum status map_report(const char *directory, const struct rows *rows, const char *plots,
                       struct error *error);

/* The parts of map.md, for tests. */
void map_write_tables(FILE *stream, const struct map_regions *regions);
void map_write_findings(FILE *stream, const struct map_regions *regions);

#endif
