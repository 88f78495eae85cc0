/* treebench list: what there is to choose from. */
#include "base/cpu.h"
#include "datasets/format.h"
#include "harness/command.h"
#include "impls/impl.h"
#include "models/format.h"

#include <stdio.h>
#include <string.h>

static int width_of_names(const struct impl *const *impls, size_t count) {
    size_t width = 0;
    for (size_t i = 0; i < count; i++)
        width = strlen(impls[i]->name) > width ? strlen(impls[i]->name) : width;
    return (int)width;
}

static void print_impl(const struct impl *impl, int width) {
    printf("  %-*s  %s", width, impl->name, impl->title);
    if (strcmp(impl->source, "-") != 0)
        printf(" (%s)", impl->source);
    printf("%s\n", impl->kind == IMPL_BASELINE ? ", a baseline: scores nothing" : "");
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        printf("  %-*s    %s (%s; default %s): %s\n", width, "", p->name, p->values, p->standard,
               p->meaning);
    if (impl->cpu) {
        char needed[64];
        cpu_feature_names(impl->cpu, needed, sizeof needed);
        printf("  %-*s    needs a CPU with %s: this one %s\n", width, "", needed,
               (impl->cpu & ~cpu_features()) ? "cannot run it" : "has it");
    }
}

static void print_format(const char *name, const char *title, bool reads, bool writes) {
    printf("  %-10s  %s (%s%s%s)\n", name, title, reads ? "read" : "",
           reads && writes ? " and " : "", writes ? "written" : "");
}

static void print_formats(void) {
    size_t count;
    const struct model_format *const *models = model_formats(&count);
    printf("\nModels:\n");
    for (size_t i = 0; i < count; i++)
        print_format(models[i]->name, models[i]->title, models[i]->read, models[i]->write);

    const struct data_format *const *data = data_formats(&count);
    printf("\nDocuments:\n");
    for (size_t i = 0; i < count; i++)
        print_format(data[i]->name, data[i]->title, data[i]->read, data[i]->write);
}

static int run(int argc, char **argv) {
    struct flag flags[] = {{0}};
    bool done;
    int status = command_parse(&command_list, flags, argc, argv, NULL, &done);
    if (status != EXIT_DONE || done)
        return status;

    size_t count;
    const struct impl *const *impls = impl_all(&count);
    int width = width_of_names(impls, count);
    printf("Implementations:\n");
    for (size_t i = 0; i < count; i++)
        print_impl(impls[i], width);
    print_formats();
    return EXIT_DONE;
}

const struct command command_list = {
    .name = "list",
    .summary = "the implementations and the file formats that there are",
    .details =
        "Where --impl asks for an implementation, its parameters follow the name: vpred,v=8.\n\n"
        "Example:\n"
        "  treebench list",
    .run = run,
};
