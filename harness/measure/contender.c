#include "harness/measure/contender.h"

#include "harness/caches/predict.h"
#include "impls/peers/isolated.h"
#include "impls/peers/plugin.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>

/* A build that takes at most this long is repeated for each placement, however short samples are.
 */
#define SHORT_BUILD_NS 5e6
/* Larger scorers are not built again, because two of them are in memory for a while. */
enum { BUILT_AGAIN_BYTES = 1 << 26 };

void contender_pass(void *argument) {
    const struct contender *c = argument;
    runner_run(c->runner, c->documents->values, c->documents->stride, c->documents->n_rows,
               c->scores);
}

static void report_difference(const struct verification *found, const char *how, struct row *row) {
    char reason[ROW_REASON_SIZE];
    if (found->agrees)
        return;
    snprintf(reason, sizeof reason, "%s %zu scores %.17g%s, but the reference scores %.17g",
             found->probe ? "probe" : "document", found->document, found->found, how,
             found->expected);
    row_fail(row, ROW_WRONG, reason);
}

/* Says how a plan scored, for a reason. */
static const char *how_scored(const struct plan *plan) {
    return !plan ? "" : plan->threads > 1 ? " with threads" : " in this order";
}

/* Nothing is known beforehand of how a peer rounds. */
static void tell_rounding(const struct measure_request *how, const struct verification *found,
                          const struct contender *c) {
    if ((c->scorer->impl->roles & IMPL_PEER) && !how->drops_scorer_notes)
        note_tell(how->note, "%s: scores differ by up to %.3g from the reference's (%.3g allowed)",
                  c->variant, found->largest_difference, found->rounding);
}

/* Compares the variant's scores with the reference's. A NULL plan means one thread and the default
 * order, with which a scorer is checked first. */
static void check(const struct verifier *verifier, const struct measure_request *how,
                  const struct plan *plan, struct contender *c) {
    struct verification found;
    struct error error;
    enum status status = plan ? verifier_check_plan(verifier, c->scorer, plan, &found, &error)
                              : verifier_check(verifier, c->scorer, NULL, &found, &error);
    if (status)
        row_fail(c->row, ROW_FAILED, error.text);
    else
        report_difference(&found, how_scored(plan), c->row);
    if (!status && found.agrees && found.largest_difference > 0)
        tell_rounding(how, &found, c);
}

static void check_leaves(struct verifier *verifier, struct contender *c) {
    struct verification found;
    struct error error;
    if (verifier_check_leaves(verifier, c->parsed.spec, &found, &error) != STATUS_OK)
        row_fail(c->row, ROW_FAILED, error.text);
    else
        report_difference(&found, " when every leaf has its own value", c->row);
}

/* Checks the variant with one thread, then with the order and the threads that are timed. */
static void check_scores(struct verifier *verifier, const struct measure_request *how,
                         struct contender *c) {
    if (!c->lender)
        check(verifier, how, NULL, c);
    if (contender_is_ok(c) && !c->lender && verifier_needs_leaves(c->scorer))
        check_leaves(verifier, c);
    if (contender_is_ok(c) && (c->plan.threads > 1 || c->parsed.order.is_given))
        check(verifier, how, &c->plan, c);
}

/* Creates the runner. Threads that share the trees add up their scores once per pass, or after each
 * block of documents. In the second case, the time of a block is its latency. */
static void start_threads(const struct measure_request *how, struct contender *c) {
    struct error error;
    bool once = how->single_documents && !how->barrier_each_step;
    size_t n_rows = c->documents->n_rows;
    size_t call = c->parsed.order.is_given ? c->plan.call : c->plan.doc_block;
    size_t block = once ? 0 : call;
    enum status status = runner_create(
        c->scorer, &c->plan, block && block < n_rows ? block : n_rows, &c->runner, &error);
    if (!status)
        status =
            runner_prepare(c->runner, c->documents->values, c->documents->stride, n_rows, &error);
    bool refused = status == STATUS_MACHINE || status == STATUS_UNSUPPORTED;
    if (status)
        row_fail(c->row, refused ? ROW_UNSUPPORTED : ROW_FAILED, error.text);
}

void contender_tell(const struct measure_request *how, const char *what, const char *variant) {
    char text[2 * ROW_NAME_SIZE];
    snprintf(text, sizeof text, "%s %s", what, variant);
    progress_note(how->progress, text);
}

static void refuse_large(struct contender *c) {
    char reason[ROW_REASON_SIZE];
    if (c->scorer->bytes <= c->bytes_most)
        return;
    snprintf(reason, sizeof reason, "needs %.0f MB when built, but only %.0f MB are left",
             (double)c->scorer->bytes / 1e6, (double)c->bytes_most / 1e6);
    row_fail(c->row, ROW_UNSUPPORTED, reason);
    scorer_destroy(c->scorer);
    c->scorer = NULL;
}

/* A library is loaded before the build, so that it does not count for the first of its scorers. A
 * peer is loaded by building one. */
static enum status build_measured(const struct ensemble *ensemble, struct contender *c,
                                  struct error *error) {
    const struct impl *impl = impl_find(c->row->impl, NULL);
    struct scorer *first = NULL;
    if (impl && (impl->roles & IMPL_PEER) &&
        scorer_build(c->parsed.spec, ensemble, &first, NULL) == 0)
        scorer_destroy(first);
    else if (impl)
        impl_is_here(impl);
    struct resident_reading before = resident_begin();
    enum status status = scorer_build(c->parsed.spec, ensemble, &c->scorer, error);
    c->row->resident = resident_end(&before);
    return status;
}

/* Builds the scorer, unless one was kept from an earlier cell or is lent. Only a new scorer must be
 * checked. */
static void build(const struct ensemble *ensemble, const struct measure_request *how,
                  struct contender *c) {
    struct error error;
    if (c->kept || c->lender) {
        c->scorer = c->kept ? c->kept : c->lender->scorer;
        return;
    }
    contender_tell(how, "building and checking", c->variant);
    enum status status = how->reads_resident
                             ? build_measured(ensemble, c, &error)
                             : scorer_build(c->parsed.spec, ensemble, &c->scorer, &error);
    bool refused = status == STATUS_UNSUPPORTED || status == STATUS_MACHINE;
    if (status)
        row_fail(c->row, refused ? ROW_UNSUPPORTED : ROW_FAILED, error.text);
    else
        refuse_large(c);
    if (!contender_is_ok(c))
        return;
    c->row->build_ns = c->scorer->build_ns;
    c->row->builds = 1;
    if (c->scorer->note && !how->drops_scorer_notes)
        note_tell(how->note, "%s", c->scorer->note);
}

/* Splits off the variant's order, and records what was asked. */
static void read_variant(const struct measure_request *how, struct contender *c) {
    struct error error;
    struct row *row = c->row;
    const struct order_choice *asked = &c->parsed.order;
    c->plan = how->plan;
    if (variant_parse(c->variant, &c->parsed, &error) != STATUS_OK)
        row_fail(row, ROW_FAILED, error.text);
    snprintf(row->order, sizeof row->order, "%s",
             order_name(asked->is_given ? asked->order : c->plan.order));
    snprintf(row->clock, sizeof row->clock, "%s", how->clock);
    row->threads = measure_threads(how);
    row->unit_block = asked->is_given ? asked->s : c->plan.unit_block;
    row->doc_block = asked->is_given ? asked->d : c->plan.doc_block;
}

/* Sets the order and its blocks. An order applies to all documents of a call. */
static void plan_order(const struct measure_request *how, struct contender *c) {
    struct error error;
    if (c->parsed.order.is_given) {
        c->plan.call = how->single_documents ? 0 : how->plan.doc_block;
        if (order_choice_plan(&c->parsed.order, c->scorer, c->documents, &c->plan, &error) !=
            STATUS_OK)
            row_fail(c->row, ROW_UNSUPPORTED, error.text);
    } else if (how->single_documents) {
        c->plan.doc_block = c->scorer->lanes;
    }
    if (contender_is_ok(c)) {
        c->row->doc_block = c->plan.doc_block;
        c->row->unit_block = c->plan.unit_block;
    }
}

static void build_planned(const struct ensemble *ensemble, const struct measure_request *how,
                          struct contender *c) {
    read_variant(how, c);
    if (contender_is_ok(c))
        build(ensemble, how, c);
    if (contender_is_ok(c))
        plan_order(how, c);
}

/* --- peers ------------------------------------------------------------------------------------ */

/* A trial of a peer in a process of its own, and what came of it. */
struct trial {
    const struct ensemble *ensemble;
    struct verifier *verifier;
    const struct measure_request *how;
    struct contender *contender;
};
struct trial_result {
    bool is_built;
    enum row_status status;
    char reason[ROW_REASON_SIZE];
};

static void try_here(void *context, void *result) {
    const struct trial *trial = context;
    struct trial_result *found = result;
    struct contender *c = trial->contender;
    struct measure_request how = *trial->how;
    how.drops_scorer_notes = true; /* they come again from the process that measures */
    build_planned(trial->ensemble, &how, c);
    found->is_built = true;
    if (contender_is_ok(c))
        start_threads(&how, c);
    if (contender_is_ok(c))
        check_scores(trial->verifier, &how, c);
    found->status = c->row->status;
    memcpy(found->reason, c->row->reason, sizeof found->reason);
}

/* Ends OpenMP's threads, which would not be in a forked process. They start again when they are
 * needed. LLVM's runtime forgets them at a fork, and aborts there if they were ended. */
static void end_pool(void) {
#ifndef __clang__
    omp_pause_resource_all(omp_pause_hard);
#endif
}

/* Builds and checks a peer in a process of its own. If it crashes or hangs there, no later build
 * begins. */
static void try_apart(const struct impl *impl, const struct trial *trial) {
    struct trial_result found = {.is_built = false};
    struct error error, reason;
    end_pool();
    enum status status =
        isolated_run(try_here, (void *)trial, &found, sizeof found, plugin_seconds(impl), &error);
    if (status) {
        error_set(&reason, status, "%s %s while it %s", impl->source, error.text,
                  found.is_built ? "scored" : "opened the model");
        plugin_give_up(impl, reason.text);
        row_fail(trial->contender->row, ROW_FAILED, reason.text);
    } else if (found.status != ROW_OK) {
        row_fail(trial->contender->row, found.status, found.reason);
    }
}

/* The peer that this contender is, unless it was tried before. NULL: none. */
static const struct impl *untried_peer(const struct contender *c) {
    const struct impl *impl = impl_find(c->row->impl, NULL);
    return impl && (impl->roles & IMPL_PEER) && !c->kept && !c->lender ? impl : NULL;
}

void contender_prepare(const struct ensemble *ensemble, struct verifier *verifier,
                       const struct measure_request *how, struct contender *c) {
    struct row *row = c->row;
    const struct impl *peer = untried_peer(c);
    if (peer)
        try_apart(peer, &(struct trial){ensemble, verifier, how, c});
    if (contender_is_ok(c))
        build_planned(ensemble, how, c);
    if (!contender_is_ok(c))
        return;
    row->lanes = c->scorer->lanes;
    row->built_bytes = c->scorer->bytes;
    start_threads(how, c);
    if (contender_is_ok(c) && !c->kept && c->scorer->impl->kind != IMPL_BASELINE)
        check_scores(verifier, how, c);
    if (contender_is_ok(c) && how->scorers)
        c->kept = c->scorer;
}

static void free_scorer(struct contender *c) {
    if (c->scorer != c->kept && !c->lender)
        scorer_destroy(c->scorer);
}

bool contender_builds_fast(const struct contender *c, double samples_ns) {
    return c->scorer->build_ns <= fmax(SHORT_BUILD_NS, samples_ns / 2) &&
           c->scorer->bytes <= BUILT_AGAIN_BYTES;
}

static void replace_scorer(const struct ensemble *ensemble, struct contender *c) {
    struct error error;
    struct scorer *scorer;
    /* The previous scorer still holds its memory, so the new one gets other addresses. */
    if (scorer_build(c->parsed.spec, ensemble, &scorer, &error) != STATUS_OK)
        return;
    free_scorer(c);
    c->scorer = scorer;
    c->row->builds++;
}

void contender_build_again(const struct ensemble *ensemble, const struct measure_request *how,
                           double samples_ns, struct contender *c) {
    if (c->lender)
        c->scorer = c->lender->scorer; /* lenders come first, so this one is the new one */
    else if (contender_builds_fast(c, samples_ns))
        replace_scorer(ensemble, c);
    runner_destroy(c->runner);
    c->runner = NULL;
    start_threads(how, c);
    if (!contender_is_ok(c))
        row_free(c->row); /* rows without a time have no samples */
}

void contender_free(struct contender *c) {
    runner_destroy(c->runner);
    free_scorer(c);
}
