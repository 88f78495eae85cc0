/* Collects the queries of documents while a reader reads them line by line. */
#ifndef DATASETS_QUERY_LIST_H
#define DATASETS_QUERY_LIST_H

#include "base/status.h"
#include "datasets/matrix.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct query_begin {
    int64_t id;
    size_t row;     /* first row of the query */
    const char *at; /* position in the text of the query's first mention */
};

/* Initialise with zeros. */
struct query_list {
    struct query_begin *items;
    size_t count, capacity;
};

/* Adds the query of the document `row`, unless it is the query of the document before. `at` is the
 * position of the query in the text. Returns false if out of memory. */
bool query_list_add(struct query_list *list, int64_t id, size_t row, const char *at);

/* Stores the queries, if any, in the matrix. If a query is not contiguous, returns STATUS_INPUT
 * without a text and sets *back to its second occurrence. The list is then no longer in order. */
enum status query_list_store(struct query_list *list, struct matrix *matrix,
                             struct query_begin *back, struct error *error);
void query_list_free(struct query_list *list);

#endif
