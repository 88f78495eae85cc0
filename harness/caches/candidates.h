/* Candidates of a search (jin2016, section 4.2): orders with their blocks, for some range cases. */
#ifndef HARNESS_CACHES_CANDIDATES_H
#define HARNESS_CACHES_CANDIDATES_H

#include "harness/caches/scenario.h"

/* An order with its blocks. */
struct blocking {
    enum order order;
    size_t docs, units; /* d and s; 0: the order has no such block */
};

struct blocking_candidate {
    struct blocking blocking;
    struct range_case range_case; /* of order DS: the baseline, which is no case */
    double docs_mu, units_mu;     /* 0: the order has no such block */
    double cost;                  /* T */
};

/* Describes the problem of a scorer that was built. `doc_bytes` is the distance of two documents in
 * memory. */
void blocking_problem_of_scorer(const struct scorer *scorer, size_t n_docs, size_t doc_bytes,
                                const struct blocking_machine *machine,
                                struct blocking_problem *problem);

/* Lists the cases that can be the cheapest by Proposition 1 of jin2016: DSD2, DSD2S1, SDS2D1 and
 * SDS2D2, and with large c4/s2 also SDS3D1 and SDS3D2. Levels above the home of all documents or
 * units become the home. Returns their number: 0 if the conditions do not hold, so that all cases
 * must be looked at. */
enum { PROPOSITION_CASES = 6 };
size_t proposition_cases(const struct blocking_problem *problem,
                         struct range_case cases[static PROPOSITION_CASES]);

/* Which cases are tried. */
enum blocking_cases {
    /* The cases of Proposition 1. If its conditions do not hold: the cases that for some miss rates
     * cost at most twice the cheapest one. */
    CASES_GUIDED,
    CASES_ALL /* all that exist */
};

struct candidate_request {
    enum blocking_cases cases;
    bool standard_mu; /* only mu = 0.5 */
    /* only for searches: what is compared with the choice, such as the blocks that `score` chooses
     * without measuring */
    struct blocking standard;
    /* a candidate besides those of the cases; order DS: none */
    struct blocking also;
};

/* Lists the baseline DS and the candidates, which differ in the sequence of their visits. The list
 * has room for CANDIDATES_MOST. Returns their number. *by_proposition tells whether the proposition
 * chose the cases. */
enum { CANDIDATES_MOST = 2 + RANGE_CASES * MUS };
size_t candidates_list(const struct blocking_problem *problem,
                       const struct candidate_request *request,
                       struct blocking_candidate list[static CANDIDATES_MOST],
                       bool *by_proposition);

bool blocking_is_same(struct blocking a, struct blocking b);

/* Returns the simplest order and blocks that visit documents and units in the same sequence:
 * DSDS(d, m) becomes DS. */
struct blocking blocking_simplify(const struct blocking_problem *problem, struct blocking blocking);

/* Adds a candidate for this order and these blocks, unless one with the same sequence is in the
 * list. The case and T are those of the levels which the blocks fit. */
void candidates_add(const struct blocking_problem *problem, struct blocking blocking,
                    struct blocking_candidate *list, size_t *n);

/* Returns the blocks that just fit the levels of a case, d_i and s_j, if a share mu of each
 * document and unit is used. */
struct blocking blocking_of_case(const struct blocking_problem *problem,
                                 const struct range_case *range_case, double mu);

/* Returns the case whose levels these blocks just fit (mu = 0.5). Order DS: SDS with all units. */
struct range_case blocking_case(const struct blocking_problem *problem, struct blocking blocking);

/* Returns T of a candidate in its own case, for the problem's model. NaN if the paper has no such
 * case. */
double candidate_cost(const struct blocking_problem *problem,
                      const struct blocking_candidate *candidate);

/* Writes the paper's name of the candidate's case, or "-" and returns false: DS is no case, and not
 * every pair of levels is one of the paper. */
bool candidate_case_name(const struct blocking_candidate *candidate,
                         char name[static RANGE_CASE_NAME]);

/* Writes "DSD d = 373" or "SDSD s = 1638, d = 1928". */
enum { BLOCKING_TEXT = 64 };
void blocking_text(struct blocking blocking, char text[static BLOCKING_TEXT]);

#endif
