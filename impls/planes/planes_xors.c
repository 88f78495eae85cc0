#include "impls/planes/planes_xors.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_GROUP = 8 };

/* A plane to be made. */
struct job {
    size_t number, first; /* first: index of its first operand among the planner's operands */
    uint32_t count;
    bool is_set; /* false for a part */
};

/* An operand is the index of a plain test, or n_plain + j for the plane that job j makes. */
struct planner {
    const struct planes_xor_set *sets;
    size_t n_sets, n_plain;
    struct memory_pool pool;
    struct job *jobs;
    size_t n_jobs;
    uint32_t *operands;
    size_t n_operands;
    uint32_t *set_operand; /* [n_sets] the operand that is each set's plane */
    /* The following is for one feature. A part has the index `group << bits | mask`, where `mask`
     * has a bit for each test of the group that is in the part. */
    uint32_t *parts; /* the number of uses of each part, and after add_parts the part's operand */
    uint32_t first_test;
    unsigned bits; /* tests in a group */
};

#define PART_APART UINT32_MAX /* the part has no plane, so its tests are separate operands */

/* --- groups ----------------------------------------------------------------------------------- */

static size_t count_parts(uint32_t n_tests, unsigned bits) {
    return (size_t)((n_tests + bits - 1) / bits) << bits;
}

/* Returns the end of the run of sets that have the same feature as set `begin`. The tests of these
 * sets are among the *n_tests tests from p->first_test on. */
static size_t end_of_feature(struct planner *p, size_t begin, uint32_t *n_tests) {
    uint32_t first = UINT32_MAX, behind = 0;
    size_t end = begin;
    for (; end < p->n_sets && p->sets[end].feature == p->sets[begin].feature; end++) {
        const struct planes_xor_set *set = &p->sets[end];
        uint32_t last = set->n_tests ? set->tests[set->n_tests - 1] : 0;
        if (set->n_tests && set->tests[0] < first)
            first = set->tests[0];
        if (set->n_tests && last >= behind)
            behind = last + 1;
    }
    p->first_test = first;
    *n_tests = first < behind ? behind - first : 0;
    return end;
}

/* Returns the part that consists of test number *i of the set and the set's later tests of the same
 * group. Moves *i past these tests. */
static size_t next_part(const struct planner *p, const struct planes_xor_set *set, uint32_t *i) {
    uint32_t group = (set->tests[*i] - p->first_test) / p->bits;
    size_t mask = 0;
    for (; *i < set->n_tests; ++*i) {
        uint32_t place = set->tests[*i] - p->first_test;
        if (place / p->bits != group)
            break;
        mask |= (size_t)1 << place % p->bits;
    }
    return (size_t)group << p->bits | mask;
}

static unsigned tests_of(const struct planner *p, size_t part) {
    return (unsigned)__builtin_popcountll(part & (((size_t)1 << p->bits) - 1));
}

static void count_uses(struct planner *p, size_t begin, size_t end, size_t n_parts) {
    memset(p->parts, 0, n_parts * sizeof *p->parts);
    for (size_t s = begin; s < end; s++)
        for (uint32_t i = 0; i < p->sets[s].n_tests;)
            p->parts[next_part(p, &p->sets[s], &i)]++;
}

/* Is it cheaper to make a part once than to XOR its tests at each use? Making the part takes a load
 * of each test and a store, and each use takes a load. */
static bool is_worth_it(uint64_t uses, unsigned tests) {
    return uses * tests > uses + tests + 1;
}

static uint64_t cost_of(const struct planner *p, size_t n_parts) {
    uint64_t cost = 0;
    for (size_t part = 0; part < n_parts; part++) {
        uint64_t uses = p->parts[part];
        unsigned tests = tests_of(p, part);
        cost += is_worth_it(uses, tests) ? uses + tests + 1 : uses * tests;
    }
    return cost;
}

/* --- jobs ------------------------------------------------------------------------------------- */

static void add_operand(struct planner *p, uint32_t operand) {
    p->operands[p->n_operands++] = operand;
}

static uint32_t end_job(struct planner *p, size_t first, bool is_set) {
    p->jobs[p->n_jobs] = (struct job){p->n_jobs, first, (uint32_t)(p->n_operands - first), is_set};
    return (uint32_t)(p->n_plain + p->n_jobs++);
}

static void add_tests(struct planner *p, size_t part) {
    uint32_t first = p->first_test + (uint32_t)(part >> p->bits) * p->bits;
    for (unsigned i = 0; i < p->bits; i++)
        if (part >> i & 1)
            add_operand(p, first + i);
}

/* Adds jobs for the parts that are worth it. p->parts then has operands instead of uses. */
static void add_parts(struct planner *p, size_t n_parts) {
    for (size_t part = 0; part < n_parts; part++) {
        size_t first = p->n_operands;
        bool is_made = is_worth_it(p->parts[part], tests_of(p, part));
        if (is_made)
            add_tests(p, part);
        p->parts[part] = is_made ? end_job(p, first, false) : PART_APART;
    }
}

static void add_set(struct planner *p, size_t s) {
    const struct planes_xor_set *set = &p->sets[s];
    size_t first = p->n_operands;
    for (uint32_t i = 0; i < set->n_tests;) {
        size_t part = next_part(p, set, &i);
        if (p->parts[part] == PART_APART)
            add_tests(p, part);
        else
            add_operand(p, p->parts[part]);
    }
    if (p->n_operands - first == 1)
        p->set_operand[s] = p->operands[--p->n_operands];
    else
        p->set_operand[s] = end_job(p, first, true);
}

/* Chooses the group size that makes the sets [begin, end) cheapest. */
static void choose_groups(struct planner *p, size_t begin, size_t end, uint32_t n_tests) {
    uint64_t least = UINT64_MAX;
    unsigned best = 1;
    for (p->bits = 1; p->bits <= LARGEST_GROUP; p->bits++) {
        size_t n_parts = count_parts(n_tests, p->bits);
        count_uses(p, begin, end, n_parts);
        uint64_t cost = cost_of(p, n_parts);
        best = cost < least ? p->bits : best;
        least = cost < least ? cost : least;
    }
    p->bits = best;
}

/* Plans the sets [begin, end) of one feature. They use n_tests plain tests from p->first_test on.
 */
static bool plan_feature(struct planner *p, size_t begin, size_t end, uint32_t n_tests) {
    size_t most = 0;
    for (unsigned bits = 1; bits <= LARGEST_GROUP; bits++)
        most = count_parts(n_tests, bits) > most ? count_parts(n_tests, bits) : most;
    p->parts = memory_aligned_alloc(most * sizeof *p->parts);
    if (!p->parts)
        return false;
    choose_groups(p, begin, end, n_tests);
    count_uses(p, begin, end, count_parts(n_tests, p->bits));
    add_parts(p, count_parts(n_tests, p->bits));
    for (size_t s = begin; s < end; s++)
        add_set(p, s);
    free(p->parts);
    return true;
}

static bool plan(struct planner *p) {
    bool done = true;
    for (size_t begin = 0, end; begin < p->n_sets && done; begin = end) {
        uint32_t n_tests;
        end = end_of_feature(p, begin, &n_tests);
        done = plan_feature(p, begin, end, n_tests);
    }
    return done;
}

/* --- the program ------------------------------------------------------------------------------ */

/* The key that sorts jobs. Parts come before sets, because sets are made from them. Planes with the
 * same number of operands are consecutive, because each change of a loop's count would cost a
 * branch misprediction. */
static uint64_t order_of(const struct job *job) {
    return (uint64_t)job->is_set << 32 | job->count;
}

static int compare_jobs(const void *a, const void *b) {
    const struct job *x = a, *y = b;
    if (order_of(x) != order_of(y))
        return order_of(x) < order_of(y) ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* The final index of an operand's plane; place[j] is the final place of job j. */
static uint32_t plane_of(const struct planner *p, const uint32_t *place, uint32_t operand) {
    return operand < p->n_plain ? operand : (uint32_t)p->n_plain + place[operand - p->n_plain];
}

static void write_runs(const struct planner *p, const uint32_t *place,
                       struct planes_xor_program *program) {
    for (size_t i = 0; i < p->n_jobs; i++) {
        const struct job *job = &p->jobs[i];
        if (i == 0 || order_of(job) != order_of(job - 1))
            program->runs[program->n_runs++] =
                (struct planes_xors){program->operands + program->n_operands, 0, job->count};
        program->runs[program->n_runs - 1].n_planes++;
        for (uint32_t j = 0; j < job->count; j++)
            program->operands[program->n_operands++] =
                plane_of(p, place, p->operands[job->first + j]);
    }
}

static bool write_program(struct planner *p, struct planes_xor_program *program) {
    struct memory_pool *pool = &program->pool;
    uint32_t *place = memory_pool_array(&p->pool, p->n_jobs, sizeof *place);
    program->runs = memory_pool_array(pool, p->n_jobs, sizeof *program->runs);
    program->operands = memory_pool_array(pool, p->n_operands, sizeof *program->operands);
    program->set_plane = memory_pool_array(pool, p->n_sets, sizeof *program->set_plane);
    if (p->pool.failed || pool->failed)
        return false;
    qsort(p->jobs, p->n_jobs, sizeof *p->jobs, compare_jobs);
    for (size_t i = 0; i < p->n_jobs; i++)
        place[p->jobs[i].number] = (uint32_t)i;
    program->n_planes = p->n_jobs;
    write_runs(p, place, program);
    for (size_t s = 0; s < p->n_sets; s++)
        program->set_plane[s] = plane_of(p, place, p->set_operand[s]);
    return true;
}

bool planes_xors_make(const struct planes_xor_set *sets, size_t n_sets, size_t n_plain,
                      struct planes_xor_program *program) {
    *program = (struct planes_xor_program){0};
    if (n_sets == 0)
        return true;
    struct planner p = {.sets = sets, .n_sets = n_sets, .n_plain = n_plain};
    size_t n_tests = 0;
    for (size_t s = 0; s < n_sets; s++)
        n_tests += sets[s].n_tests;
    /* A part is made only if it replaces more operands than it has. So all parts together have
     * fewer operands than the sets have tests. */
    p.jobs = memory_pool_array(&p.pool, n_sets + n_tests, sizeof *p.jobs);
    p.operands = memory_pool_array(&p.pool, 2 * n_tests, sizeof *p.operands);
    p.set_operand = memory_pool_array(&p.pool, n_sets, sizeof *p.set_operand);
    bool done = !p.pool.failed && plan(&p) && write_program(&p, program);
    memory_pool_free(&p.pool);
    return done;
}
