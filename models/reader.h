/* Functions shared by the readers. */
#ifndef MODELS_READER_H
#define MODELS_READER_H

#include "base/status.h"
#include "models/ensemble.h"

/* Frees the builder of a reader that ends with `status`. If that is no error, makes the ensemble
 * first: calls ensemble_builder_finish, and prefixes its error with the file name: "FILE: tree 3,
 * node 5: ...". */
enum status reader_finish(const char *name, enum status status, struct ensemble_builder *builder,
                          const struct ensemble_shape *shape, struct ensemble **ensemble,
                          struct error *error);

/* If a text begins with some characters, such as "[{", with any white space before and after each,
 * returns what follows; otherwise NULL. */
const char *reader_behind(const char *text, size_t size, const char *marks);

/* Does a text begin like this, and does it contain a word near its beginning? */
bool reader_finds(const char *text, size_t size, const char *marks, const char *word);

/* Adds a cut (a double) that is not below the others. If it equals the last cut, the last cut is
 * removed instead, because the piece between the two would be empty. Returns false if out of
 * memory. */
bool reader_add_cut(struct memory_list *cuts, double cut);

/* Gives a node its cuts. `cuts` must not change before the node is added. */
void reader_set_cuts(const struct memory_list *cuts, struct inner_node *node);

/* Converts a child in canonical form (c >= 0 is inner node c, c < 0 is leaf ~c) to the builder's
 * node number, for readers that add all inner nodes before the leaves. */
static inline uint32_t reader_child(uint32_t n_inner, int32_t child) {
    return child >= 0 ? (uint32_t)child : n_inner + (uint32_t)~child;
}

#endif
