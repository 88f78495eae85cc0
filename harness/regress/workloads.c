#include "harness/regress/workloads.h"

#include "base/cleanup.h"
#include "base/files/json.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "models/format.h"
#include "synth/grown.h"
#include "synth/standin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DOCUMENTS = 1000, SEED = 1 };
static const char standin[] = "mslr-web10k";

static const struct grown_shape shapes[] = {{50, 16}, {200, 32}, {300, 64}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Which shape is scored with how many documents per call. */
static const struct {
    size_t shape, block;
} made[] = {{0, 1}, {0, 1000}, {1, 1}, {1, 64}, {2, 64}, {2, 1000}};

_Static_assert(SHAPES + 2 <= sizeof((struct regress_workloads *)0)->files / sizeof(char *),
               "room for the models, the documents and the folder");

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

static void documents_path(const struct regress_workloads *workloads, char *path) {
    snprintf(path, WORKLOAD_PATH_SIZE, "%s/documents.cache", workloads->folder);
}

static void model_path(const struct regress_workloads *workloads, size_t shape, char *path) {
    snprintf(path, WORKLOAD_PATH_SIZE, "%s/%ux%u.json", workloads->folder, shapes[shape].n_trees,
             shapes[shape].max_leaves);
}

/* Registers the folder and its files for removal, in case a signal ends this program. */
static void add_to_cleanup(struct regress_workloads *workloads) {
    char path[WORKLOAD_PATH_SIZE];
    for (size_t i = 0; i < SHAPES; i++) {
        model_path(workloads, i, path);
        workloads->files[i] = strdup(path);
    }
    documents_path(workloads, path);
    workloads->files[SHAPES] = strdup(path);
    workloads->files[SHAPES + 1] = strdup(workloads->folder);
    for (size_t i = 0; i < SHAPES + 2; i++)
        if (workloads->files[i])
            cleanup_add_path(workloads->files[i]);
}

static enum status make_folder(struct regress_workloads *workloads, struct error *error) {
    const char *place = getenv("TMPDIR");
    int length = snprintf(workloads->folder, sizeof workloads->folder, "%s/treebench-XXXXXX",
                          place && *place ? place : "/tmp");
    sigset_t before;
    cleanup_hold_signals(&before);
    bool is_made = (size_t)length < sizeof workloads->folder && mkdtemp(workloads->folder);
    if (is_made)
        add_to_cleanup(workloads);
    else
        workloads->folder[0] = '\0';
    cleanup_release_signals(&before);
    return is_made ? STATUS_OK
                   : error_set(error, STATUS_IO,
                               "cannot make a temporary folder. Set TMPDIR to a folder that is "
                               "writable");
}

static enum status make_model(const struct regress_workloads *workloads,
                              const struct matrix *documents, size_t shape, struct error *error) {
    char path[WORKLOAD_PATH_SIZE];
    struct ensemble *ensemble;
    enum status status = synth_grown(documents, &shapes[shape], SEED, &ensemble, error);
    if (status)
        return status;
    model_path(workloads, shape, path);
    status = model_write(ensemble, path, NULL, error);
    ensemble_free(ensemble);
    return status;
}

static enum status make_files(const struct regress_workloads *workloads, struct error *error) {
    struct matrix *documents;
    char path[WORKLOAD_PATH_SIZE];
    const struct data_set *like;
    enum status status = data_set_find(standin, &like, error);
    if (!status)
        status = synth_standin(like, DOCUMENTS, SEED, &documents, error);
    if (status)
        return status;
    for (size_t i = 0; i < SHAPES && !status; i++)
        status = make_model(workloads, documents, i, error);
    documents_path(workloads, path);
    if (!status)
        status = data_write(documents, path, NULL, error);
    matrix_free(documents);
    return status;
}

enum status workloads_make(struct regress_workloads *workloads, struct error *error) {
    *workloads = (struct regress_workloads){.count = 0};
    enum status status = make_folder(workloads, error);
    if (!status)
        status = make_files(workloads, error);
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
        struct regress_workload *workload = &workloads->list[workloads->count++];
        const struct grown_shape *shape = &shapes[made[i].shape];
        workload->block = made[i].block;
        snprintf(workload->name, sizeof workload->name, "%ux%u, %zu a call", shape->n_trees,
                 shape->max_leaves, workload->block);
        model_path(workloads, made[i].shape, workload->model);
        documents_path(workloads, workload->data);
    }
    return status;
}

void workloads_free(struct regress_workloads *workloads) {
    for (size_t i = 0; i < SHAPES + 2; i++) {
        if (!workloads->files[i])
            continue;
        remove(workloads->files[i]);
        cleanup_drop_path(workloads->files[i]);
        workloads->files[i] = NULL;
    }
}
