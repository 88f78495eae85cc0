#include "impls/pred/vpred_choice.h"

#include "base/cpu.h"
#include "base/files/file.h"
#include "base/files/json.h"
#include "base/files/xdg.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct impl_param vpred_params[] = {
    {"unroll", "levels as straight-line code: with auto all up to v=8; with full also at v=16",
     "auto full", "auto"},
    {"v", "documents per step", "1 4 8 16 32 64", "the v that `treebench sweep` found, else 8"},
    {NULL, NULL, NULL, NULL}};

/* Is there a kernel with this number of lanes? */
static bool has_lanes(unsigned v) {
    return v == 1 || v == 4 || v == 8 || v == 16 || v == 32 || v == 64;
}

/* --- the file --------------------------------------------------------------------------------- */

/* The path of treebench's folder for configuration, and the path of vpred.json in that folder. Both
 * are "" if the environment names no folder. */
struct place {
    char folder[PATH_MAX - 16], file[PATH_MAX];
};

static void find_place(struct place *place) {
    char config[PATH_MAX];
    int length = 0;
    if (xdg_folder("XDG_CONFIG_HOME", ".config", config))
        length = snprintf(place->folder, sizeof place->folder, "%s/treebench", config);
    if (length <= 0 || (size_t)length >= sizeof place->folder)
        place->folder[0] = place->file[0] = '\0';
    else
        snprintf(place->file, sizeof place->file, "%s/vpred.json", place->folder);
}

/* Reads the JSON object of the file. If there is no file, *root becomes an empty object. */
static enum status read_file(const char *path, cJSON **root, struct error *error) {
    if (path[0] == '\0' || access(path, F_OK) != 0) {
        *root = cJSON_CreateObject();
        return *root ? STATUS_OK : error_memory(error, path);
    }
    enum status status = json_read(path, root, error);
    if (!status && !cJSON_IsObject(*root)) {
        cJSON_Delete(*root);
        status = error_set(error, STATUS_INPUT,
                           "%s: not a JSON object. Remove the file and run "
                           "`treebench sweep`",
                           path);
    }
    return status;
}

static enum status read_choice(const char *path, const cJSON *item, struct vpred_choice *choice,
                               struct error *error) {
    enum status status = json_get_u32(path, item, "depth", 0, UINT32_MAX, &choice->depth, error);
    if (!status)
        status = json_get_u32(path, item, "features", 0, UINT32_MAX, &choice->features, error);
    if (!status)
        status = json_get_u32(path, item, "v", 1, 64, &choice->v, error);
    if (!status && !has_lanes(choice->v))
        status = error_set(error, STATUS_INPUT,
                           "%s: v is %u, but must be one of: %s. Remove the file and run "
                           "`treebench sweep`",
                           path, choice->v, vpred_params[VPRED_PARAM_V].values);
    return status;
}

static double log_ratio(uint32_t a, uint32_t b) {
    return fabs(log2((double)a + 1) - log2((double)b + 1));
}

/* Sets *v to the v of the entry that is nearest to `wanted`. Reads every entry, so that damage
 * anywhere in the list is reported. */
static enum status find_nearest(const char *path, const cJSON *list,
                                const struct vpred_choice *wanted, unsigned *v,
                                struct error *error) {
    double nearest = INFINITY;
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        struct vpred_choice choice = {0, 0, 0};
        if (!cJSON_IsObject(item))
            return error_set(error, STATUS_INPUT,
                             "%s: an entry is not an object with depth, features and v. Remove the "
                             "file and run `treebench sweep`",
                             path);
        enum status status = read_choice(path, item, &choice, error);
        if (status)
            return status;
        double distance = hypot(log_ratio(choice.depth, wanted->depth),
                                log_ratio(choice.features, wanted->features));
        if (distance < nearest) {
            nearest = distance;
            *v = choice.v;
        }
    }
    return STATUS_OK;
}

enum status vpred_standard_v(uint32_t n_features, uint32_t depth, unsigned *v,
                             struct error *error) {
    struct place place;
    struct cpu_info cpu;
    cJSON *root;
    *v = VPRED_STANDARD_V;
    find_place(&place);
    enum status status = read_file(place.file, &root, error);
    if (status)
        return status;
    cpu_read_info(&cpu);
    const struct vpred_choice wanted = {depth, n_features, 0};
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, cpu.model);
    if (list && !cJSON_IsArray(list))
        status = error_set(error, STATUS_INPUT, "%s: '%s' is not an array", place.file, cpu.model);
    else if (list)
        status = find_nearest(place.file, list, &wanted, v, error);
    cJSON_Delete(root);
    return status;
}

static cJSON *make_list(const struct vpred_choice *choices, size_t count) {
    cJSON *list = cJSON_CreateArray();
    for (size_t i = 0; list && i < count; i++) {
        cJSON *item = cJSON_CreateObject();
        if (!cJSON_AddItemToArray(list, item) ||
            !cJSON_AddNumberToObject(item, "depth", choices[i].depth) ||
            !cJSON_AddNumberToObject(item, "features", choices[i].features) ||
            !cJSON_AddNumberToObject(item, "v", choices[i].v)) {
            cJSON_Delete(list);
            return NULL;
        }
    }
    return list;
}

enum status vpred_choice_store(const char *cpu_model, const struct vpred_choice *choices,
                               size_t count, struct error *error) {
    struct place place;
    cJSON *root;
    find_place(&place);
    if (place.file[0] == '\0')
        return error_set(error, STATUS_IO,
                         "vpred.json: no folder to store it in. Set XDG_CONFIG_HOME or HOME");
    enum status status = read_file(place.file, &root, error);
    if (status)
        return status;
    cJSON *list = make_list(choices, count);
    cJSON_DeleteItemFromObjectCaseSensitive(root, cpu_model);
    if (!list || !cJSON_AddItemToObject(root, cpu_model, list)) {
        cJSON_Delete(list);
        status = error_memory(error, place.file);
    } else {
        status = file_make_directories(place.folder, error);
        if (!status)
            status = json_write(place.file, root, error);
    }
    cJSON_Delete(root);
    return status;
}

/* --- the option ------------------------------------------------------------------------------- */

/* The mean depth of the trees, rounded up. */
static uint32_t typical_depth(const struct ensemble *ensemble) {
    uint64_t sum = 0;
    for (uint32_t t = 0; t < ensemble->n_trees; t++)
        sum += ensemble->tree_depth[t];
    uint64_t trees = ensemble->n_trees ? ensemble->n_trees : 1;
    return (uint32_t)((sum + trees - 1) / trees);
}

enum status vpred_read_v(const char *impl, const struct ensemble *ensemble,
                         const struct options *options, unsigned *v, struct error *error) {
    const char *text = options_get(options, "v");
    if (!text)
        return vpred_standard_v(ensemble->n_features, typical_depth(ensemble), v, error);
    long value = 0;
    if (options_integer(options, "v", 1, 64, 0, &value, NULL) != STATUS_OK ||
        !has_lanes((unsigned)value))
        return error_set(error, STATUS_INPUT, "%s,v=%s: v must be one of: %s", impl, text,
                         vpred_params[VPRED_PARAM_V].values);
    *v = (unsigned)value;
    return STATUS_OK;
}

enum status vpred_read_unroll(const char *impl, const struct options *options, unsigned v,
                              bool *unroll, struct error *error) {
    const char *text = options_get(options, "unroll");
    *unroll = text && strcmp(text, "full") == 0;
    if (text && !*unroll && strcmp(text, "auto") != 0)
        return error_set(error, STATUS_INPUT, "%s,unroll=%s: unroll must be one of: %s", impl, text,
                         vpred_params[VPRED_PARAM_UNROLL].values);
    if (*unroll && v > VPRED_UNROLLED_V)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: unroll=full has no kernels for v=%u. Use v=%d or less", impl, v,
                         VPRED_UNROLLED_V);
    return STATUS_OK;
}
