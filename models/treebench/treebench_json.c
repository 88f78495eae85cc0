/* Reads treebench's own JSON. */
#include "models/treebench/treebench_json.h"

#include "models/formats.h"
#include "models/reader.h"
#include "models/treebench/treebench_json_reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum status read_string(struct treebench_json_reader *r, const char *key,
                               struct json_token *token) {
    enum status status = treebench_json_next(r, token);
    if (!status && token->kind != JSON_STRING)
        status = treebench_json_wrong(r, key, "a string");
    return status;
}

/* --- the model -------------------------------------------------------------------------------- */

static enum status read_format(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "format", &token);
    if (!status && !json_token_is(&token, "treebench"))
        status = json_stream_error(&r->stream, r->error,
                                   "format: expected \"treebench\", found \"%.*s\"",
                                   (int)(token.size < 100 ? token.size : 100), token.text);
    return status;
}

static enum status read_version(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    double version;
    enum status status = treebench_json_next(r, &token);
    if (status)
        return status;
    if (!json_token_double(&token, &version))
        return treebench_json_wrong(r, "version", "a number");
    if (version != TREEBENCH_JSON_VERSION) {
        json_stream_error(&r->stream, r->error, "version: %g is not supported; expected %d",
                          version, TREEBENCH_JSON_VERSION);
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

static enum status read_features(void *data) {
    struct treebench_json_reader *r = data;
    return treebench_json_u32(r, "features", 1, ENSEMBLE_MAX_FEATURES, &r->shape.n_features);
}

static enum status read_outputs(void *data) {
    struct treebench_json_reader *r = data;
    return treebench_json_u32(r, "outputs", 1, ENSEMBLE_MAX_OUTPUTS, &r->shape.n_outputs);
}

static enum status read_base(void *data) {
    struct treebench_json_reader *r = data;
    enum status status = treebench_json_begin_list(r, "base");
    while (!status) {
        struct json_token token;
        double value;
        if ((status = treebench_json_next(r, &token)) || token.kind == JSON_ARRAY_END)
            break;
        status = json_token_double(&token, &value)
                     ? treebench_json_append(r, &r->base, value)
                     : treebench_json_wrong_item(r, "base", r->base.count, "a finite number");
    }
    return status;
}

/* A note has no escapes: ensemble_set_note replaces the characters that need them. */
static enum status read_note(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "note", &token);
    if (!status)
        snprintf(r->note, sizeof r->note, "%.*s",
                 (int)(token.size < sizeof r->note ? token.size : sizeof r->note), token.text);
    r->shape.note = r->note;
    return status;
}

static enum status read_feature_names(void *data) {
    struct treebench_json_reader *r = data;
    return feature_names_read_json(&r->names, &r->stream, r->error);
}

/* Thresholds are read as the nearest double if "compares" is "double", otherwise as the nearest
 * float32. */
static enum status read_compares(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "compares", &token);
    if (!status && r->tree > 0)
        status = json_stream_error(&r->stream, r->error, "compares: must come before trees");
    if (!status && !json_token_is(&token, "double"))
        status = treebench_json_wrong(r, "compares", "\"double\"");
    r->shape.compares_doubles = true;
    return status;
}

static enum status read_first_is_empty(void *data) {
    struct treebench_json_reader *r = data;
    uint32_t flag = 0;
    enum status status = treebench_json_u32(r, "first_feature_is_empty", 0, 1, &flag);
    r->first_is_empty = flag;
    return status;
}

static enum status read_votes(void *data) {
    struct treebench_json_reader *r = data;
    uint32_t flag = 0;
    enum status status = treebench_json_u32(r, "votes", 0, 1, &flag);
    r->shape.votes = flag;
    return status;
}

static enum status read_unknown_category(void *data) {
    struct treebench_json_reader *r = data;
    struct json_token token;
    enum status status = read_string(r, "unknown_category", &token);
    r->refuse_unknown = !status && json_token_is(&token, "refused");
    if (!status && !r->refuse_unknown && !json_token_is(&token, "missing"))
        status = treebench_json_wrong(r, "unknown_category", "\"missing\" or \"refused\"");
    if (!status && r->categories)
        status = json_stream_error(&r->stream, r->error,
                                   "unknown_category: must come before categories");
    return status;
}

static enum status read_lists(struct treebench_json_reader *r, bool hashed) {
    if (r->shape.n_features == 0)
        return json_stream_error(&r->stream, r->error, "categories: must come after features");
    if (!r->categories)
        r->categories = categories_create(r->refuse_unknown);
    if (!r->categories)
        return error_memory(r->error, "the categories of a model");
    return categories_read_json(&r->stream, r->shape.n_features, hashed, r->categories, r->error);
}

static enum status read_categories(void *data) {
    return read_lists(data, false);
}

static enum status read_hashed_categories(void *data) {
    return read_lists(data, true);
}

static enum status read_model(struct treebench_json_reader *r) {
    static const struct json_member members[] = {
        {"format", read_format, true},
        {"version", read_version, true},
        {"features", read_features, true},
        {"outputs", read_outputs, true},
        {"base", read_base, true},
        {"trees", treebench_json_trees, true},
        {"note", read_note, false},
        {"feature_names", read_feature_names, false},
        {"compares", read_compares, false},
        {"first_feature_is_empty", read_first_is_empty, false},
        {"votes", read_votes, false},
        {"unknown_category", read_unknown_category, false},
        {"categories", read_categories, false},
        {"hashed_categories", read_hashed_categories, false},
    };
    struct json_token token;
    enum status status = treebench_json_next(r, &token);
    if (!status && token.kind != JSON_OBJECT)
        status = json_stream_error(&r->stream, r->error, "expected a JSON object");
    if (!status)
        status = json_stream_members(&r->stream, "", members, sizeof members / sizeof *members,
                                     false, r, r->error);
    if (!status)
        status = treebench_json_next(r, &token); /* the end of the file */
    if (!status && r->base.count != r->shape.n_outputs)
        status = json_stream_error(&r->stream, r->error, "base: length is %zu, expected %" PRIu32,
                                   r->base.count, r->shape.n_outputs);
    return status;
}

static enum status treebench_read(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    struct treebench_json_reader r = {.error = error};
    json_stream_open_text(&r.stream, name, text, size);
    r.builder = ensemble_builder_create();
    if (!r.builder)
        return error_memory(error, "a model");
    enum status status = read_model(&r);
    for (int i = 0; i < LISTS; i++)
        free(r.lists[i].values);
    free(r.cuts.values);
    free(r.cuts_end.values);
    r.shape.base = r.base.values;
    struct ensemble *made = NULL;
    if (!status)
        status = reader_finish(name, r.builder, &r.shape, &made, error);
    else
        ensemble_builder_free(r.builder);
    free(r.base.values);
    if (!status)
        status = feature_names_give(&r.names, made, name, error);
    feature_names_free(&r.names);
    if (status) {
        categories_free(r.categories);
        ensemble_free(made);
        return status;
    }
    made->categories = r.categories;
    made->first_is_empty = r.first_is_empty;
    *ensemble = made;
    return status;
}

/* Recognises a JSON object that names the format near its beginning. */
static bool treebench_recognise(const char *text, size_t size) {
    return reader_finds_key(text, size, "\"treebench\"");
}

const struct model_format model_format_treebench = {
    .name = "treebench",
    .title = "treebench JSON",
    .suffix = ".json",
    .recognise = treebench_recognise,
    .read = treebench_read,
    .write = treebench_json_write,
    .sets = true,
    .votes = true,
    .compares_doubles = true,
    .names_features = true,
};
