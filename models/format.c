#include "models/format.h"

#include "models/formats.h"
#include "models/reader.h"
#include "models/rewrite.h"
#include "models/votes.h"

#include <stdio.h>
#include <string.h>

#define FORMAT(name) &model_format_##name,
static const struct model_format *const formats[] = {
#include "models/formats.def"
};
#undef FORMAT
enum { N_FORMATS = sizeof formats / sizeof *formats };

const struct model_format *const *model_formats(size_t *count) {
    *count = N_FORMATS;
    return formats;
}

/* Lists the formats that can be read or written: "treebench, jforests, ...". */
static const char *list_names(bool writers, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < N_FORMATS && used < size; i++) {
        if (writers ? formats[i]->write != NULL : formats[i]->read != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     formats[i]->name);
    }
    return text;
}

/* XGBoost's dumps, meant for people: text, or JSON with a list of trees at the top. */
static bool is_xgboost_dump(const struct file_text *text) {
    static const char begin[] = "booster[", key[] = "\"nodeid\"";
    size_t near = text->size < 4096 ? text->size : 4096;
    return strncmp(text->data, begin, sizeof begin - 1) == 0 ||
           (text->data[strspn(text->data, " \t\r\n")] == '[' &&
            memmem(text->data, near, key, sizeof key - 1));
}

const struct model_format *model_recognise(const char *text, size_t size) {
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->read && formats[i]->recognise(text, size))
            return formats[i];
    return NULL;
}

static enum status read_text(const char *path, const struct file_text *text,
                             struct ensemble **ensemble, struct error *error) {
    const char *foreign = model_foreign(text->data, text->size);
    const struct model_format *format = model_recognise(text->data, text->size);
    if (text->size == 0)
        return error_set(error, STATUS_INPUT, "%s: the file is empty; expected a model", path);
    if (format) {
        enum status status = format->read(path, text->data, text->size, ensemble, error);
        if (!status)
            (*ensemble)->format = format;
        return status;
    }
    if (!foreign)
        foreign = file_foreign(text);
    if (foreign)
        return error_set(error, STATUS_INPUT, "%s:1: %s", path, foreign);
    if (is_xgboost_dump(text))
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s:1: an XGBoost dump, which lacks the base score and the objective. "
                         "Save the model with save_model(\"model.json\") instead",
                         path);
    char names[256];
    return error_set(error, STATUS_INPUT, "%s:1: unknown model format. Supported formats: %s", path,
                     list_names(false, names, sizeof names));
}

enum status model_read(const char *path, struct ensemble **ensemble, struct error *error) {
    struct file_text text;
    enum status status = file_read(path, &text, error);
    if (status)
        return status;
    file_text_drop_mark(&text);
    status = read_text(path, &text, ensemble, error);
    file_text_free(&text);
    return status;
}

/* Lists the suffixes that select a format: ".json, .onnx, ...". */
static const char *list_suffixes(char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < N_FORMATS && used < size; i++)
        if (formats[i]->write && formats[i]->suffix)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     formats[i]->suffix);
    return text;
}

static const struct model_format *find_writer(const char *name, const char *suffix) {
    for (size_t i = 0; i < N_FORMATS; i++) {
        const struct model_format *format = formats[i];
        if (format->write && (name ? strcmp(format->name, name) == 0
                                   : format->suffix && strcmp(format->suffix, suffix) == 0))
            return format;
    }
    return NULL;
}

enum status model_find_writer(const char *path, const char *format,
                              const struct model_format **writer, struct error *error) {
    char names[256], suffixes[64], suffix[FILE_SUFFIX_SIZE];
    file_suffix(path, suffix);
    *writer = !format && !suffix[0] ? &model_format_treebench : find_writer(format, suffix);
    if (*writer)
        return STATUS_OK;
    list_names(true, names, sizeof names);
    if (format)
        return error_set(error, STATUS_INPUT, "cannot write models as '%s'. Supported formats: %s",
                         format, names);
    return error_set(error, STATUS_INPUT,
                     "%s: no model format has the suffix %s. Use one of %s, or treebench convert "
                     "--format with one of %s",
                     path, suffix, list_suffixes(suffixes, sizeof suffixes), names);
}

enum status model_check_own_name(const char *path, struct error *error) {
    const struct model_format *writer;
    enum status status = model_find_writer(path, NULL, &writer, NULL);
    if (!status && writer == &model_format_treebench)
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "%s: this command writes models as treebench JSON only. End the name in .json "
                     "or .json.gz, and convert the model with treebench convert",
                     path);
}

static enum status write_ensemble(const struct model_format *writer,
                                  const struct ensemble *ensemble, FILE *stream,
                                  struct error *error) {
    struct ensemble *outputs = NULL, *plain = NULL;
    enum status status = STATUS_OK;
    if (ensemble->votes && !writer->votes) {
        status = ensemble_votes_to_outputs(ensemble, &outputs, error);
        ensemble = outputs;
    }
    if (!status && ensemble->set && !writer->sets) {
        status = ensemble_rewrite_for_writer(ensemble, &plain, error);
        ensemble = plain;
    }
    if (!status)
        status = writer->write(ensemble, stream, error);
    ensemble_free(outputs);
    ensemble_free(plain);
    return status;
}

enum status model_write(const struct ensemble *ensemble, const char *path, const char *format,
                        struct error *error) {
    const struct model_format *writer;
    struct file_writer file;
    struct error inner;
    enum status status = model_find_writer(path, format, &writer, error);
    if (!status && (status = ensemble_check_computed(ensemble, &inner)))
        return error_set(error, status, "%s: %s", path, inner.text);
    if (!status)
        status = file_write_begin(&file, path, error);
    if (status)
        return status;
    status = write_ensemble(writer, ensemble, file.stream, &inner);
    if (!status)
        return file_write_commit(&file, error);
    file_write_abandon(&file);
    return error_set(error, status, "%s: %s", path, inner.text);
}

enum status reader_finish(const char *name, enum status status, struct ensemble_builder *builder,
                          const struct ensemble_shape *shape, struct ensemble **ensemble,
                          struct error *error) {
    struct error inner;
    if (status) {
        ensemble_builder_free(builder);
        return status;
    }
    status = ensemble_builder_finish(builder, shape, ensemble, &inner);
    return status ? error_set(error, status, "%s: %s", name, inner.text) : STATUS_OK;
}

const char *reader_behind(const char *text, size_t size, const char *marks) {
    const char *end = text + size;
    for (;; text++, marks++) {
        while (text < end && *text && strchr(" \t\r\n", *text))
            text++;
        if (!*marks)
            return text;
        if (text == end || *text != *marks)
            return NULL;
    }
}

bool reader_finds(const char *text, size_t size, const char *marks, const char *word) {
    size_t near = size < 4096 ? size : 4096;
    return reader_behind(text, near, marks) && memmem(text, near, word, strlen(word));
}

bool reader_add_cut(struct memory_list *cuts, double cut) {
    if (cuts->count && cuts->number[cuts->count - 1] == cut) {
        cuts->count--;
        return true;
    }
    return memory_list_add(cuts, &cut, sizeof cut);
}

void reader_set_cuts(const struct memory_list *cuts, struct inner_node *node) {
    static const double no_cuts[1];
    node->cuts = cuts->number ? cuts->number : no_cuts;
    node->n_cuts = (uint32_t)cuts->count;
}
