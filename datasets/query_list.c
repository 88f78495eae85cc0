#include "datasets/query_list.h"

#include "base/memory.h"

#include <stdlib.h>

bool query_list_add(struct query_list *list, int64_t id, size_t row, const char *at) {
    if (list->count && list->items[list->count - 1].id == id)
        return true;
    if (!memory_grow((void **)&list->items, &list->capacity, list->count, sizeof *list->items))
        return false;
    list->items[list->count++] = (struct query_begin){id, row, at};
    return true;
}

static int compare(const void *a, const void *b) {
    const struct query_begin *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Fails if a query is not contiguous, which means that it has two entries. *back is then the first
 * such second entry. */
static enum status check(struct query_list *list, struct query_begin *back) {
    qsort(list->items, list->count, sizeof *list->items, compare);
    const struct query_begin *found = NULL;
    for (size_t i = 1; i < list->count; i++) {
        const struct query_begin *query = &list->items[i];
        if (query[-1].id == query->id && (!found || query->row < found->row))
            found = query;
    }
    if (!found)
        return STATUS_OK;
    *back = *found;
    return STATUS_INPUT;
}

enum status query_list_store(struct query_list *list, struct matrix *matrix,
                             struct query_begin *back, struct error *error) {
    size_t count = list->count;
    if (count == 0)
        return STATUS_OK;
    matrix->n_queries = count;
    matrix->query_row = malloc((count + 1) * sizeof *matrix->query_row);
    matrix->query_id = malloc(count * sizeof *matrix->query_id);
    if (!matrix->query_row || !matrix->query_id)
        return error_memory(error, "the queries");
    for (size_t i = 0; i < count; i++) {
        matrix->query_row[i] = list->items[i].row;
        matrix->query_id[i] = list->items[i].id;
    }
    matrix->query_row[count] = matrix->n_rows;
    return check(list, back);
}

void query_list_free(struct query_list *list) {
    free(list->items);
    *list = (struct query_list){0};
}
