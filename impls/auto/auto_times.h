/* The times that `treebench tune` measured on a model. The size of a call is its number of
 * documents. Times of calls of the measured sizes give bounds for calls of other sizes. The
 * functions are pure. docs/tuning.md describes the rules.
 *
 * The bounds assume that a call takes at least as long as any smaller call, and no longer than
 * several smaller calls with the same number of documents in all. */
#ifndef IMPLS_AUTO_AUTO_TIMES_H
#define IMPLS_AUTO_AUTO_TIMES_H

#include <stddef.h>

enum { AUTO_SPEC_SIZE = 64, AUTO_SPECS_MAX = 64, AUTO_SIZES_MAX = 16 };

/* `auto` with its default costs only. `tune` measures it like any other implementation. */
#define AUTO_UNTUNED "auto,costs=default"

/* The origin of the documents that `tune` scored, from the least to the most representative. */
enum auto_source { AUTO_MADE_UP, AUTO_RESAMPLED, AUTO_DATA, AUTO_SOURCES };
extern const char *const auto_source_names[AUTO_SOURCES];

/* The calls of one size. */
struct auto_size {
    size_t docs;
    double seconds; /* tune's time budget for this size, for all implementations together */
    enum auto_source source;
    double ns[AUTO_SPECS_MAX]; /* time of a call, by index of the spec; 0: not measured */
};

struct auto_times {
    size_t n_specs, n_sizes;
    char specs[AUTO_SPECS_MAX][AUTO_SPEC_SIZE]; /* "vpred,v=16" */
    struct auto_size sizes[AUTO_SIZES_MAX];     /* by ascending number of documents */
};

/* The index of a spec. Adds the spec if it is missing. AUTO_SPECS_MAX if the table is full or the
 * name is too long. */
size_t auto_times_spec(struct auto_times *times, const char *spec);

/* Adds a size, without times, for calls of `docs` documents. NULL if the size exists already or
 * there are too many sizes. */
struct auto_size *auto_times_add(struct auto_times *times, size_t docs);

/* Returns the times of calls of `docs` documents. NULL if calls of this size were not measured. */
const struct auto_size *auto_times_find(const struct auto_times *times, size_t docs);

/* Deletes all times of a spec that cannot be built. */
void auto_times_drop(struct auto_times *times, size_t spec);

/* Lower and upper bound of the time of a call of `docs` documents, if a call of `measured`
 * documents takes `ns`. */
double auto_times_least(double ns, size_t measured, size_t docs);
double auto_times_most(double ns, size_t measured, size_t docs);

/* The index of a spec that is certainly faster than AUTO_UNTUNED for calls of `docs` documents. The
 * spec's upper bound is below AUTO_UNTUNED's lower bound, with a margin. If there are several,
 * returns the one with the least upper bound. AUTO_SPECS_MAX if there is none. */
size_t auto_times_proven(const struct auto_times *times, size_t docs);

#endif
