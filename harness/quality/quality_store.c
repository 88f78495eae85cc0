#include "harness/quality/quality_store.h"

#include "harness/measure/workload.h"

static enum status from_json(const char *name, const cJSON *json, void *item, struct error *error) {
    return quality_from_json(name, json, item, error);
}

static cJSON *to_json(const void *item) {
    return quality_to_json(item);
}

static bool is_same(const void *a, const void *b) {
    const struct quality *first = a, *second = b;
    return workload_same(&first->workload, &second->workload);
}

static void free_item(void *item) {
    quality_free(item);
}

const struct json_lines quality_lines = {.file = "quality.jsonl",
                                         .things = "models",
                                         .thing = "a model",
                                         .size = sizeof(struct quality),
                                         .from_json = from_json,
                                         .to_json = to_json,
                                         .is_same = is_same,
                                         .free = free_item};

const struct quality *quality_find(const struct json_list *qualities,
                                   const struct workload *workload) {
    const struct quality *list = qualities->list;
    for (size_t i = 0; i < qualities->count; i++)
        if (workload_same(&list[i].workload, workload))
            return &list[i];
    return NULL;
}
