#include "harness/judge/compare.h"

#include "impls/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIALS_MAX = 64, FAMILY_MAX = 64 };

static bool is_timed(const struct row *row) {
    return row->status == ROW_OK;
}

/* Returns a geometric mean over trials and its interval. `logs` are logarithms of times or
 * ratios. */
static struct ratio over_trials(const double *logs, size_t count) {
    struct interval interval = stats_t_interval(logs, count);
    return (struct ratio){exp(stats_mean(logs, count)), {exp(interval.low), exp(interval.high)}};
}

/* Finds the rows of a variant at a point that have times, from a trial on. */
static size_t find_timed(const struct row_index *index, const struct point *point,
                         const char *variant, uint32_t first_trial,
                         const struct row *rows[TRIALS_MAX]) {
    size_t count = 0;
    struct row_span span = row_index_find(index, point, variant);
    for (size_t i = 0; i < span.count && count < TRIALS_MAX; i++)
        if (is_timed(span.entries[i].row) && span.entries[i].row->workload.trial >= first_trial)
            rows[count++] = span.entries[i].row;
    return count;
}

static struct estimate time_from(const struct row_index *index, const struct point *point,
                                 const char *variant, uint32_t first_trial) {
    const struct row *rows[TRIALS_MAX];
    double logs[TRIALS_MAX];
    size_t count = find_timed(index, point, variant, first_trial, rows);
    for (size_t i = 0; i < count; i++)
        logs[i] = log(rows[i]->median);
    struct ratio over = over_trials(logs, count);
    return (struct estimate){over.value, over.interval, count};
}

struct estimate compare_time(const struct row_index *index, const struct point *point,
                             const char *variant) {
    return time_from(index, point, variant, 0);
}

/* Returns the row of `variant` in the same cell as `row`, or NULL. Only samples from the same
 * rounds can be paired. */
static const struct row *partner(const struct row_index *index, const struct row *row,
                                 const char *variant) {
    const struct row *rows[TRIALS_MAX];
    struct point point = point_of_row(row);
    size_t n = find_timed(index, &point, variant, 0, rows);
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i]->cell, row->cell) == 0)
            return rows[i];
    return NULL;
}

static struct ratio ratio_from(const struct row_index *index, const struct point *point,
                               const char *numerator, const char *denominator,
                               uint32_t first_trial) {
    const struct row *rows[TRIALS_MAX];
    double logs[TRIALS_MAX];
    size_t count = 0, n = find_timed(index, point, numerator, first_trial, rows);
    struct ratio last = {NAN, {NAN, NAN}};
    for (size_t i = 0; i < n; i++) {
        const struct row *other = partner(index, rows[i], denominator);
        if (!other)
            continue;
        last = row_paired_ratio(rows[i], other);
        logs[count++] = log(last.value);
    }
    return count < 2 ? last : over_trials(logs, count);
}

struct ratio compare_ratio(const struct row_index *index, const struct point *point,
                           const char *numerator, const char *denominator) {
    return ratio_from(index, point, numerator, denominator, 0);
}

struct ratio compare_fresh_ratio(const struct row_index *index, const struct point *point,
                                 const char *numerator, const char *denominator) {
    return ratio_from(index, point, numerator, denominator, 1);
}

struct candidate {
    char variant[ROW_NAME_SIZE];
    double log_sum;
    size_t points;
};

/* Returns the variant's entry in the list, and adds the entry if it is missing. Returns NULL if the
 * list is full. */
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

/* What competes to be the best: the variants of a family with at most one option, because
 * "vpred,v=best" only chooses v; or all of them. */
struct contest {
    const char *family;
    bool any_options;
    struct candidate list[FAMILY_MAX];
    size_t count;
};

/* Adds the times of one point's rows to the candidates. Only rows of trial 0 count. */
static void add_times(struct row_span span, struct contest *contest) {
    for (size_t i = 0; i < span.count; i++) {
        const struct row *row = span.entries[i].row;
        if (row->workload.trial != 0 || !is_timed(row) || strcmp(row->impl, contest->family) != 0 ||
            (strchr(row->params, ',') && !contest->any_options))
            continue;
        struct candidate *candidate =
            candidate_of(contest->list, &contest->count, span.entries[i].variant);
        if (candidate) {
            candidate->log_sum += log(row->median);
            candidate->points++;
        }
    }
}

/* A variant timed at more points wins, because means over different points cannot be compared. */
static bool find_best(const struct contest *contest, char *variant, size_t size) {
    const struct candidate *list = contest->list, *best = NULL;
    for (size_t i = 0; i < contest->count; i++)
        if (!best || list[i].points > best->points ||
            (list[i].points == best->points && list[i].log_sum < best->log_sum))
            best = &list[i];
    if (best)
        snprintf(variant, size, "%s", best->variant);
    return best != NULL;
}

bool compare_best_variant(const struct row_index *index, const struct panel *panel,
                          const char *family, char *variant, size_t size) {
    struct contest contest = {.family = family};
    for (size_t i = 0; i < panel->n_points; i++)
        add_times(row_index_at(index, &panel->points[i]), &contest);
    return find_best(&contest, variant, size);
}

static bool find_best_at(const struct place *at, const char *family, char *variant, size_t size) {
    struct contest contest = {.family = family, .any_options = true};
    add_times(row_index_at(at->index, at->point), &contest);
    return find_best(&contest, variant, size);
}

bool compare_chooses_by_point(const char *operand) {
    return strcmp(operand + strcspn(operand, ",="), "=best") == 0;
}

static bool asks_for_best(const char *operand) {
    const char *value = strrchr(operand, '=');
    return value && strcmp(value, "=best") == 0;
}

bool compare_operand_variant(const struct place *at, const char *operand, char *variant,
                             size_t size) {
    if (!asks_for_best(operand)) {
        panel_variant(at->panel, operand, variant, size);
        return true;
    }
    char family[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(operand, ",="), operand);
    return compare_chooses_by_point(operand)
               ? find_best_at(at, family, variant, size)
               : compare_best_variant(at->index, at->panel, family, variant, size);
}

static const struct row *row_of_trial(const struct row_index *index, const struct point *point,
                                      const char *variant, uint32_t trial) {
    struct row_span span = row_index_find(index, point, variant);
    for (size_t i = 0; i < span.count; i++)
        if (span.entries[i].row->workload.trial == trial && is_timed(span.entries[i].row))
            return span.entries[i].row;
    return NULL;
}

/* A variant at a point of a run. */
struct side {
    const struct row_index *index;
    struct point point;
    char variant[ROW_NAME_SIZE];
};

/* Returns the ratio of the medians at two points. Rounds are not paired, because the two points
 * were not sampled in the same rounds. */
static struct ratio unpaired_ratio(const struct side *numerator, const struct side *denominator,
                                   uint32_t first_trial) {
    double logs[TRIALS_MAX];
    size_t count = 0;
    struct ratio last = {NAN, {NAN, NAN}};
    for (uint32_t trial = first_trial; trial < TRIALS_MAX; trial++) {
        const struct row *over =
            row_of_trial(numerator->index, &numerator->point, numerator->variant, trial);
        const struct row *under =
            row_of_trial(denominator->index, &denominator->point, denominator->variant, trial);
        if (!over || !under)
            continue;
        last = (struct ratio){over->median / under->median,
                              {over->median_interval.low / under->median_interval.high,
                               over->median_interval.high / under->median_interval.low}};
        logs[count++] = log(last.value);
    }
    return count < 2 ? last : over_trials(logs, count);
}

static bool find_side(const struct place *at, const char *operand, struct side *side) {
    side->index = at->index;
    return panel_operand_point(at->panel, at->point, operand, &side->point) &&
           compare_operand_variant(at, operand, side->variant, sizeof side->variant);
}

struct estimate compare_operand_time(const struct place *at, const char *operand) {
    struct side side;
    return find_side(at, operand, &side)
               ? time_from(at->index, &side.point, side.variant, asks_for_best(operand))
               : (struct estimate){NAN, {NAN, NAN}, 0};
}

/* One thread of the code for threads shares nothing, so neither what several threads share nor
 * their barrier matters. The code without threads (parallel is "") is another setting. */
static bool is_same_setting(struct point a, struct point b) {
    if (a.threads == 1 && b.threads == 1 && a.parallel[0] && b.parallel[0]) {
        memcpy(a.parallel, b.parallel, sizeof a.parallel);
        memcpy(a.barrier, b.barrier, sizeof a.barrier);
    }
    return point_equal(&a, &b);
}

static uint64_t documents_of_block(const struct row *row) {
    return row->doc_block && row->doc_block < row->workload.documents ? row->doc_block
                                                                      : row->workload.documents;
}

/* Returns true if the variants of two rows are one implementation in orders whose blocks turned out
 * to be equal. Blocks that fit a large cache, for example, may hold all documents. */
static bool is_same_loop(const struct row *a, const struct row *b) {
    struct variant first, second;
    struct error error;
    if (!a->workload.documents)
        return false;
    if (variant_parse(row_variant(a).text, &first, &error) || !first.order.is_given)
        return false;
    if (variant_parse(row_variant(b).text, &second, &error) || !second.order.is_given)
        return false;
    return strcmp(first.spec, second.spec) == 0 && strcmp(a->order, b->order) == 0 &&
           documents_of_block(a) == documents_of_block(b) && a->unit_block == b->unit_block;
}

static bool are_same_loop(const struct row_index *index, const struct side *a,
                          const struct side *b) {
    struct row_span first = row_index_find(index, &a->point, a->variant),
                    second = row_index_find(index, &b->point, b->variant);
    return first.count > 0 && second.count > 0 &&
           is_same_loop(first.entries[0].row, second.entries[0].row);
}

bool compare_operands_are_one(const struct place *at, const char *a, const char *b) {
    struct side first, second;
    if (asks_for_best(a) || asks_for_best(b) || !find_side(at, a, &first) ||
        !find_side(at, b, &second) || !is_same_setting(first.point, second.point))
        return false;
    return strcmp(first.variant, second.variant) == 0 || are_same_loop(at->index, &first, &second);
}

struct ratio compare_operand_ratio(const struct place *at, const char *numerator,
                                   const char *denominator) {
    struct side over, under;
    uint32_t first_trial = asks_for_best(numerator) || asks_for_best(denominator);
    if (!find_side(at, numerator, &over) || !find_side(at, denominator, &under) ||
        compare_operands_are_one(at, numerator, denominator))
        return (struct ratio){NAN, {NAN, NAN}};
    return point_equal(&over.point, &under.point)
               ? ratio_from(at->index, &over.point, over.variant, under.variant, first_trial)
               : unpaired_ratio(&over, &under, first_trial);
}

struct ratio compare_operand_speedup(const struct place *at, const struct point *base,
                                     const char *operand) {
    struct side before, after;
    const struct place from = {at->index, at->panel, base};
    if (!find_side(&from, operand, &before) || !find_side(at, operand, &after))
        return (struct ratio){NAN, {NAN, NAN}};
    return unpaired_ratio(&before, &after, asks_for_best(operand));
}

struct ratio compare_runs(const struct row_index *numerator, const struct row_index *denominator,
                          const struct point *point, const char *variant) {
    struct side over = {numerator, *point, ""}, under = {denominator, *point, ""};
    snprintf(over.variant, sizeof over.variant, "%s", variant);
    snprintf(under.variant, sizeof under.variant, "%s", variant);
    return unpaired_ratio(&over, &under, 0);
}

size_t compare_operand_rounds(const struct place *at, const char *operand) {
    const struct row *rows[TRIALS_MAX];
    struct side side;
    size_t fewest = SIZE_MAX;
    if (!find_side(at, operand, &side))
        return 0;
    size_t n = find_timed(at->index, &side.point, side.variant, 0, rows);
    for (size_t i = 0; i < n; i++)
        fewest = rows[i]->samples.count < fewest ? rows[i]->samples.count : fewest;
    return fewest;
}

struct estimate compare_operand_count(const struct place *at, const char *operand,
                                      enum counter counter) {
    const struct row *rows[TRIALS_MAX];
    double values[TRIALS_MAX];
    size_t count = 0;
    struct side side;
    if (!find_side(at, operand, &side))
        return (struct estimate){NAN, {NAN, NAN}, 0};
    size_t n = find_timed(at->index, &side.point, side.variant, asks_for_best(operand), rows);
    for (size_t i = 0; i < n; i++) {
        const struct counts *counts = &rows[i]->counts;
        if (counts->values[counter].valid)
            values[count++] = (double)counts->values[counter].value /
                              ((double)counts->documents * rows[i]->model_trees);
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
