/* Converts ensembles that vote for code that supports one value per leaf only.
 *
 * Each tree becomes one tree for each class that it can vote for. A leaf of such a tree is 1 if the
 * original leaf votes for the class, and 0 otherwise. Subtrees whose leaves are equal become single
 * leaves. Scores stay exactly the same. */
#ifndef MODELS_VOTES_H
#define MODELS_VOTES_H

#include "models/ensemble.h"

/* Limit for the work of a conversion: the number of nodes of each tree times the number of its
 * classes, added up over the trees. */
#define VOTES_MAX_WORK ((uint64_t)1 << 34)

/* Limits for the nodes and leaves of the copy: of a tree, REWRITE_MAX_GROWTH times those of the
 * original plus REWRITE_FREE_NODES (models/rewrite.h); of the model, VOTES_MAX_GROWTH times those
 * of the original, or REWRITE_MAX_NODES if that is more. */
enum { VOTES_MAX_GROWTH = 8 };

/* Creates a copy with one tree per class. It keeps everything else, except the lists of categories.
 * The copies of a tree follow each other. STATUS_UNSUPPORTED if a limit is
 * exceeded. */
enum status ensemble_votes_to_outputs(const struct ensemble *ensemble, struct ensemble **copy,
                                      struct error *error);

/* The same, except that two classes become one output: the votes for the second class minus those
 * for the first. A leaf is 1 or -1. */
enum status ensemble_votes_to_margins(const struct ensemble *ensemble, struct ensemble **copy,
                                      struct error *error);

#endif
