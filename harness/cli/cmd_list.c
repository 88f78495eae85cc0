/* treebench list: lists implementations, formats and data sets. */
#include "base/cpu.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "datasets/recipes/recipe.h"
#include "harness/cli/comparison/comparison.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/device_table.h"
#include "harness/cli/shared/list_json.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/cli/shared/terminal.h"
#include "harness/quality/code_size.h"
#include "harness/quality/quality.h"
#include "harness/rows/row.h"
#include "impls/scorer.h"
#include "models/format.h"

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
static const char *const record_names[] = {"row",        "quality",         "code-size",
                                           "comparison", "comparison-line", NULL};
static const struct record *const records[] = {&row_record, &quality_record, &code_size_record,
                                               &comparison_record, &comparison_line_record};

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

static void print_format(const char *name, const char *title, bool reads, bool writes) {
    char text[256];
    snprintf(text, sizeof text, "%s (%s%s%s)", title, reads ? "read" : "",
             reads && writes ? " and " : "", writes ? "written" : "");
    printf("  %-14s  ", name);
    wrap_print(stdout, text, 18, WRAP_TABLE);
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

static void print_data_set_line(const struct data_set *set) {
    char text[256];
    snprintf(text, sizeof text, "%s (%" PRIu64 " x %" PRIu32 ")", set->title, set->rows,
             set->features);
    printf("  %-14s  ", set->name);
    wrap_print(stdout, text, 18, WRAP_TABLE);
}

static void print_data_sets(void) {
    size_t count;
    const struct data_set *sets = data_sets(&count);
    printf("\nData sets (--data-set NAME prints where one comes from):\n");
    for (size_t i = 0; i < count; i++)
        print_data_set_line(&sets[i]);
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

static const struct flag flags[] = {
    {"data-set", "NAME", "only this data set: its origin, terms and shape",
     SETS_TEXT(list_options, data_set)},
    {"json", NULL, "print JSON, which docs/output.md describes", SETS_SWITCH(list_options, json)},
    DEVICE_FLAG(list_options, device),
    {"keys", NULL, "the keys of a record of a run, as a table of Markdown",
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
        return list_json_print(error);
    if (options->keys) {
        record_write_docs(records[options->keys - 1], stdout);
        return STATUS_OK;
    }
    if (options->data_set)
        return list_data_set(options->data_set, error);
    status = list_all(error);
    return status || !options->device ? status : device_table_print(options->device, error);
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
