/* Tells the user that a drop-in library is at work. */
#ifndef DROPIN_ANNOUNCE_H
#define DROPIN_ANNOUNCE_H

/* Writes a line to stderr if TREEBENCH_DROPIN_VERBOSE is set: "treebench: ...". */
void announce(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
