/* treebench list: what there is to choose from. */
#include "base/cpu.h"
#include "datasets/catalogue.h"
#include "datasets/format.h"
#include "harness/command.h"
#include "impls/impl.h"
#include "models/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int width_of_names(const struct impl *const *impls, size_t count) {
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        width = strlen(impls[i]->name) > width ? strlen(impls[i]->name) : width;
    return (int)width;
}

static enum status print_impl(const struct impl *impl, int width, struct error *error) {
    printf("  %-*s  %s", width, impl->name, impl->title);
    if (strcmp(impl->source, "-") != 0)
        printf(" (%s)", impl->source);
    static const char *const kinds[] = {[IMPL_TRAVERSAL] = "",
                                        [IMPL_BASELINE] = ", a baseline: scores nothing",
                                        [IMPL_LIBRARY] = ", a library, by its own call",
                                        [IMPL_OBJECT] = ", made of one model"};
    printf("%s%s\n", kinds[impl->kind],
           impl->sets && impl->kind == IMPL_TRAVERSAL ? ", tests categories" : "");
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        printf("  %-*s    %s (%s; default %s): %s\n", width, "", p->name, p->values, p->standard,
               p->meaning);
    if (impl->find) {
        char text[256];
        enum status found = impl->find(text, sizeof text);
        if (found == STATUS_MEMORY)
            return error_set(error, found, "%s", text);
        printf("  %-*s    %s: %s\n", width, "", found ? "not found" : "found", text);
    }
    if (impl->cpu) {
        char needed[64];
        cpu_feature_names(impl->cpu, needed, sizeof needed);
        printf("  %-*s    needs a CPU with %s: this one %s\n", width, "", needed,
               (impl->cpu & ~cpu_features()) ? "cannot run it" : "has it");
    }
    return STATUS_OK;
}

static void print_format(const char *name, const char *title, bool reads, bool writes) {
    printf("  %-10s  %s (%s%s%s)\n", name, title, reads ? "read" : "",
           reads && writes ? " and " : "", writes ? "written" : "");
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
    printf("\nData sets (--data-set NAME says where one comes from):\n");
    for (size_t i = 0; i < count; i++)
        printf("  %-14s  %s (%" PRIu64 " x %" PRIu32 ")\n", sets[i].name, sets[i].title,
               sets[i].rows, sets[i].features);
}

/* A line "KEY VALUE..." each, which scripts/datasets.sh reads too. */
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

static int list_data_set(const char *name) {
    const struct data_set *set;
    struct error error;
    enum status status = data_set_find(name, &set, &error);
    if (status)
        return command_fail(status, &error);
    print_data_set(set);
    return EXIT_DONE;
}

static int run(int argc, char **argv) {
    const char *data_set = NULL;
    struct flag flags[] = {{.name = "data-set",
                            .argument = "NAME",
                            .help = "only this data set: its origin, terms and shape",
                            .value = &data_set},
                           {0}};
    bool done;
    int status = command_parse(&command_list, flags, argc, argv, NULL, &done);
    if (status != EXIT_DONE || done)
        return status;
    if (data_set)
        return list_data_set(data_set);

    size_t count;
    const struct impl *const *impls = impl_all(&count);
    int width = width_of_names(impls, count);
    printf("Implementations:\n");
    for (size_t i = 0; i < count; i++) {
        struct error error;
        enum status printed = print_impl(impls[i], width, &error);
        if (printed)
            return command_fail(printed, &error);
    }
    printf(
        "  Those that do not test categories score a rewritten copy of models that have them.\n");
    print_formats();
    print_data_sets();
    return EXIT_DONE;
}

const struct command command_list = {
    .name = "list",
    .summary = "the implementations, the file formats and the data sets that there are",
    .details =
        "Where --impl asks for an implementation, its parameters follow the name: vpred,v=8.\n\n"
        "Examples:\n"
        "  treebench list\n"
        "  treebench list --data-set mslr-web10k",
    .run = run,
};
