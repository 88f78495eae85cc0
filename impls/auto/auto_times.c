#include "impls/auto/auto_times.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* auto_times_proven only returns specs that are faster than AUTO_UNTUNED by this factor. The sizes
 * are measured one after the other, and the machine's speed may change in between. */
static const double margin = 1.1;

const char *const auto_source_names[AUTO_SOURCES] = {
    [AUTO_MADE_UP] = "made up", [AUTO_RESAMPLED] = "resampled", [AUTO_DATA] = "data"};

static size_t find_spec(const struct auto_times *times, const char *spec) {
    size_t number = 0;
    while (number < times->n_specs && strcmp(times->specs[number], spec) != 0)
        number++;
    return number < times->n_specs ? number : AUTO_SPECS_MAX;
}

size_t auto_times_spec(struct auto_times *times, const char *spec) {
    size_t number = find_spec(times, spec);
    if (number < AUTO_SPECS_MAX)
        return number;
    if (times->n_specs == AUTO_SPECS_MAX || strlen(spec) >= AUTO_SPEC_SIZE)
        return AUTO_SPECS_MAX;
    snprintf(times->specs[times->n_specs], AUTO_SPEC_SIZE, "%s", spec);
    return times->n_specs++;
}

struct auto_size *auto_times_add(struct auto_times *times, size_t docs) {
    size_t at = 0;
    while (at < times->n_sizes && times->sizes[at].docs < docs)
        at++;
    if (times->n_sizes == AUTO_SIZES_MAX || (at < times->n_sizes && times->sizes[at].docs == docs))
        return NULL;
    struct auto_size *size = &times->sizes[at];
    memmove(size + 1, size, (times->n_sizes - at) * sizeof *size);
    *size = (struct auto_size){.docs = docs};
    times->n_sizes++;
    return size;
}

const struct auto_size *auto_times_find(const struct auto_times *times, size_t docs) {
    for (size_t i = 0; i < times->n_sizes; i++)
        if (times->sizes[i].docs == docs)
            return &times->sizes[i];
    return NULL;
}

void auto_times_drop(struct auto_times *times, size_t spec) {
    for (size_t i = 0; i < times->n_sizes; i++)
        times->sizes[i].ns[spec] = 0;
}

double auto_times_least(double ns, size_t measured, size_t docs) {
    return measured <= docs ? ns : ns / (double)((measured + docs - 1) / docs);
}

double auto_times_most(double ns, size_t measured, size_t docs) {
    return docs <= measured ? ns : ns * (double)((docs + measured - 1) / measured);
}

/* Each measured size gives a lower and an upper bound for the time of a call of `docs` documents.
 * least_of returns the highest lower bound of a spec, and most_of returns its lowest upper bound.
 */
static double least_of(const struct auto_times *times, size_t spec, size_t docs) {
    double least = 0;
    for (size_t i = 0; i < times->n_sizes; i++)
        least = fmax(least, auto_times_least(times->sizes[i].ns[spec], times->sizes[i].docs, docs));
    return least;
}

static double most_of(const struct auto_times *times, size_t spec, size_t docs) {
    double most = INFINITY;
    for (size_t i = 0; i < times->n_sizes; i++)
        if (times->sizes[i].ns[spec] > 0)
            most =
                fmin(most, auto_times_most(times->sizes[i].ns[spec], times->sizes[i].docs, docs));
    return most;
}

size_t auto_times_proven(const struct auto_times *times, size_t docs) {
    size_t untuned = find_spec(times, AUTO_UNTUNED), best = AUTO_SPECS_MAX;
    if (untuned == AUTO_SPECS_MAX)
        return AUTO_SPECS_MAX;
    double least = least_of(times, untuned, docs) / margin;
    for (size_t i = 0; i < times->n_specs; i++) {
        double most = i == untuned ? INFINITY : most_of(times, i, docs);
        if (most < least) {
            best = i;
            least = most;
        }
    }
    return best;
}
