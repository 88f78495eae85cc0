#include "impls/auto/auto_store.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/files/json.h"
#include "base/files/xdg.h"
#include "impls/codegen/codegen_cache.h"
#include "impls/scorer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STORE_VERSION = 3, FEATURES_SIZE = 64 };
/* Limits of the numbers in the file: times in ns, and time budgets in seconds. */
#define COST_LEAST 1e-3
#define COST_MOST 1e15
#define SECONDS_MOST 1e9

/* The model and the processor to which the times belong. */
struct identity {
    char model[CACHE_KEY_TEXT_SIZE];
    struct cpu_info cpu;
    char features[FEATURES_SIZE];
};

/* --- where it is ------------------------------------------------------------------------------ */

#define PART(array, count)                                                                         \
    { (const char *)(array), (count) * sizeof *(array) }

static void identify(const struct ensemble *e, struct identity *identity) {
    const struct cache_part parts[] = {PART(&e->n_features, 1),
                                       PART(&e->n_outputs, 1),
                                       PART(&e->n_trees, 1),
                                       PART(&e->votes, e->votes ? 1 : 0),
                                       PART(e->tree_node, e->n_trees + (size_t)1),
                                       PART(e->tree_output, e->n_trees),
                                       PART(e->feature, e->n_nodes),
                                       PART(e->threshold, e->n_nodes),
                                       PART(e->left, e->n_nodes),
                                       PART(e->right, e->n_nodes),
                                       PART(e->nan_left, e->n_nodes),
                                       PART(e->set, e->set ? e->n_nodes : 0),
                                       PART(e->set_cut, e->set ? e->n_sets + (size_t)1 : 0),
                                       PART(e->cut, e->set ? e->set_cut[e->n_sets] : 0)};
    struct cache_key key = cache_hash(parts, sizeof parts / sizeof *parts);
    cache_key_write(&key, identity->model);
    cpu_read_info(&identity->cpu);
    cpu_feature_names(cpu_features(), identity->features, sizeof identity->features);
}

static enum status find_path(const struct identity *identity, char path[static PATH_MAX],
                             struct error *error) {
    const struct cache_part parts[] = {
        {identity->model, strlen(identity->model)},
        {identity->cpu.model, strlen(identity->cpu.model)},
        {identity->features, strlen(identity->features)},
    };
    struct cache_key key = cache_hash(parts, sizeof parts / sizeof *parts);
    char folder[PATH_MAX], hash[CACHE_KEY_TEXT_SIZE];
    cache_key_write(&key, hash);
    if (!xdg_folder("XDG_CACHE_HOME", ".cache", folder) ||
        snprintf(path, PATH_MAX, "%s/treebench/auto-%s.json", folder, hash) >= PATH_MAX)
        return error_set(
            error, STATUS_INPUT,
            "no folder for tune's times. Set XDG_CACHE_HOME or HOME to an absolute path");
    return STATUS_OK;
}

enum status auto_store_path(const struct ensemble *ensemble, char path[static PATH_MAX],
                            struct error *error) {
    struct identity identity;
    identify(ensemble, &identity);
    return find_path(&identity, path, error);
}

/* --- reading ---------------------------------------------------------------------------------- */

static enum status expect(const char *path, const cJSON *root, const char *key, const char *wanted,
                          struct error *error) {
    const char *found = NULL;
    enum status status = json_get_string(path, root, key, &found, error);
    if (!status && strcmp(found, wanted) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s is '%.80s', expected '%.80s'", path, key,
                         found, wanted);
    return status;
}

/* Accepts AUTO_UNTUNED and the specs that `auto` may choose: traversals other than `auto`, with
 * sums=double. */
static enum status check_spec(const char *path, const char *spec, struct error *error) {
    struct options options;
    struct error why;
    if (strcmp(spec, AUTO_UNTUNED) == 0)
        return STATUS_OK;
    const struct impl *impl = impl_parse(spec, &options, &why);
    if (!impl)
        return error_set(error, STATUS_INPUT, "%s: %s", path, why.text);
    const char *sums = options_get(&options, "sums");
    bool is_rounded = impl->kind != IMPL_TRAVERSAL || (sums && strcmp(sums, "double") != 0);
    if (is_rounded || strcmp(impl->name, "auto") == 0)
        return error_set(error, STATUS_INPUT, "%s: ns: auto cannot choose '%.64s'", path, spec);
    return STATUS_OK;
}

static enum status read_source(const char *path, const cJSON *item, enum auto_source *source,
                               struct error *error) {
    const char *name = NULL;
    enum status status = json_get_string(path, item, "source", &name, error);
    if (status)
        return status;
    for (unsigned i = 0; i < AUTO_SOURCES; i++)
        if (strcmp(name, auto_source_names[i]) == 0) {
            *source = (enum auto_source)i;
            return STATUS_OK;
        }
    return error_set(error, STATUS_INPUT, "%s: source: '%.80s' is unknown", path, name);
}

static enum status read_time(const char *path, const cJSON *object, const char *spec,
                             struct auto_times *times, struct auto_size *size,
                             struct error *error) {
    double ns = 0;
    enum status status = check_spec(path, spec, error);
    if (!status)
        status = json_get_number(path, object, spec, COST_LEAST, COST_MOST, &ns, error);
    if (status)
        return status;
    size_t number = auto_times_spec(times, spec);
    if (number == AUTO_SPECS_MAX)
        return error_set(error, STATUS_INPUT, "%s: more than %d implementations", path,
                         (int)AUTO_SPECS_MAX);
    size->ns[number] = ns;
    return STATUS_OK;
}

static enum status read_size(const char *path, const cJSON *item, struct auto_times *times,
                             struct error *error) {
    uint32_t docs = 0;
    const cJSON *list = NULL, *time;
    struct auto_size *size = NULL;
    enum status status = json_get_u32(path, item, "documents", 1, UINT32_MAX, &docs, error);
    if (!status && !(size = auto_times_add(times, docs)))
        status = error_set(error, STATUS_INPUT,
                           "%s: documents: %u is listed twice, or there are more than %d sizes",
                           path, (unsigned)docs, (int)AUTO_SIZES_MAX);
    if (!status)
        status = json_get_number(path, item, "seconds", 0, SECONDS_MOST, &size->seconds, error);
    if (!status)
        status = read_source(path, item, &size->source, error);
    if (!status)
        status = json_get_object(path, item, "ns", &list, error);
    cJSON_ArrayForEach(time, list) {
        if (!status)
            status = read_time(path, list, time->string, times, size, error);
    }
    return status;
}

static enum status read_times(const char *path, const cJSON *root, const struct identity *identity,
                              struct auto_times *times, struct error *error) {
    uint32_t version;
    const cJSON *list = NULL, *item;
    if (!cJSON_IsObject(root))
        return error_set(error, STATUS_INPUT, "%s: not a JSON object", path);
    const char *const wanted[][2] = {
        {"model", identity->model}, {"cpu", identity->cpu.model}, {"features", identity->features}};
    enum status status =
        json_get_u32(path, root, "version", STORE_VERSION, STORE_VERSION, &version, error);
    for (size_t i = 0; !status && i < sizeof wanted / sizeof *wanted; i++)
        status = expect(path, root, wanted[i][0], wanted[i][1], error);
    if (!status)
        status = json_get_array(path, root, "calls", &list, error);
    cJSON_ArrayForEach(item, list) {
        if (!status)
            status = read_size(path, item, times, error);
    }
    if (!status && times->n_specs == 0)
        status = error_set(error, STATUS_INPUT, "%s: calls: no times", path);
    return status;
}

enum status auto_store_read(const struct ensemble *ensemble, struct auto_times *times, bool *found,
                            struct error *error) {
    struct identity identity;
    char path[PATH_MAX];
    cJSON *root;
    identify(ensemble, &identity);
    times->n_specs = times->n_sizes = 0;
    *found = find_path(&identity, path, NULL) == STATUS_OK && access(path, F_OK) == 0;
    if (!*found)
        return STATUS_OK;
    enum status status = json_read(path, &root, error);
    if (status)
        return status;
    status = read_times(path, root, &identity, times, error);
    cJSON_Delete(root);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static void add_size(cJSON *list, const struct auto_times *times, const struct auto_size *size) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "documents", (double)size->docs);
    cJSON_AddNumberToObject(item, "seconds", size->seconds);
    cJSON_AddStringToObject(item, "source", auto_source_names[size->source]);
    cJSON *object = cJSON_AddObjectToObject(item, "ns");
    for (size_t i = 0; i < times->n_specs; i++)
        if (size->ns[i] > 0)
            cJSON_AddNumberToObject(object, times->specs[i], size->ns[i]);
    if (!cJSON_AddItemToArray(list, item))
        cJSON_Delete(item);
}

/* Returns NULL if memory runs out. */
static cJSON *make_root(const struct identity *identity, const struct auto_times *times) {
    errno = 0;
    cJSON *root = cJSON_CreateObject();
    cJSON_AddNumberToObject(root, "version", STORE_VERSION);
    cJSON_AddStringToObject(root, "model", identity->model);
    cJSON_AddStringToObject(root, "cpu", identity->cpu.model);
    cJSON_AddStringToObject(root, "features", identity->features);
    cJSON *list = cJSON_AddArrayToObject(root, "calls");
    for (size_t i = 0; i < times->n_sizes; i++)
        add_size(list, times, &times->sizes[i]);
    return json_if_whole(root);
}

static enum status write_root(const char *path, const cJSON *root, struct error *error) {
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    struct error inner;
    enum status status = file_make_directories(folder, &inner);
    if (status)
        return error_set(error, status, "%s. Set XDG_CACHE_HOME to another folder", inner.text);
    return json_write(path, root, error);
}

enum status auto_store_write(const struct ensemble *ensemble, const struct auto_times *times,
                             struct error *error) {
    struct identity identity;
    char path[PATH_MAX];
    identify(ensemble, &identity);
    enum status status = find_path(&identity, path, error);
    if (status)
        return status;
    cJSON *root = make_root(&identity, times);
    status = root ? write_root(path, root, error) : error_memory(error, path);
    cJSON_Delete(root);
    return status;
}
