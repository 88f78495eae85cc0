/* The queries of documents as a reader meets them, line by line. */
#ifndef DATASETS_QUERY_LIST_H
#define DATASETS_QUERY_LIST_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query_begin {
    int64_t id;
    size_t row;     /* its first */
    const char *at; /* where the text names it first */
};

/* Begins as zeros. */
struct query_list {
    struct query_begin *items;
    size_t count, capacity;
};

/* The query of the next document, which the text names at `at`. False: no memory. */
bool query_list_add(struct query_list *list, int64_t id, size_t row, const char *at);

/* Gives the queries to the matrix, if there are any. STATUS_INPUT with *back where a query's second
 * part begins, and no text: the reader says so; the list is not in order any more. */
enum status query_list_store(struct query_list *list, struct matrix *matrix,
                             struct query_begin *back, struct error *error);
void query_list_free(struct query_list *list);

#endif
