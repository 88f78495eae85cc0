#include "harness/artefacts/artefact.h"

#include "base/files/file.h"
#include "base/files/json.h"
#include "base/files/record.h"
#include "base/hash.h"
#include "base/nearest.h"
#include "base/options.h"
#include "impls/scorer.h"
#include "impls/variant.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void artefact_hash(const struct file_text *text, char hash[static 17]) {
    snprintf(hash, 17, "%016" PRIx64, hash_bytes(HASH_START, text->data, text->size));
}

enum status artefact_check_keys(const char *name, const cJSON *object, const char *const *allowed,
                                struct error *error) {
    return json_check_keys(name, object, allowed, ARTEFACT_DOCS, error);
}

bool artefact_is_listed(const char *names, const char *separator, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; *at; at += strspn(at, ", ")) {
        size_t here = strcspn(at, separator);
        if (here == length && strncmp(at, name, length) == 0)
            return true;
        at += here;
    }
    return false;
}

void artefact_list_name(char *names, size_t size, const char *name) {
    size_t used = strlen(names);
    if (!artefact_is_listed(names, ",", name))
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
}

enum status artefact_refuse_scale(const char *name, const cJSON *scales, const char *wanted,
                                  struct error *error) {
    char names[128] = "";
    size_t used = 0;
    const cJSON *entry;
    cJSON_ArrayForEach(entry, scales) {
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, " %s", entry->string);
    }
    return error_set(error, STATUS_INPUT, "%s: scales: no scale '%s'. The file has:%s", name,
                     wanted, names);
}

static enum status read_scale(const char *name, const cJSON *entry, struct scale *read,
                              struct error *error) {
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: scales: %s", name, entry->string);
    if (!cJSON_IsObject(entry) || strlen(entry->string) >= sizeof read->name)
        return error_set(error, STATUS_INPUT,
                         "%s: must be an object with a name of at most %zu characters", where,
                         sizeof read->name - 1);
    memset(read, 0, sizeof *read);
    enum status status = scale_read(where, entry, read, error);
    snprintf(read->name, sizeof read->name, "%s", entry->string);
    return status;
}

/* Checks every scale of the file, but keeps only the wanted one. A scale is too large for a small
 * stack. */
static enum status read_scales(const char *name, const cJSON *json, const char *wanted,
                               struct scale *scale, struct error *error) {
    const cJSON *scales = NULL;
    enum status status = json_get_object(name, json, "scales", &scales, error);
    if (status)
        return status;
    struct scale *read = malloc(sizeof *read);
    if (!read)
        return error_memory(error, name);
    bool found = false;
    for (const cJSON *entry = scales->child; entry && !status; entry = entry->next) {
        status = read_scale(name, entry, read, error);
        if (status || strcmp(entry->string, wanted) != 0)
            continue;
        *scale = *read;
        found = true;
    }
    free(read);
    return status || found ? status : artefact_refuse_scale(name, scales, wanted, error);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

static enum status check_variant(const char *name, const char *text, struct error *error) {
    char impl[OPTION_TEXT_SIZE], canonical[OPTION_TEXT_SIZE + OPTIONS_MAX * 2 * OPTION_TEXT_SIZE];
    struct options options;
    struct variant variant;
    struct error inner;
    if (strlen(text) >= ROW_NAME_SIZE)
        return error_set(error, STATUS_INPUT, "%s: %s: longer than %d characters", name, text,
                         ROW_NAME_SIZE - 1);
    if (strchr(text, '@') || ends_with(text, "=best") || ends_with(text, "=panel"))
        return error_set(error, STATUS_INPUT,
                         "%s: %s: names an operand, not a variant. Leave out '@...', '=best' and "
                         "'=panel'",
                         name, text);
    if (options_parse(text, impl, &options, &inner) != STATUS_OK)
        return error_set(error, STATUS_INPUT, "%s: %s: %s", name, text, inner.text);
    if (variant_parse(text, &variant, &inner) != STATUS_OK)
        return error_set(error, STATUS_INPUT, "%s: %s", name, inner.text);
    int used = snprintf(canonical, sizeof canonical, "%s%s", impl, options.count ? "," : "");
    options_format(&options, canonical + used, sizeof canonical - (size_t)used);
    /* reports find the rows of a variant by its text, so each variant must have a single
     * spelling */
    if (strcmp(canonical, text) != 0)
        return error_set(error, STATUS_INPUT, "%s: %s: write this variant as \"%s\"", name, text,
                         canonical);
    return STATUS_OK;
}

static enum status read_variants(const char *name, const cJSON *json, struct artefact *artefact,
                                 struct error *error) {
    const cJSON *variants = NULL;
    enum status status = json_get_object(name, json, "variants", &variants, error);
    if (status)
        return status;
    char where[ROW_PATH_SIZE];
    snprintf(where, sizeof where, "%s: variants", name);
    const cJSON *entry;
    cJSON_ArrayForEach(entry, variants) {
        if (artefact->n_variants == ARTEFACT_VARIANTS_MAX)
            return error_set(error, STATUS_INPUT, "%s: more than %d variants", where,
                             ARTEFACT_VARIANTS_MAX);
        if (artefact_has_variant(artefact, entry->string))
            return error_set(error, STATUS_INPUT, "%s: %s: this variant appears twice", where,
                             entry->string);
        if (!cJSON_IsString(entry) || strpbrk(entry->valuestring, "\","))
            return error_set(error, STATUS_INPUT,
                             "%s: %s: must be a label without quotes and commas", where,
                             entry->string);
        status = check_variant(where, entry->string, error);
        if (status)
            return status;
        snprintf(artefact->variants[artefact->n_variants++], ROW_NAME_SIZE, "%s", entry->string);
    }
    return artefact->n_variants > 0
               ? STATUS_OK
               : error_set(error, STATUS_INPUT, "%s: must not be empty", where);
}

const char *artefact_label(const struct artefact *artefact, const char *operand) {
    const cJSON *variants = cJSON_GetObjectItemCaseSensitive(artefact->json, "variants");
    const cJSON *label = cJSON_GetObjectItemCaseSensitive(variants, operand);
    if (cJSON_IsString(label))
        return label->valuestring;
    char family[ROW_NAME_SIZE];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(operand, ",="), operand);
    const struct impl *impl = ends_with(operand, "=best") || ends_with(operand, "=panel")
                                  ? impl_find(family, NULL)
                                  : NULL;
    return impl ? impl->title : operand;
}

bool artefact_has_variant(const struct artefact *artefact, const char *text) {
    for (size_t i = 0; i < artefact->n_variants; i++)
        if (strcmp(artefact->variants[i], text) == 0)
            return true;
    return false;
}

bool artefact_knows_operand(const struct artefact *artefact, const char *operand) {
    size_t family = strcspn(operand, ",=");
    char variant[ROW_NAME_SIZE];
    bool known = true;
    if (ends_with(operand, "=best")) {
        for (size_t i = 0; i < artefact->n_variants; i++)
            if (strncmp(artefact->variants[i], operand, family) == 0 &&
                strcspn(artefact->variants[i], ",") == family)
                return true;
        return false;
    }
    for (size_t p = 0; p < artefact->scale.n_panels; p++) {
        panel_variant(&artefact->scale.panels[p], operand, variant, sizeof variant);
        known &= artefact_has_variant(artefact, variant) &&
                 panel_knows_threads(&artefact->scale.panels[p], operand);
    }
    return known;
}

/* Reads the key "measure", which selects the kind. */
static enum status read_measure(const char *name, const char *key, const cJSON *json, void *member,
                                struct error *error) {
    const struct artefact_kind **kind = member;
    char names[128] = "";
    size_t used = 0;
    for (size_t i = 0; artefact_kinds[i] && used < sizeof names; i++) {
        const char *measure = artefact_kinds[i]->measure;
        if (cJSON_IsString(json) && strcmp(measure, json->valuestring) == 0) {
            *kind = artefact_kinds[i];
            return STATUS_OK;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%s\"",
                                 i == 0                  ? ""
                                 : artefact_kinds[i + 1] ? ", "
                                                         : " or ",
                                 measure);
    }
    return error_set(error, STATUS_INPUT, "%s: %s: must be %s", name, key, names);
}

static bool has_sets(uint32_t bytes, uint32_t ways) {
    uint64_t set = (uint64_t)ways * SIMULATED_LINE;
    uint64_t sets = bytes / set;
    return sets > 0 && bytes % set == 0 && (sets & (sets - 1)) == 0;
}

/* callgrind refuses caches whose numbers of sets are not powers of two. */
static enum status check_caches(const char *name, const struct simulated_caches *caches,
                                struct error *error) {
    if (caches->l1 == 0 ||
        (has_sets(caches->l1, caches->l1_ways) && has_sets(caches->last, caches->last_ways)))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: caches: the number of sets, which is the size divided by ways and by %d, "
                     "must be a power of two",
                     name, SIMULATED_LINE);
}

/* Times are measured on one model per trial, quality on the test documents themselves, and code
 * without documents. */
static enum status check_panels(const char *name, const struct artefact *artefact,
                                struct error *error) {
    const struct scale *scale = &artefact->scale;
    for (size_t p = 0; p < scale->n_panels; p++) {
        const struct panel *panel = &scale->panels[p];
        if (!artefact->kind->has_seeds && panel->seeds > 1)
            return error_set(error, STATUS_INPUT,
                             "%s: scales: %s: panel %zu: seeds: only artefacts with \"measure\": "
                             "\"quality\" have it",
                             name, scale->name, p + 1);
        if (!artefact->kind->is_timed && panel_is_resampled(panel))
            return error_set(error, STATUS_INPUT,
                             "%s: scales: %s: panel %zu: resample: not supported with \"measure\": "
                             "\"%s\"",
                             name, scale->name, p + 1, artefact->kind->measure);
    }
    return STATUS_OK;
}

static bool is_timed(const void *data) {
    return ((const struct artefact *)data)->kind->is_timed;
}
static bool has_variants(const void *data) {
    return is_timed(data) || ((const struct artefact *)data)->kind->has_variants;
}
static bool has_figure(const void *data) {
    return ((const struct artefact *)data)->kind->draw != NULL;
}
static bool is_simulated(const void *data) {
    return ((const struct artefact *)data)->kind->is_simulated;
}

#define CACHES(NAME, MEMBER, HELP)                                                                 \
    FIELD(struct simulated_caches, U32, NAME, MEMBER, .low = 1, .high = 1u << 30, .help = HELP)
static const struct record_field cache_fields[] = {
    CACHES("l1", l1, "bytes of the first level"), CACHES("l1_ways", l1_ways, "its ways"),
    CACHES("last", last, "bytes of the last level"), CACHES("last_ways", last_ways, "its ways")};
static const struct record caches_record = ARTEFACT_RECORD("caches", cache_fields);

#define IF(APPLIES) .applies = APPLIES, .refusal = "not supported with this \"measure\". Remove it"
static const struct record_form measure_form = {.type = "string", .from_json = read_measure};
static const struct record_field fields[] = {
    FIELD(struct artefact, TEXT, "name", name, .help = "the file's name without .json"),
    FIELD(struct artefact, TEXT, "title", title, .help = "title"),
    FIELD(struct artefact, TEXT, "source", source, .help = "where the paper has it"),
    FIELD(struct artefact, COUNT, "seed", seed, .high = UINT32_MAX, .help = "of random numbers"),
    FIELD(struct artefact, FORM, "measure", kind, .form = &measure_form, .is_optional = true,
          .help = "what is measured"),
    FIELD(struct artefact, OBJECT, "caches", caches, .record = &caches_record, .is_optional = true,
          .applies = is_simulated, .help = "caches that callgrind simulates",
          .refusal = "only artefacts with \"measure\": \"counts\" have it"),
    KEY("variants", .help = "labels of variants", IF(has_variants)),
    KEY("figure", .help = "figure", IF(has_figure)),
    KEY("tables", .help = "several tables", IF(is_timed)),
    KEY("table", .help = "table"),
    KEY("scales", .help = "grids"),
    KEY("claims", .help = "claims")};
static const struct record record = ARTEFACT_RECORD("an artefact", fields);

static enum status read_fields(const char *name, const char *scale, struct artefact *artefact,
                               struct error *error) {
    const cJSON *json = artefact->json;
    artefact->kind = artefact_kinds[0];
    enum status status = record_from_json(name, &record, json, artefact, error);
    if (!status)
        status = check_caches(name, &artefact->caches, error);
    if (!status)
        status = read_scales(name, json, scale, &artefact->scale, error);
    if (!status)
        status = check_panels(name, artefact, error);
    if (!status && has_variants(artefact))
        status = read_variants(name, json, artefact, error);
    return status;
}

/* Checks that the artefact's name is its file's name without .json. Commands find an artefact by
 * its file's name, but rows and reports contain the artefact's name. */
static enum status check_name(const char *path, const struct artefact *artefact,
                              struct error *error) {
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t length = strlen(artefact->name);
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    if (strspn(artefact->name, letters) != length)
        return error_set(error, STATUS_INPUT,
                         "%s: name: must consist of lower-case letters, digits and '-'", path);
    if (strncmp(base, artefact->name, length) != 0 || strcmp(base + length, ".json") != 0)
        return error_set(error, STATUS_INPUT, "%s: name: must be the file's name without .json",
                         path);
    return STATUS_OK;
}

enum status artefact_read(const char *path, const char *scale, struct artefact *artefact,
                          struct error *error) {
    struct file_text text;
    memset(artefact, 0, sizeof *artefact); /* too large to copy from the stack */
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    artefact_hash(&text, artefact->hash);
    status = json_parse(path, text.data, text.size, &artefact->json, error);
    file_text_free(&text);
    if (!status)
        status = read_fields(path, scale, artefact, error);
    if (!status)
        status = check_name(path, artefact, error);
    if (status)
        artefact_free(artefact);
    return status;
}

void artefact_free(struct artefact *artefact) {
    cJSON_Delete(artefact->json);
    artefact->json = NULL;
}

static int is_config(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

void artefact_free_paths(char **paths, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(paths[i]);
    free(paths);
}

/* The most artefacts whose names an error considers. */
enum { MAX_SUGGESTED = 64 };

/* Sets the error for the case that no artefact's name begins with `only`. The message suggests the
 * nearest name, or lists what names begin with up to "-": the papers. */
static enum status refuse_prefix(const char *directory, const char *only, struct error *error) {
    char list[512] = "", **paths;
    size_t count, used = 0;
    if (!only || !*only || artefact_find(directory, "", &paths, &count, error) != STATUS_OK)
        return error_set(error, STATUS_INPUT,
                         "%s: this folder has no artefacts (*.json). Check the path", directory);
    const char *names[MAX_SUGGESTED];
    size_t n_names = count < MAX_SUGGESTED ? count : MAX_SUGGESTED;
    for (size_t i = 0; i < n_names; i++) {
        char *name = strrchr(paths[i], '/') + 1;
        name[strcspn(name, ".")] = '\0';
        names[i] = name;
        size_t paper = strcspn(name, "-");
        if (used < sizeof list && (i == 0 || strncmp(names[i - 1], name, paper + 1) != 0))
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%.*s", i ? ", " : "",
                                     (int)paper, name);
    }
    const char *nearest = nearest_name(only, names, n_names);
    enum status status = error_set(error, STATUS_INPUT, "no artefact's name begins with '%s'%s%s%s",
                                   only, nearest ? ". Did you mean " : ". Names begin with ",
                                   nearest ? nearest : list, nearest ? "?" : "");
    artefact_free_paths(paths, count);
    return status;
}

enum status artefact_find(const char *directory, const char *only, char ***paths, size_t *count,
                          struct error *error) {
    struct dirent **entries;
    int n = scandir(directory, &entries, is_config, by_name);
    if (n < 0)
        return errno == ENOMEM
                   ? error_memory(error, directory)
                   : error_set(error, STATUS_IO, "%s: cannot open the folder of artefacts: %s",
                               directory, strerror(errno));
    char **found = calloc((size_t)n + 1, sizeof *found);
    size_t n_found = 0;
    enum status status = found ? STATUS_OK : error_memory(error, "the list of artefacts");
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        if (!status && (!only || strncmp(name, only, strlen(only)) == 0) &&
            asprintf(&found[n_found++], "%s/%s", directory, name) < 0) {
            n_found--;
            status = error_memory(error, "the list of artefacts");
        }
        free(entries[i]);
    }
    free(entries);
    if (!status && n_found == 0)
        status = refuse_prefix(directory, only, error);
    if (status) {
        artefact_free_paths(found, n_found);
        return status;
    }
    *paths = found;
    *count = n_found;
    return STATUS_OK;
}
