#include "impls/auto_store.h"

#include "base/cpu.h"
#include "base/file.h"
#include "base/json.h"
#include "base/xdg.h"
#include "impls/codegen_cache.h"
#include "impls/impl.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STORE_VERSION = 2, HASH_TEXT_SIZE = 2 * sizeof(struct cache_key) + 1, FEATURES_SIZE = 64 };
/* ns */
#define COST_LEAST 1e-3
#define COST_MOST 1e15
#define SECONDS_MOST 1e9

/* What a table is of. */
struct identity {
    char model[HASH_TEXT_SIZE];
    struct cpu_info cpu;
    char features[FEATURES_SIZE];
};

bool auto_table_add(struct auto_table *table, const char *spec, const struct auto_cost *cost) {
    if (table->count == AUTO_COSTS_MAX || strlen(spec) >= AUTO_SPEC_SIZE)
        return false;
    snprintf(table->specs[table->count], AUTO_SPEC_SIZE, "%s", spec);
    table->costs[table->count++] = *cost;
    return true;
}

/* --- where it is ------------------------------------------------------------------------------ */

static void write_hash(const struct cache_key *key, char text[static HASH_TEXT_SIZE]) {
    for (size_t i = 0; i < sizeof key->bytes; i++)
        snprintf(text + 2 * i, 3, "%02x", key->bytes[i]);
}

#define PART(array, count)                                                                         \
    { (const char *)(array), (count) * sizeof *(array) }

static void identify(const struct ensemble *e, struct identity *identity) {
    const struct cache_part parts[] = {PART(&e->n_features, 1),
                                       PART(&e->n_outputs, 1),
                                       PART(&e->n_trees, 1),
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
    write_hash(&key, identity->model);
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
    char folder[PATH_MAX], hash[HASH_TEXT_SIZE];
    write_hash(&key, hash);
    if (!xdg_folder("XDG_CACHE_HOME", ".cache", folder) ||
        snprintf(path, PATH_MAX, "%s/treebench/auto-%s.json", folder, hash) >= PATH_MAX)
        return error_set(error, STATUS_INPUT,
                         "no folder for what tune measures: set XDG_CACHE_HOME or HOME to an "
                         "absolute path");
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
        return error_set(error, STATUS_INPUT, "%s: %s: is of '%.80s', should be of '%.80s'", path,
                         key, found, wanted);
    return status;
}

/* What could be another `auto`, or scores within rounding only, is nothing to choose from. Each has
 * one cost: who reads a table counts on it. */
static enum status check_spec(const char *path, const char *spec, const struct auto_table *table,
                              struct error *error) {
    struct options options;
    struct error why;
    const struct impl *impl = impl_parse(spec, &options, &why);
    if (!impl)
        return error_set(error, STATUS_INPUT, "%s: %s", path, why.text);
    const char *sums = options_get(&options, "sums");
    bool is_rounded = impl->kind != IMPL_TRAVERSAL || (sums && strcmp(sums, "double") != 0);
    if (is_rounded || strcmp(impl->name, "auto") == 0)
        return error_set(error, STATUS_INPUT, "%s: impl: '%.64s' is nothing to choose from", path,
                         spec);
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->specs[i], spec) == 0)
            return error_set(error, STATUS_INPUT, "%s: impl: '%.64s' is there twice", path, spec);
    return STATUS_OK;
}

static enum status read_points(const char *path, const cJSON *item, struct auto_cost *cost,
                               struct error *error) {
    const cJSON *list = NULL, *point;
    enum status status = json_get_array(path, item, "measured", &list, error);
    cJSON_ArrayForEach(point, list) {
        struct auto_sample sample = {0};
        uint32_t docs = 0;
        if (!status)
            status = json_get_u32(path, point, "documents", 1, UINT32_MAX, &docs, error);
        if (!status)
            status = json_get_number(path, point, "ns", COST_LEAST, COST_MOST, &sample.ns, error);
        if (!status)
            status =
                json_get_number(path, point, "seconds", 0, SECONDS_MOST, &sample.seconds, error);
        sample.docs = docs;
        if (!status && !auto_cost_add_point(cost, &sample))
            status = error_set(
                error, STATUS_INPUT,
                "%s: measured: should be at most %d, of ascending documents, and cost something",
                path, (int)AUTO_POINTS_MAX);
    }
    return status;
}

static enum status read_entry(const char *path, const cJSON *item, struct auto_table *table,
                              struct error *error) {
    struct auto_cost cost = {0};
    uint32_t lanes = 1;
    const char *spec = NULL;
    enum status status = json_get_string(path, item, "impl", &spec, error);
    if (!status)
        status = check_spec(path, spec, table, error);
    if (!status)
        status = json_get_u32(path, item, "lanes", 1, 1 << 20, &lanes, error);
    if (!status)
        status = json_get_number(path, item, "call_ns", 0, COST_MOST, &cost.call, error);
    if (!status)
        status = json_get_number(path, item, "step_ns", 0, COST_MOST, &cost.step, error);
    if (!status)
        status = json_get_number(path, item, "document_ns", 0, COST_MOST, &cost.document, error);
    cost.lanes = lanes;
    if (!status)
        status = read_points(path, item, &cost, error);
    if (!status && !auto_table_add(table, spec, &cost))
        status = error_set(error, STATUS_INPUT, "%s: more than %d implementations", path,
                           (int)AUTO_COSTS_MAX);
    return status;
}

static enum status read_table(const char *path, const cJSON *root, const struct identity *identity,
                              struct auto_table *table, struct error *error) {
    uint32_t version;
    const cJSON *list = NULL, *item;
    if (!cJSON_IsObject(root))
        return error_set(error, STATUS_INPUT, "%s: should be an object", path);
    enum status status =
        json_get_u32(path, root, "version", STORE_VERSION, STORE_VERSION, &version, error);
    if (!status)
        status = expect(path, root, "model", identity->model, error);
    if (!status)
        status = expect(path, root, "cpu", identity->cpu.model, error);
    if (!status)
        status = expect(path, root, "features", identity->features, error);
    if (!status)
        status = json_get_array(path, root, "implementations", &list, error);
    cJSON_ArrayForEach(item, list) if (!status) status = read_entry(path, item, table, error);
    if (!status && table->count == 0)
        status = error_set(error, STATUS_INPUT, "%s: implementations: there are none", path);
    return status;
}

enum status auto_store_read(const struct ensemble *ensemble, struct auto_table *table, bool *found,
                            struct error *error) {
    struct identity identity;
    char path[PATH_MAX];
    cJSON *root;
    identify(ensemble, &identity);
    *table = (struct auto_table){.count = 0};
    *found = find_path(&identity, path, NULL) == STATUS_OK && access(path, F_OK) == 0;
    if (!*found)
        return STATUS_OK;
    enum status status = json_read(path, &root, error);
    if (status)
        return status;
    status = read_table(path, root, &identity, table, error);
    cJSON_Delete(root);
    return status;
}

/* --- writing ---------------------------------------------------------------------------------- */

static bool add_points(cJSON *item, const struct auto_cost *cost) {
    cJSON *list = cJSON_AddArrayToObject(item, "measured");
    for (unsigned i = 0; i < cost->n_points; i++) {
        size_t docs = cost->points[i].docs;
        cJSON *point = cJSON_CreateObject();
        if (!cJSON_AddItemToArray(list, point)) {
            cJSON_Delete(point);
            return false;
        }
        if (!cJSON_AddNumberToObject(point, "documents", (double)docs) ||
            !cJSON_AddNumberToObject(point, "ns", auto_cost_of(cost, docs)) ||
            !cJSON_AddNumberToObject(point, "seconds", cost->points[i].seconds))
            return false;
    }
    return list != NULL;
}

static bool add_entry(cJSON *list, const char *spec, const struct auto_cost *cost) {
    cJSON *item = cJSON_CreateObject();
    if (!cJSON_AddItemToArray(list, item)) {
        cJSON_Delete(item);
        return false;
    }
    return cJSON_AddStringToObject(item, "impl", spec) &&
           cJSON_AddNumberToObject(item, "lanes", cost->lanes) &&
           cJSON_AddNumberToObject(item, "call_ns", cost->call) &&
           cJSON_AddNumberToObject(item, "step_ns", cost->step) &&
           cJSON_AddNumberToObject(item, "document_ns", cost->document) && add_points(item, cost);
}

static char *make_text(const struct identity *identity, const struct auto_table *table) {
    cJSON *root = cJSON_CreateObject(), *list = NULL;
    char *text = NULL;
    bool made = cJSON_AddNumberToObject(root, "version", STORE_VERSION) &&
                cJSON_AddStringToObject(root, "model", identity->model) &&
                cJSON_AddStringToObject(root, "cpu", identity->cpu.model) &&
                cJSON_AddStringToObject(root, "features", identity->features) &&
                (list = cJSON_AddArrayToObject(root, "implementations")) != NULL;
    for (size_t i = 0; i < table->count && made; i++)
        made = add_entry(list, table->specs[i], &table->costs[i]);
    if (made)
        text = cJSON_Print(root);
    cJSON_Delete(root);
    return text;
}

static enum status write_text(const char *path, const char *text, struct error *error) {
    char folder[PATH_MAX];
    struct file_writer writer;
    snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    struct error inner;
    enum status status = file_make_directories(folder, &inner);
    if (status)
        return error_set(error, status, "%s; XDG_CACHE_HOME can name another", inner.text);
    status = file_write_begin(&writer, path, error);
    if (status)
        return status;
    fprintf(writer.stream, "%s\n", text);
    return file_write_commit(&writer, error);
}

enum status auto_store_write(const struct ensemble *ensemble, const struct auto_table *table,
                             struct error *error) {
    struct identity identity;
    char path[PATH_MAX];
    identify(ensemble, &identity);
    enum status status = find_path(&identity, path, error);
    if (status)
        return status;
    char *text = make_text(&identity, table);
    status = text ? write_text(path, text, error) : error_memory(error, path);
    cJSON_free(text);
    return status;
}
