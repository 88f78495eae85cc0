/* treebench export: writes a model as a standalone C program. */
#include "export/export.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "impls/scorer.h"

#include <stdio.h>
#include <string.h>

struct export_options {
    struct input_files files;
    const char *folder, *name;
    int impl; /* 0: not given; otherwise the index of the choice plus 1 */
    int64_t max_bytes;
};

static enum status export_model(const struct input_files *files, struct export_request *request,
                                struct export_choice *choice, struct error *error) {
    struct inputs inputs;
    enum status status = inputs_read(files, &inputs, error);
    if (status)
        return status;
    request->ensemble = inputs.ensemble;
    status = export_write(request, choice, error);
    inputs_free(&inputs);
    return status;
}

/* Prints a word of a shell command, in quotes if necessary. */
static void print_word(const char *word) {
    static const char clear[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
    if (word[0] && !word[strspn(word, clear)]) {
        printf("%s", word);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            printf("'\\''");
        else
            putchar(*word);
    putchar('\'');
}

static const struct flag flags[] = {
    MODEL_FLAG(export_options, files, true),
    TREES_FLAG(export_options, files),
    {"out", "FOLDER", "the folder for the files; it is made if it does not exist",
     SETS_TEXT(export_options, folder), .required = true, .file = FLAG_WRITES_FOLDER},
    {"name", "NAME", "what names begin with (default: the model's file, up to its first dot)",
     SETS_TEXT(export_options, name)},
    {"impl", NULL, "how it scores (default: planes and rank-bytes, if the model allows both)",
     SETS_LISTED(export_options, impl, export_impls)},
    {"max-bytes", "N", "fail if ifelse-opt or native-opt needs more bytes",
     SETS_INTEGER(export_options, max_bytes, 1, 1LL << 40)},
    PROFILE_FLAG(export_options, files),
    {0}};

/* Rejects options that only ifelse-opt and native-opt have. */
static enum status check_small(const struct export_options *options, const struct impl *impl,
                               struct error *error) {
    const char *useless = options->max_bytes       ? "max-bytes"
                          : options->files.profile ? "profile"
                                                   : NULL;
    if (!useless || export_is_small(impl))
        return STATUS_OK;
    return error_set(error, STATUS_INPUT,
                     "--%s has no effect without --impl ifelse-opt or --impl native-opt", useless);
}

/* Prints why planes or rank-bytes cannot be used. Omits the advice to use another implementation,
 * because export already did so. */
static void tell_why(const char *model, const struct export_choice *choice, const char *why) {
    const char *advice = strstr(why, ". Use ");
    int name_size = (int)strcspn(why, ":");
    const char *reason = why + name_size + strspn(why + name_size, ": ");
    command_note("%s: scores with %s, because %.*s cannot be used: %.*s", model, choice->impl,
                 name_size, why, advice ? (int)(advice - reason) : (int)strlen(reason), reason);
}

static enum status run(struct parsed *parsed, struct error *error) {
    const struct export_options *typed = parsed->request;
    char name[EXPORT_NAME_SIZE];
    struct export_choice choice;
    struct export_request request = {
        .model = typed->files.model,
        .folder = typed->folder,
        .impl = typed->impl ? impl_find(export_impls()[typed->impl - 1], NULL) : NULL,
        .max_bytes = (size_t)typed->max_bytes,
        .name = typed->name,
        .is_named = typed->name != NULL};
    if (!typed->name) {
        export_name(typed->files.model, name);
        request.name = name;
    }
    enum status status = check_small(typed, request.impl, error);
    if (!status)
        status = export_check_name(request.name, error);
    if (!status)
        status = export_model(&typed->files, &request, &choice, error);
    if (status)
        return status;
    for (int i = 0; i < EXPORT_KERNELS; i++)
        if (choice.why[i].text[0])
            tell_why(request.model, &choice, choice.why[i].text);
    char folder[4096];
    snprintf(folder, sizeof folder, "%s", request.folder);
    text_make_plain(folder);
    printf("%s/%s.c: %s_score, by %s", folder, request.name, request.name, choice.impl);
    if (choice.bytes)
        printf(request.impl->form == IMPL_BLOCKS ? ", about %zu bytes of code and constants"
                                                 : ", %zu bytes of tables",
               choice.bytes);
    printf("; make -C ");
    print_word(folder);
    printf(" bench\n");
    return STATUS_OK;
}

const struct command command_export = {
    .name = "export",
    .summary = "write a model as a C program of its own",
    .details = "NAME.c and NAME.h need only a C99 or C++ compiler. Their scores equal treebench's "
               "to the last bit. NAME_test.c checks that, NAME_bench.c measures the speed, and a "
               "Makefile builds and runs both. See docs/export.md.\n"
               "\n"
               "The program chooses how it scores when it runs. Calls with many documents use "
               "planes, with AVX-512, AVX2, NEON or plain C. Calls with few use rank-bytes if the "
               "processor has AVX-512 VBMI, and otherwise a plain walk. --impl leaves the others "
               "out, except the plain walk.\n"
               "\n"
               "ifelse-opt and native-opt are for machines without vector units, such as "
               "microcontrollers: trees as if-else blocks, or as tables of nodes. Likely branches "
               "come first, by the model's counts or those of --profile.\n"
               "\n"
               "Example:\n"
               "  treebench export --model lightgbm.txt --out ranker\n"
               "  make -C ranker bench",
    .flags = flags,
    .request = &(struct export_options){.name = NULL},
    .run = run,
};
