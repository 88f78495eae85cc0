/* A target: an implementation whose calls are timed, with its memory. A call goes through
 * libtreebench, as a user's call does. */
#ifndef HARNESS_LATENCY_TARGET_H
#define HARNESS_LATENCY_TARGET_H

#include "harness/latency/causes.h"
#include "harness/latency/loop.h"
#include "harness/latency/schedule.h"
#include "harness/measure/contender.h"
#include "harness/measure/stage.h"
#include "harness/measure/sweep.h"
#include "library/wrap.h"

/* What all targets share. Documents are shuffled (harness/latency/schedule.h). */
struct target_common {
    const struct ensemble *ensemble;
    const struct matrix *documents;
    const double *expected; /* [n_rows * n_outputs] the reference's replies */
    struct verifier *verifier;
    struct measure_request how;
    uint64_t seed; /* of the sizes of calls, and of the replies that are checked */
    enum call_state state;
    struct sweep sweep;            /* L2, L3, COLD */
    struct cpu_affinity *unpinned; /* FIRST: of the thread before it was pinned */
};

struct target {
    struct contender contender;
    struct row row; /* with the status, the reason and what the built scorer takes */
    struct tb_scorer *wrapped;
    struct tb_context *context;
};

static inline bool target_is_ok(const struct target *target) {
    return target->row.status == ROW_OK;
}

/* Computes the replies of the reference. The caller frees them. */
enum status target_expect(const struct ensemble *ensemble, const struct matrix *documents,
                          double **replies, struct error *error);

/* Builds and checks the implementation. A failure is recorded in the row. target_close frees what
 * was built. */
void target_open(const struct target_common *common, const char *variant, struct target *target);
void target_close(struct target *target);

/* Makes a new call at other addresses. Builds the scorer again if that takes little of
 * `samples_ns`. */
void target_open_again(const struct target_common *common, double samples_ns,
                       struct target *target);

/* The calls of one size to one target, for the loops (harness/latency/loop.h). */
struct target_calls {
    const struct target_common *common;
    struct target *target;
    const struct stage *stage; /* the documents and the scores at this placement */
    struct call_size size;
    enum call_documents documents;
    uint64_t checked;           /* number of replies that were compared with the reference's */
    struct causes *causes;      /* of slow calls */
    struct causes_reading last; /* before the next slow call */
    /* the next call */
    uint64_t number;
    struct call call;
};

/* `calls` must outlive the service. A reply is checked if the seed draws it: 1 of 64, and always
 * the first. A wrong one sets the status of the target's row. No call is slow
 * unless the caller sets slow_ns. */
struct service target_service(struct target_calls *calls);

#endif
