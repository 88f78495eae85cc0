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
    printf("  %-*s  %s%s (%s)\n", width, impl->name, impl->title,
           impl->kind == IMPL_BASELINE ? ", a baseline that scores nothing" : "", impl->source);
    for (const struct impl_param *p = impl->params; p && p->name; p++)
        printf("  %-*s    %s: %s; one of %s; %s by default\n", width, "", p->name, p->meaning,
               p->values, p->standard);
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
    .details = "An implementation is named with its parameters where --impl asks for one:\n"
               "  treebench score --impl vpred,v=8 --model model.json --data documents.txt",
    .run = run,
};
