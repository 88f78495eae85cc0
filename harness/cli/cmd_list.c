/* treebench list: lists implementations, formats and data sets. */
#include "base/cpu.h"
#include "base/files/json.h"
#include "base/files/record.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "datasets/recipes/recipe.h"
#include "devices/device.h"
#include "harness/cli/output/comparison.h"
#include "harness/cli/output/latencies.h"
#include "harness/cli/output/scales.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/cli/shared/terminal.h"
#include "harness/quality/code_size.h"
#include "harness/quality/quality.h"
#include "harness/rows/row.h"
#include "impls/scorer.h"
#include "library/treebench.h"
#include "models/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct list_options {
    const char *data_set; /* NULL: list everything */
    bool json;
    const char *device;
    int keys; /* 0: not given; otherwise the index of the record plus 1 */
};

/* The records whose keys docs/rows.md lists, and their names after --keys. */
static const char *const record_names[] = {
    "row",   "quality", "code-size", "comparison", "comparison-line", "latency", "calls",
    "tails", "scale",   "cores",     NULL};
static const struct record *const records[] = {&row_record,
                                               &quality_record,
                                               &code_size_record,
                                               &comparison_record,
                                               &comparison_line_record,
                                               &latencies_record,
                                               &latencies_line_record,
                                               &latencies_percentile_record,
                                               &scales_record,
                                               &scales_line_record};

static int width_of_names(const struct impl *const *impls, size_t count) {
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        width = strlen(impls[i]->name) > width ? strlen(impls[i]->name) : width;
    return (int)width;
}

/* Prints an indented line of details under an implementation. */
static void print_detail(int width, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void print_detail(int width, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    printf("%*s", width + 6, "");
    wrap_print(stdout, text, (size_t)width + 6, WRAP_TABLE);
}

static enum status print_impl(const struct impl *impl, int width, struct error *error) {
    static const char *const kinds[] = {[IMPL_TRAVERSAL] = "",
                                        [IMPL_BASELINE] = ", a baseline: scores nothing",
                                        [IMPL_LIBRARY] = ", a library",
                                        [IMPL_OBJECT] = ", compiled from one model",
                                        [IMPL_DEVICE] = ", on a GPU"};
    printf("  %-*s  %s", width, impl->name, impl->title);
    if (strcmp(impl->source, "-") != 0)
        printf(" (%s)", impl->source);
    bool traverses = impl->kind == IMPL_TRAVERSAL;
    printf("%s%s%s\n", kinds[impl->kind], traverses && impl->sets ? ", tests categories" : "",
           traverses && impl->votes ? ", counts votes" : "");
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        print_detail(width, "%s (%s; default %s): %s", p->name, p->values, p->standard, p->meaning);
    if (impl->find) {
        char text[256];
        enum status found = impl->find(text, sizeof text);
        if (found == STATUS_MEMORY)
            return error_set(error, found, "%s", text);
        print_detail(width, "%s: %s", found ? "not found" : "found", text);
    }
    if (impl->cpu) {
        char needed[64];
        cpu_feature_names(impl->cpu, needed, sizeof needed);
        print_detail(width, "needs a processor with %s: this one %s", needed,
                     impl_runs_here(impl) ? "has it" : "lacks it");
    }
    return STATUS_OK;
}

static void print_name(const char *name, const char *text) {
    printf("  %-14s  ", name);
    wrap_print(stdout, text, 18, WRAP_TABLE);
}

static void print_format(const char *name, const char *title, bool reads, bool writes) {
    char text[256];
    snprintf(text, sizeof text, "%s (%s%s%s)", title, reads ? "read" : "",
             reads && writes ? " and " : "", writes ? "written" : "");
    print_name(name, text);
}

static void print_formats(void) {
    size_t count;
    const struct model_format *const *models = model_formats(&count);
    printf("\nModels (gzipped or not):\n");
    for (size_t i = 0; i < count; i++)
        print_format(models[i]->name, models[i]->title, models[i]->read, models[i]->write);

    const struct data_format *const *data = data_formats(&count);
    printf("\nDocuments (gzipped or not):\n");
    for (size_t i = 0; i < count; i++)
        print_format(data[i]->name, data[i]->title, data[i]->read, data[i]->write);
}

static void print_data_sets(void) {
    size_t count;
    const struct data_set *sets = data_sets(&count);
    printf("\nData sets (--data-set NAME prints where one comes from):\n");
    for (size_t i = 0; i < count; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s (%" PRIu64 " x %" PRIu32 ")", sets[i].title, sets[i].rows,
                 sets[i].features);
        print_name(sets[i].name, text);
    }
}

/* Prints how experiments with forests use the data set, and whether this machine has it. The folder
 * of data sets need not exist yet, because scripts/datasets.sh asks before it makes the folder. */
static void print_recipe(const struct recipe *recipe) {
    static const char *const words[] = {
        [FOLD_REAL] = "whole", [FOLD_SAMPLE] = "a part", [FOLD_ABSENT] = "missing"};
    enum fold_origin origin;
    if (recipe_origin(recipe, &origin, NULL) != STATUS_OK)
        origin = FOLD_ABSENT;
    printf("forests    %" PRIu32 " features (%s), %" PRIu64 " test rows, %s split; here: %s\n",
           recipe->features, recipe_type_names[recipe->type], recipe->test_rows, recipe->split,
           words[origin]);
}

/* Prints a data set as lines "KEY VALUE...", which scripts/datasets.sh reads. */
static void print_data_set(const struct data_set *set) {
    printf("name       %s\ntitle      %s\nused-by    %s\npage       %s\nterms      %s\n", set->name,
           set->title, set->used_by, set->page, set->terms);
    for (size_t i = 0; i < DATA_SET_FILES && set->files[i].name; i++) {
        const struct data_set_file *file = &set->files[i];
        printf("file       %s %s %s\n", file->name, file->checksum ? file->checksum : "-",
               file->url ? file->url : "-");
    }
    printf("checksums  %s\n",
           set->checksum_source ? set->checksum_source : "none: the owners publish none");
    printf("documents  %s\n", set->documents ? set->documents : "-");
    printf("label-column %s\n", set->label_column ? set->label_column : "-");
    printf("label      %s\n", set->label);
    printf("rows       %" PRIu64 "\nqueries    %" PRIu64 "\n", set->rows, set->queries);
    printf("features   %" PRIu32 "\nclasses    %" PRIu32 "\nfolds      %" PRIu32 "\n",
           set->features, set->classes, set->folds);
}

static enum status list_data_set(const char *name, struct error *error) {
    const struct data_set *set;
    enum status status = data_set_find(name, &set, error);
    if (status)
        return status;
    print_data_set(set);
    const struct recipe *recipe = recipe_find(name);
    if (recipe)
        print_recipe(recipe);
    return STATUS_OK;
}

static enum status list_all(struct error *error) {
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    int width = width_of_names(impls, count);
    printf("Implementations:\n");
    for (size_t i = 0; i < count; i++) {
        enum status status = print_impl(impls[i], width, error);
        if (status)
            return status;
    }
    printf(
        "  Implementations that do not test categories score a rewritten copy of such models.\n");
    print_formats();
    print_data_sets();
    return STATUS_OK;
}

/* --- a device beside lettich2018's ------------------------------------------------------------ */

/* lettich2018 Table 6: a GeForce GTX 1080. */
static const struct device_facts paper = {.units = 20,
                                          .threads_per_unit = 2048,
                                          .threads_per_block = 1024,
                                          .shared_per_unit = 96 << 10,
                                          .shared_per_block = 48 << 10,
                                          .l2_bytes = 2 << 20,
                                          .memory_bytes = (size_t)8 << 30};

static void print_fact(const char *what, uint64_t here, uint64_t there) {
    printf("  %-30s %12" PRIu64 " %12" PRIu64 "\n", what, here, there);
}

static void print_facts(const struct device_facts *facts) {
    char text[512];
    printf("\nDevice:\n");
    snprintf(text, sizeof text, "%s, %s, %s", facts->spec, facts->name, facts->driver);
    printf("  ");
    wrap_print(stdout, text, 2, WRAP_TABLE);
    printf("  %-30s %12s %12s\n", "", "here", "GTX 1080");
    print_fact("units", facts->units, paper.units);
    print_fact("threads per unit", facts->threads_per_unit, paper.threads_per_unit);
    print_fact("threads per block", facts->threads_per_block, paper.threads_per_block);
    print_fact("KiB shared memory per unit", facts->shared_per_unit >> 10,
               paper.shared_per_unit >> 10);
    print_fact("KiB shared memory per block", facts->shared_per_block >> 10,
               paper.shared_per_block >> 10);
    print_fact("KiB L2 cache", facts->l2_bytes >> 10, paper.l2_bytes >> 10);
    print_fact("MiB memory", facts->memory_bytes >> 20, paper.memory_bytes >> 20);
    printf("  The GTX 1080 is lettich2018's GPU (Table 6).\n");
    if (*facts->assumed) {
        snprintf(text, sizeof text,
                 "The driver does not report these, so the GTX 1080's are assumed: %s.",
                 facts->assumed);
        printf("  ");
        wrap_print(stdout, text, 2, WRAP_TABLE);
    }
}

static enum status print_device(const char *name, struct error *error) {
    struct device *device;
    enum status status = device_open(name, &device, error);
    if (status)
        return status;
    print_facts(device_facts(device));
    device_close(device);
    return STATUS_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Adds an array of the words of a text, which are separated by spaces. */
static void add_words(cJSON *object, const char *key, const char *text) {
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (const char *word = text; *(word += strspn(word, " ")); word += strcspn(word, " ")) {
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(word, " "), word);
        cJSON_AddItemToArray(array, cJSON_CreateString(copy));
    }
}

static void add_parameters(cJSON *object, const struct impl *impl) {
    cJSON *array = cJSON_AddArrayToObject(object, "parameters");
    for (const struct impl_param *p = impl->params; p && p->name; p++) {
        cJSON *parameter = cJSON_CreateObject();
        cJSON_AddStringToObject(parameter, "name", p->name);
        cJSON_AddStringToObject(parameter, "meaning", p->meaning);
        add_words(parameter, "values", p->values);
        cJSON_AddStringToObject(parameter, "default", p->standard);
        cJSON_AddItemToArray(array, parameter);
    }
}

/* Adds whether the implementation runs here, and the library that was found, or what it lacks. */
static void add_availability(cJSON *object, const struct impl *impl) {
    char text[256] = "", missing[64];
    const int earlier = errno; /* that memory ran out is kept; what a search leaves behind is not */
    enum status status = impl->find ? impl->find(text, sizeof text) : STATUS_OK;
    errno = status == STATUS_MEMORY ? ENOMEM : earlier;
    cpu_feature_names(impl->cpu & ~cpu_features(), missing, sizeof missing);
    if (missing[0])
        snprintf(text, sizeof text, "the processor has no %s", missing);
    cJSON_AddBoolToObject(object, "runs_here", !status && impl_runs_here(impl));
    if (text[0])
        cJSON_AddStringToObject(object, status || missing[0] ? "reason" : "library", text);
}

static cJSON *impl_object(size_t i) {
    static const char *const kinds[] = {[IMPL_TRAVERSAL] = "traversal",
                                        [IMPL_BASELINE] = "baseline",
                                        [IMPL_LIBRARY] = "library",
                                        [IMPL_OBJECT] = "object",
                                        [IMPL_DEVICE] = "device"};
    char instructions[64];
    const struct impl *impl = impl_all(&(size_t){0})[i];
    cpu_feature_names(impl->cpu, instructions, sizeof instructions);
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", impl->name);
    cJSON_AddStringToObject(object, "title", impl->title);
    cJSON_AddStringToObject(object, "family", impl->family ? impl->family : impl->name);
    if (strcmp(impl->source, "-") != 0)
        cJSON_AddStringToObject(object, "source", impl->source);
    cJSON_AddStringToObject(object, "kind", kinds[impl->kind]);
    cJSON_AddBoolToObject(object, "categories", impl->sets);
    cJSON_AddBoolToObject(object, "votes", impl->votes);
    add_parameters(object, impl);
    add_words(object, "instructions", instructions);
    add_availability(object, impl);
    return object;
}

static cJSON *format_object(const char *name, const char *title, bool reads, bool writes) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "title", title);
    cJSON_AddBoolToObject(object, "reads", reads);
    cJSON_AddBoolToObject(object, "writes", writes);
    return object;
}

static cJSON *model_format_object(size_t i) {
    const struct model_format *format = model_formats(&(size_t){0})[i];
    return format_object(format->name, format->title, format->read, format->write);
}

static cJSON *data_format_object(size_t i) {
    const struct data_format *format = data_formats(&(size_t){0})[i];
    return format_object(format->name, format->title, format->read, format->write);
}

#define SET(KIND, MEMBER) PLAIN(struct data_set, KIND, #MEMBER, MEMBER)
static const struct record_field set_fields[] = {SET(STRING, name),   SET(STRING, title),
                                                 SET(COUNT, rows),    SET(U32, features),
                                                 SET(COUNT, queries), SET(U32, classes)};
static const struct record set_record = RECORD_OF(set_fields);

static cJSON *data_set_object(size_t i) {
    return record_object(&set_record, &data_sets(&(size_t){0})[i]);
}

static cJSON *flag_object(const struct flag *flag) {
    char argument[FLAG_ARGUMENT_SIZE];
    cJSON *object = cJSON_CreateObject();
    flag_argument(flag, argument);
    cJSON_AddStringToObject(object, "name", flag->name);
    cJSON_AddStringToObject(object, "argument", argument);
    cJSON_AddBoolToObject(object, "required", flag->required);
    const char *const *words = flag_choices(flag);
    cJSON *choices = words ? cJSON_AddArrayToObject(object, "choices") : NULL;
    for (size_t i = 0; words && words[i]; i++)
        cJSON_AddItemToArray(choices, cJSON_CreateString(words[i]));
    cJSON_AddStringToObject(object, "help", flag->help);
    return object;
}

static const struct command *const commands[] = {
#define GROUP(title)
#define COMMAND(x) &command_##x,
#include "harness/cli/shared/commands.def"
#undef GROUP
#undef COMMAND
};

static cJSON *command_object(size_t i) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", commands[i]->name);
    cJSON_AddStringToObject(object, "summary", commands[i]->summary);
    cJSON *options = cJSON_AddArrayToObject(object, "options");
    for (const struct flag *flag = commands[i]->flags; flag->name; flag++)
        cJSON_AddItemToArray(options, flag_object(flag));
    return object;
}

/* Prints an array, each element on its own line. */
static enum status print_array(const char *key, size_t count, cJSON *(*make)(size_t i),
                               const char *end, struct error *error) {
    printf("\"%s\": [\n", key);
    for (size_t i = 0; i < count; i++) {
        errno = 0;
        cJSON *object = json_if_whole(make(i));
        char *text = object ? cJSON_PrintUnformatted(object) : NULL;
        cJSON_Delete(object);
        if (!text)
            return error_memory(error, "JSON");
        printf("  %s%s\n", text, i + 1 == count ? "" : ",");
        cJSON_free(text);
    }
    printf("]%s\n", end);
    return STATUS_OK;
}

static void print_learners(void) {
    const struct flag *learner = flag_find(command_train.flags, "learner");
    printf("\"learners\": [");
    for (size_t i = 0; learner->choices[i]; i++)
        printf("%s\"%s\"", i ? ", " : "", learner->choices[i]);
    printf("],\n");
}

static enum status print_json(struct error *error) {
    size_t n_impls, n_models, n_data, n_sets;
    impl_all(&n_impls);
    model_formats(&n_models);
    data_formats(&n_data);
    data_sets(&n_sets);
    printf("{\n\"version\": \"%s\",\n", TB_VERSION);
    enum status status = print_array("implementations", n_impls, impl_object, ",", error);
    if (!status)
        status = print_array("model_formats", n_models, model_format_object, ",", error);
    if (!status)
        status = print_array("document_formats", n_data, data_format_object, ",", error);
    if (!status)
        status = print_array("data_sets", n_sets, data_set_object, ",", error);
    if (!status) {
        print_learners();
        status =
            print_array("commands", sizeof commands / sizeof *commands, command_object, "", error);
    }
    printf("}\n");
    return status;
}

static const struct flag flags[] = {
    {"data-set", "NAME", "only this data set: its origin, terms and shape",
     SETS_TEXT(list_options, data_set)},
    {"json", NULL, "print JSON, which docs/output.md describes", SETS_SWITCH(list_options, json)},
    DEVICE_FLAG(list_options, device),
    {"keys", "NAME", "the keys of a record, such as row or latency, as a table of Markdown",
     SETS_CHOICE(list_options, keys, record_names)},
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct list_options *options = parsed->request;
    enum status status = device_choose(options->device, error);
    if (status)
        return status;
    if (options->data_set && options->json)
        return error_set(error, STATUS_INPUT,
                         "list: --data-set and --json cannot be used together");
    if (options->json)
        return print_json(error);
    if (options->keys) {
        record_write_docs(records[options->keys - 1], stdout);
        return STATUS_OK;
    }
    if (options->data_set)
        return list_data_set(options->data_set, error);
    status = list_all(error);
    return status || !options->device ? status : print_device(options->device, error);
}

const struct command command_list = {
    .name = "list",
    .summary = "print the implementations, file formats and data sets",
    .details = "Parameters of an implementation follow its name: --impl vpred,v=8.\n"
               "\n"
               "Examples:\n"
               "  treebench list\n"
               "  treebench list --data-set mslr-web10k",
    .flags = flags,
    .request = &(struct list_options){0},
    .run = run,
};
