/* What `treebench tune` measured on a model: the times of calls of certain sizes, and what follows
 * from them for calls of other sizes. Pure functions. docs/tuning.md has the rules.
 *
 * Two things are taken for granted: a call takes at least as long as a smaller one, and at most as
 * long as the smaller calls that it could be cut into. */
#ifndef IMPLS_AUTO_TIMES_H
#define IMPLS_AUTO_TIMES_H

#include <stddef.h>

enum { AUTO_SPEC_SIZE = 64, AUTO_SPECS_MAX = 64, AUTO_SIZES_MAX = 16 };

/* `auto` by its default costs alone. It is measured like an implementation. */
#define AUTO_UNTUNED "auto,costs=default"

/* The documents that were scored, those that tell the least first. */
enum auto_source { AUTO_MADE_UP, AUTO_RESAMPLED, AUTO_DATA, AUTO_SOURCES };
extern const char *const auto_source_names[AUTO_SOURCES];

/* The calls of one size. */
struct auto_size {
    size_t docs;
    double seconds; /* the time budget of this size, shared by all implementations */
    enum auto_source source;
    double ns[AUTO_SPECS_MAX]; /* of a call, by number of the spec; 0: not measured */
};

struct auto_times {
    size_t n_specs, n_sizes;
    char specs[AUTO_SPECS_MAX][AUTO_SPEC_SIZE]; /* "vpred,v=16" */
    struct auto_size sizes[AUTO_SIZES_MAX];     /* ascending in their documents */
};

/* The number of a spec, which is added if it is not there yet. AUTO_SPECS_MAX if the table is full
 * or the name too long. */
size_t auto_times_spec(struct auto_times *times, const char *spec);

/* Makes room for calls of `docs` documents, without times. NULL if the size is there already or
 * there are too many. */
struct auto_size *auto_times_add(struct auto_times *times, size_t docs);

/* NULL if calls of this size were not measured. */
const struct auto_size *auto_times_find(const struct auto_times *times, size_t docs);

/* Forgets all times of a spec: it cannot be built. */
void auto_times_drop(struct auto_times *times, size_t spec);

/* Bounds of the time of a call of `docs` documents, given that of one of `measured`. */
double auto_times_least(double ns, size_t measured, size_t docs);
double auto_times_most(double ns, size_t measured, size_t docs);

/* The spec whose calls of `docs` documents are faster than those of AUTO_UNTUNED, as the times of
 * other sizes prove with a margin; AUTO_SPECS_MAX if there is none. */
size_t auto_times_proven(const struct auto_times *times, size_t docs);

#endif
