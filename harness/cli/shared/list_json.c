#include "harness/cli/shared/list_json.h"

#include "base/cpu.h"
#include "base/files/json.h"
#include "datasets/catalogue.h"
#include "datasets/data.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/flags.h"
#include "impls/scorer.h"
#include "library/treebench.h"
#include "models/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Adds an array of the words of a text, which are separated by spaces. */
static void add_words(cJSON *object, const char *key, const char *text) {
    cJSON *array = cJSON_AddArrayToObject(object, key);
    for (const char *word = text; *(word += strspn(word, " ")); word += strcspn(word, " ")) {
        char copy[64];
        snprintf(copy, sizeof copy, "%.*s", (int)strcspn(word, " "), word);
        cJSON_AddItemToArray(array, cJSON_CreateString(copy));
    }
}

/* Prints an element of an array on its own line and frees it. The caller must set errno to 0 before
 * making the element. */
static enum status print_element(cJSON *object, bool is_last, struct error *error) {
    object = json_if_whole(object);
    char *text = object ? cJSON_PrintUnformatted(object) : NULL;
    cJSON_Delete(object);
    if (!text)
        return error_memory(error, "JSON");
    printf("  %s%s\n", text, is_last ? "" : ",");
    cJSON_free(text);
    return STATUS_OK;
}

/* --- implementations -------------------------------------------------------------------------- */

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

struct availability {
    bool runs_here;
    char library[256]; /* the library that was found, or "" */
    char reason[256];  /* why the implementation cannot run, or "" */
};

static enum status look(const struct impl *impl, struct availability *found, struct error *error) {
    char text[256] = "", missing[64];
    enum status status = impl->find ? impl->find(text, sizeof text) : STATUS_OK;
    if (status == STATUS_MEMORY)
        return error_set(error, status, "%s", text);
    *found = (struct availability){.runs_here = !status && impl_runs_here(impl)};
    cpu_feature_names(impl->cpu & ~cpu_features(), missing, sizeof missing);
    if (missing[0])
        snprintf(found->reason, sizeof found->reason, "the processor has no %s", missing);
    else
        snprintf(status ? found->reason : found->library, sizeof text, "%s", text);
    return STATUS_OK;
}

static cJSON *impl_object(const struct impl *impl, const struct availability *found) {
    static const char *const kinds[] = {[IMPL_TRAVERSAL] = "traversal",
                                        [IMPL_BASELINE] = "baseline",
                                        [IMPL_LIBRARY] = "library",
                                        [IMPL_OBJECT] = "object",
                                        [IMPL_DEVICE] = "device"};
    char instructions[64];
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
    cJSON_AddBoolToObject(object, "runs_here", found->runs_here);
    if (found->library[0])
        cJSON_AddStringToObject(object, "library", found->library);
    if (found->reason[0])
        cJSON_AddStringToObject(object, "reason", found->reason);
    return object;
}

static enum status print_impls(struct error *error) {
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    enum status status = STATUS_OK;
    printf("\"implementations\": [\n");
    for (size_t i = 0; i < count && !status; i++) {
        struct availability found;
        status = look(impls[i], &found, error);
        errno = 0;
        if (!status)
            status = print_element(impl_object(impls[i], &found), i + 1 == count, error);
    }
    printf("],\n");
    return status;
}

/* --- formats and data sets -------------------------------------------------------------------- */

static enum status print_format(const char *name, const char *title, bool reads, bool writes,
                                bool is_last, struct error *error) {
    errno = 0;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "name", name);
    cJSON_AddStringToObject(object, "title", title);
    cJSON_AddBoolToObject(object, "reads", reads);
    cJSON_AddBoolToObject(object, "writes", writes);
    return print_element(object, is_last, error);
}

static enum status print_formats(struct error *error) {
    enum status status = STATUS_OK;
    size_t n_models, n_data;
    const struct model_format *const *models = model_formats(&n_models);
    const struct data_format *const *data = data_formats(&n_data);
    printf("\"model_formats\": [\n");
    for (size_t i = 0; i < n_models && !status; i++)
        status = print_format(models[i]->name, models[i]->title, models[i]->read, models[i]->write,
                              i + 1 == n_models, error);
    printf("],\n\"document_formats\": [\n");
    for (size_t i = 0; i < n_data && !status; i++)
        status = print_format(data[i]->name, data[i]->title, data[i]->read, data[i]->write,
                              i + 1 == n_data, error);
    printf("],\n");
    return status;
}

static enum status print_data_sets(struct error *error) {
    enum status status = STATUS_OK;
    size_t count;
    const struct data_set *sets = data_sets(&count);
    printf("\"data_sets\": [\n");
    for (size_t i = 0; i < count && !status; i++) {
        errno = 0;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", sets[i].name);
        cJSON_AddStringToObject(object, "title", sets[i].title);
        cJSON_AddNumberToObject(object, "rows", (double)sets[i].rows);
        cJSON_AddNumberToObject(object, "features", sets[i].features);
        cJSON_AddNumberToObject(object, "queries", (double)sets[i].queries);
        cJSON_AddNumberToObject(object, "classes", sets[i].classes);
        status = print_element(object, i + 1 == count, error);
    }
    printf("],\n");
    return status;
}

/* --- commands --------------------------------------------------------------------------------- */

static void add_flag(cJSON *array, const struct flag *flag) {
    char argument[FLAG_ARGUMENT_SIZE];
    cJSON *object = cJSON_CreateObject();
    flag_argument(flag, argument);
    cJSON_AddStringToObject(object, "name", flag->name);
    cJSON_AddStringToObject(object, "argument", argument);
    cJSON_AddBoolToObject(object, "required", flag->required);
    const char *const *words = flag_choices(flag);
    if (words) {
        cJSON *choices = cJSON_AddArrayToObject(object, "choices");
        for (size_t i = 0; words[i]; i++)
            cJSON_AddItemToArray(choices, cJSON_CreateString(words[i]));
    }
    cJSON_AddStringToObject(object, "help", flag->help);
    cJSON_AddItemToArray(array, object);
}

static enum status print_commands(struct error *error) {
    static const struct command *const commands[] = {
#define GROUP(title)
#define COMMAND(x) &command_##x,
#include "harness/cli/shared/commands.def"
#undef GROUP
#undef COMMAND
    };
    enum { COUNT = sizeof commands / sizeof *commands };
    enum status status = STATUS_OK;
    printf("\"commands\": [\n");
    for (size_t i = 0; i < COUNT && !status; i++) {
        errno = 0;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", commands[i]->name);
        cJSON_AddStringToObject(object, "summary", commands[i]->summary);
        cJSON *array = cJSON_AddArrayToObject(object, "options");
        for (const struct flag *flag = commands[i]->flags; flag->name; flag++)
            add_flag(array, flag);
        status = print_element(object, i + 1 == COUNT, error);
    }
    printf("]\n");
    return status;
}

static void print_learners(void) {
    const struct flag *learner = flag_find(command_train.flags, "learner");
    printf("\"learners\": [");
    for (size_t i = 0; learner->choices[i]; i++)
        printf("%s\"%s\"", i ? ", " : "", learner->choices[i]);
    printf("],\n");
}

enum status list_json_print(struct error *error) {
    printf("{\n\"version\": \"%s\",\n", TB_VERSION);
    enum status status = print_impls(error);
    if (!status)
        status = print_formats(error);
    if (!status)
        status = print_data_sets(error);
    if (!status) {
        print_learners();
        status = print_commands(error);
    }
    printf("}\n");
    return status;
}
