#include "harness/regress/workloads.h"

#include "base/files/json.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "models/format.h"
#include "synth/grown.h"
#include "synth/standin.h"

#include <stdio.h>
#include <string.h>

enum { DOCUMENTS = 1000, SEED = 1 };
static const char standin[] = "mslr-web10k";

static const struct grown_shape shapes[] = {{50, 16}, {200, 32}, {300, 64}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Which shape is scored with how many documents per call. */
static const struct {
    size_t shape, block;
} made[] = {{0, 1}, {0, 1000}, {1, 1}, {1, 64}, {2, 64}, {2, 1000}};

/* The models, in the order of `shapes`, then the documents. */
static const char *const file_names[SHAPES + 1] = {"small.json", "medium.json", "large.json",
                                                   "documents.cache"};

/* --- from a file ------------------------------------------------------------------------------ */

/* Joins the folder of `beside` and a relative path. */
static enum status resolve(const char *beside, const char *path, char *resolved,
                           struct error *error) {
    const char *slash = strrchr(beside, '/');
    int folder = path[0] == '/' || !slash ? 0 : (int)(slash - beside + 1);
    int length = snprintf(resolved, WORKLOAD_PATH_SIZE, "%.*s%s", folder, beside, path);
    if (length >= WORKLOAD_PATH_SIZE)
        return error_set(error, STATUS_INPUT, "%s: a path is longer than %d bytes", beside,
                         WORKLOAD_PATH_SIZE - 1);
    return STATUS_OK;
}

static enum status read_workload(const char *path, const cJSON *json,
                                 struct regress_workload *workload, struct error *error) {
    static const char *const keys[] = {"name", "model", "data", "block", NULL};
    const char *name, *model, *data;
    uint32_t block = 0;
    enum status status = json_check_keys(path, json, keys, "docs/regression-checks.md", error);
    if (!status)
        status = json_get_string(path, json, "name", &name, error);
    if (!status)
        status = json_get_string(path, json, "model", &model, error);
    if (!status)
        status = json_get_string(path, json, "data", &data, error);
    if (!status && cJSON_HasObjectItem(json, "block"))
        status = json_get_u32(path, json, "block", 1, UINT32_MAX, &block, error);
    if (status)
        return status;
    if (strlen(name) >= sizeof workload->name)
        return error_set(error, STATUS_INPUT, "%s: name: longer than %zu bytes", path,
                         sizeof workload->name - 1);
    strcpy(workload->name, name);
    text_make_plain(workload->name);
    workload->block = block;
    status = resolve(path, model, workload->model, error);
    return status ? status : resolve(path, data, workload->data, error);
}

static enum status read_all(const char *path, const cJSON *json,
                            struct regress_workloads *workloads, struct error *error) {
    static const char *const keys[] = {"workloads", NULL};
    const cJSON *array, *item;
    enum status status = json_check_keys(path, json, keys, "docs/regression-checks.md", error);
    if (!status)
        status = json_get_array(path, json, "workloads", &array, error);
    if (status)
        return status;
    int count = cJSON_GetArraySize(array);
    if (count == 0 || count > WORKLOADS_MAX)
        return error_set(error, STATUS_INPUT, "%s: %d workloads. There must be 1 to %d", path,
                         count, WORKLOADS_MAX);
    cJSON_ArrayForEach(item, array) {
        status = read_workload(path, item, &workloads->list[workloads->count], error);
        if (status)
            return status;
        workloads->count++;
    }
    return STATUS_OK;
}

enum status workloads_read(const char *path, struct regress_workloads *workloads,
                           struct error *error) {
    cJSON *json;
    *workloads = (struct regress_workloads){.count = 0};
    enum status status = json_read(path, &json, error);
    if (!status) {
        status = read_all(path, json, workloads, error);
        cJSON_Delete(json);
    }
    return status;
}

/* --- made ------------------------------------------------------------------------------------- */

static enum status make_model(const struct regress_workloads *workloads,
                              const struct matrix *documents, size_t shape, struct error *error) {
    struct ensemble *ensemble;
    enum status status = synth_grown(documents, &shapes[shape], SEED, &ensemble, error);
    if (status)
        return status;
    status = model_write(ensemble, workloads->folder.files[shape], NULL, error);
    ensemble_free(ensemble);
    return status;
}

static enum status make_files(const struct regress_workloads *workloads, struct error *error) {
    struct matrix *documents;
    const struct data_set *like;
    enum status status = data_set_find(standin, &like, error);
    if (!status)
        status = synth_standin(like, DOCUMENTS, SEED, &documents, error);
    if (status)
        return status;
    for (size_t i = 0; i < SHAPES && !status; i++)
        status = make_model(workloads, documents, i, error);
    if (!status)
        status = data_write(documents, workloads->folder.files[SHAPES], NULL, error);
    matrix_free(documents);
    return status;
}

enum status workloads_make(struct regress_workloads *workloads, struct error *error) {
    *workloads = (struct regress_workloads){.count = 0};
    enum status status =
        temporary_folder_make(NULL, file_names, SHAPES + 1, &workloads->folder, error);
    if (!status)
        status = make_files(workloads, error);
    for (size_t i = 0; i < sizeof made / sizeof *made && !status; i++) {
        struct regress_workload *workload = &workloads->list[workloads->count++];
        const struct grown_shape *shape = &shapes[made[i].shape];
        workload->block = made[i].block;
        snprintf(workload->name, sizeof workload->name, "%ux%u, %zu a call", shape->n_trees,
                 shape->max_leaves, workload->block);
        snprintf(workload->model, WORKLOAD_PATH_SIZE, "%s", workloads->folder.files[made[i].shape]);
        snprintf(workload->data, WORKLOAD_PATH_SIZE, "%s", workloads->folder.files[SHAPES]);
    }
    return status;
}

void workloads_free(struct regress_workloads *workloads) {
    temporary_folder_remove(&workloads->folder);
}
