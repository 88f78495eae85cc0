/* The interface for callers of implementations: the registry of implementations, and scorers. For
 * example:
 *
 *     struct scorer *scorer;
 *     enum status status = scorer_build("vpred,v=8", ensemble, &scorer, &error);
 *     void *workspace = scorer_workspace(scorer);
 *     const struct batch batch = {x, n_features, scores, workspace};
 *     scorer_run(scorer, &(struct plan){0}, n_docs, &batch);
 *     free(workspace);
 *     scorer_destroy(scorer); */
#ifndef IMPLS_SCORER_H
#define IMPLS_SCORER_H

#include "impls/impl.h"
#include "impls/order.h"

/* --- the registry ----------------------------------------------------------------------------- */

/* All implementations, in the order of registry.def, and then those that were added. */
const struct impl *const *impl_all(size_t *count);

/* Adds an implementation, which must outlive all calls. False if there are already too many. Not
 * safe while other threads use the registry. */
enum { IMPL_ADDED_MAX = 8 };
bool impl_add(const struct impl *impl);

/* Finds an implementation by name. NULL if no implementation has that name; the error then suggests
 * a similar name or lists the implementations that run on this machine. `error` may be NULL. */
const struct impl *impl_find(const char *name, struct error *error);

/* Does this processor have the instructions that the implementation needs? */
bool impl_runs_here(const struct impl *impl);

/* Is the implementation installed? False only for a library that is missing. Commands that run all
 * implementations skip it. True if memory ran out during the search: building the implementation
 * then fails with that error. */
bool impl_is_here(const struct impl *impl);

/* Can it be chosen for speed on this processor? Not the reference, `auto` or what is not ours. */
bool impl_competes(const struct impl *impl);

/* The first implementation with a role that runs here. Each role has one on every machine. */
const struct impl *impl_with_role(enum impl_role role);

/* The first implementation with a form of export, on every machine. */
const struct impl *impl_with_form(enum impl_form form);

/* Writes the name and version of a library that is installed, such as "XGBoost 1.7.4". "" for other
 * implementations, and if the version is unknown. */
void impl_version(const struct impl *impl, char *text, size_t size);

/* Splits "vpred,v=8" into the implementation and its options. NULL, with the error, if the
 * implementation or one of the options does not exist. `build` checks the options' values. */
const struct impl *impl_parse(const char *spec, struct options *options, struct error *error);

/* Has the implementation an option of this name? */
bool impl_has_option(const struct impl *impl, const char *name);

/* --- scorers ---------------------------------------------------------------------------------- */

/* Builds a scorer for an ensemble from a spec such as "vpred,v=8". STATUS_MACHINE if the
 * implementation needs instructions that the CPU lacks. */
enum status scorer_build(const char *spec, const struct ensemble *ensemble, struct scorer **scorer,
                         struct error *error);

/* Allocates the workspace of one thread. The caller frees it with free(). NULL only if out of
 * memory. */
void *scorer_workspace(const struct scorer *scorer);

/* Adds the leaf values of all trees to the scores of the batch's documents 0 to n_docs - 1. Uses
 * only the calling thread. Base scores are not added. */
void scorer_run(const struct scorer *scorer, const struct plan *plan, size_t n_docs,
                const struct batch *batch);

#endif
