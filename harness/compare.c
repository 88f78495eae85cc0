#include "harness/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIALS_MAX = 64, FAMILY_MAX = 64 };

static bool is_at(const struct row *row, const struct point *point, const char *variant) {
    char name[ROW_NAME_SIZE];
    if (row->status != ROW_OK)
        return false;
    struct point there = point_of_row(row);
    if (!point_equal(&there, point))
        return false;
    row_variant(row, name, sizeof name);
    return strcmp(name, variant) == 0;
}

static size_t times_from(const struct rows *rows, const struct point *point, const char *variant,
                         uint32_t first_trial, double *times, size_t limit) {
    size_t count = 0;
    for (size_t i = 0; i < rows->count && count < limit; i++) {
        const struct row *row = &rows->list[i];
        if (row->workload.trial >= first_trial && is_at(row, point, variant))
            times[count++] = row->median;
    }
    return count;
}

size_t compare_trial_times(const struct rows *rows, const struct point *point, const char *variant,
                           double *times, size_t limit) {
    return times_from(rows, point, variant, 0, times, limit);
}

/* Of times or ratios, from their logarithms. */
static struct ratio over_trials(const double *logs, size_t count) {
    struct interval interval = stats_t_interval(logs, count);
    return (struct ratio){exp(stats_mean(logs, count)), {exp(interval.low), exp(interval.high)}};
}

static struct estimate time_from(const struct rows *rows, const struct point *point,
                                 const char *variant, uint32_t first_trial) {
    double times[TRIALS_MAX];
    size_t count = times_from(rows, point, variant, first_trial, times, TRIALS_MAX);
    for (size_t i = 0; i < count; i++)
        times[i] = log(times[i]);
    struct ratio over = over_trials(times, count);
    return (struct estimate){over.value, over.interval, count};
}

struct estimate compare_time(const struct rows *rows, const struct point *point,
                             const char *variant) {
    return time_from(rows, point, variant, 0);
}

/* Only what was sampled in the same rounds, that is in the same cell, can be paired. */
static const struct row *partner(const struct rows *rows, const struct row *row,
                                 const char *variant) {
    struct point point = point_of_row(row);
    for (size_t i = 0; i < rows->count; i++)
        if (strcmp(rows->list[i].cell, row->cell) == 0 && is_at(&rows->list[i], &point, variant))
            return &rows->list[i];
    return NULL;
}

static struct ratio trial_ratio(const struct row *numerator, const struct row *denominator) {
    size_t count = numerator->samples.count < denominator->samples.count
                       ? numerator->samples.count
                       : denominator->samples.count;
    return stats_paired_ratio(row_reported_samples(numerator), row_reported_samples(denominator),
                              count, numerator->workload.seed);
}

static struct ratio ratio_from(const struct rows *rows, const struct point *point,
                               const char *numerator, const char *denominator,
                               uint32_t first_trial) {
    double logs[TRIALS_MAX];
    size_t count = 0;
    struct ratio last = {NAN, {NAN, NAN}};
    for (size_t i = 0; i < rows->count && count < TRIALS_MAX; i++) {
        const struct row *row = &rows->list[i];
        if (row->workload.trial < first_trial || !is_at(row, point, numerator))
            continue;
        const struct row *other = partner(rows, row, denominator);
        if (!other)
            continue;
        last = trial_ratio(row, other);
        logs[count++] = log(last.value);
    }
    return count < 2 ? last : over_trials(logs, count);
}

struct ratio compare_ratio(const struct rows *rows, const struct point *point,
                           const char *numerator, const char *denominator) {
    return ratio_from(rows, point, numerator, denominator, 0);
}

struct ratio compare_fresh_ratio(const struct rows *rows, const struct point *point,
                                 const char *numerator, const char *denominator) {
    return ratio_from(rows, point, numerator, denominator, 1);
}

struct candidate {
    char variant[ROW_NAME_SIZE];
    double log_sum;
    size_t points;
};

/* The entry of `variant`, made when it is new; NULL when the table is full. */
static struct candidate *candidate_of(struct candidate *list, size_t *count, const char *variant) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i].variant, variant) == 0)
            return &list[i];
    if (*count == FAMILY_MAX)
        return NULL;
    struct candidate *fresh = &list[(*count)++];
    *fresh = (struct candidate){.points = 0};
    snprintf(fresh->variant, sizeof fresh->variant, "%s", variant);
    return fresh;
}

static bool is_in(const struct row *row, const struct panel *panel) {
    struct point point = point_of_row(row);
    for (size_t i = 0; i < panel->n_points; i++)
        if (point_equal(&point, &panel->points[i]))
            return true;
    return false;
}

bool compare_best_variant(const struct rows *rows, const struct panel *panel, const char *family,
                          char *variant, size_t size) {
    struct candidate list[FAMILY_MAX];
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->list[i];
        char name[ROW_NAME_SIZE];
        if (row->workload.trial != 0 || row->status != ROW_OK || strcmp(row->impl, family) != 0 ||
            !is_in(row, panel))
            continue;
        row_variant(row, name, sizeof name);
        struct candidate *candidate = candidate_of(list, &count, name);
        if (candidate) {
            candidate->log_sum += log(row->median);
            candidate->points++;
        }
    }
    /* Means over different points cannot be compared: who lacks one is out. */
    const struct candidate *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (!best || list[i].points > best->points ||
            (list[i].points == best->points && list[i].log_sum < best->log_sum))
            best = &list[i];
    if (best)
        snprintf(variant, size, "%s", best->variant);
    return best != NULL;
}

static bool asks_for_best(const char *operand) {
    const char *value = strrchr(operand, '=');
    return value && strcmp(value, "=best") == 0;
}

bool compare_operand_variant(const struct rows *rows, const struct panel *panel,
                             const char *operand, char *variant, size_t size) {
    if (!asks_for_best(operand)) {
        panel_variant(panel, operand, variant, size);
        return true;
    }
    char family[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(operand, ","), operand);
    return compare_best_variant(rows, panel, family, variant, size);
}

struct estimate compare_operand_time(const struct rows *rows, const struct panel *panel,
                                     const struct point *point, const char *operand) {
    char variant[ROW_NAME_SIZE];
    struct point at;
    if (!panel_operand_point(panel, point, operand, &at) ||
        !compare_operand_variant(rows, panel, operand, variant, sizeof variant))
        return (struct estimate){NAN, {NAN, NAN}, 0};
    return time_from(rows, &at, variant, asks_for_best(operand));
}

static const struct row *row_of_trial(const struct rows *rows, const struct point *point,
                                      const char *variant, uint32_t trial) {
    for (size_t i = 0; i < rows->count; i++)
        if (rows->list[i].workload.trial == trial && is_at(&rows->list[i], point, variant))
            return &rows->list[i];
    return NULL;
}

/* A variant at a point. */
struct side {
    struct point point;
    char variant[ROW_NAME_SIZE];
};

/* Of two points, which were not sampled together: the ratio of the medians. */
static struct ratio unpaired_ratio(const struct rows *rows, const struct side *numerator,
                                   const struct side *denominator, uint32_t first_trial) {
    double logs[TRIALS_MAX];
    size_t count = 0;
    struct ratio last = {NAN, {NAN, NAN}};
    for (uint32_t trial = first_trial; trial < TRIALS_MAX; trial++) {
        const struct row *over = row_of_trial(rows, &numerator->point, numerator->variant, trial);
        const struct row *under =
            row_of_trial(rows, &denominator->point, denominator->variant, trial);
        if (!over || !under)
            continue;
        last = (struct ratio){over->median / under->median,
                              {over->median_interval.low / under->median_interval.high,
                               over->median_interval.high / under->median_interval.low}};
        logs[count++] = log(last.value);
    }
    return count < 2 ? last : over_trials(logs, count);
}

static bool find_side(const struct rows *rows, const struct panel *panel, const struct point *point,
                      const char *operand, struct side *side) {
    return panel_operand_point(panel, point, operand, &side->point) &&
           compare_operand_variant(rows, panel, operand, side->variant, sizeof side->variant);
}

struct ratio compare_operand_ratio(const struct rows *rows, const struct panel *panel,
                                   const struct point *point, const char *numerator,
                                   const char *denominator) {
    struct side over, under;
    uint32_t first_trial = asks_for_best(numerator) || asks_for_best(denominator);
    if (!find_side(rows, panel, point, numerator, &over) ||
        !find_side(rows, panel, point, denominator, &under))
        return (struct ratio){NAN, {NAN, NAN}};
    return point_equal(&over.point, &under.point)
               ? ratio_from(rows, &over.point, over.variant, under.variant, first_trial)
               : unpaired_ratio(rows, &over, &under, first_trial);
}

struct ratio compare_operand_speedup(const struct rows *rows, const struct panel *panel,
                                     const struct point *base, const struct point *point,
                                     const char *operand) {
    struct side before, after;
    if (!find_side(rows, panel, base, operand, &before) ||
        !find_side(rows, panel, point, operand, &after))
        return (struct ratio){NAN, {NAN, NAN}};
    return unpaired_ratio(rows, &before, &after, asks_for_best(operand));
}

struct estimate compare_operand_count(const struct rows *rows, const struct panel *panel,
                                      const struct point *point, const char *operand,
                                      enum counter counter) {
    double values[TRIALS_MAX];
    size_t count = 0;
    struct side side;
    if (!find_side(rows, panel, point, operand, &side))
        return (struct estimate){NAN, {NAN, NAN}, 0};
    for (size_t i = 0; i < rows->count && count < TRIALS_MAX; i++) {
        const struct row *row = &rows->list[i];
        const struct counter_value *counted = &row->counts.values[counter];
        if (counted->valid && row->workload.trial >= (uint32_t)asks_for_best(operand) &&
            is_at(row, &side.point, side.variant))
            values[count++] =
                (double)counted->value / ((double)row->counts.documents * row->model_trees);
    }
    return (struct estimate){stats_mean(values, count), stats_t_interval(values, count), count};
}

void compare_describe_less(double less, struct interval interval, const char *word,
                           char text[COMPARE_LESS_SIZE]) {
    if (less < 0) {
        less = -less;
        interval = (struct interval){-interval.high, -interval.low};
        word = " more";
    }
    int used = snprintf(text, COMPARE_LESS_SIZE, "%.0f %%%s", 100 * less, word);
    if (!isnan(interval.low))
        snprintf(text + used, COMPARE_LESS_SIZE - (size_t)used, " [%.0f, %.0f]", 100 * interval.low,
                 100 * interval.high);
}
