/* treebench export: a model as a C program of its own. */
#include "export/export.h"
#include "harness/command.h"
#include "harness/inputs.h"

#include <stdio.h>
#include <string.h>

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

/* For a shell: as it is where that is clear, else in quotes. */
static void print_word(const char *word) {
    static const char clear[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+=:,@%";
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

static int run(int argc, char **argv) {
    struct input_files files = {0};
    struct export_request request = {0};
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model", .value = &files.model},
        TREES_FLAG(files.trees),
        {.name = "out",
         .argument = "FOLDER",
         .help = "where the files go; made where there is none",
         .value = &request.folder},
        {.name = "name",
         .argument = "NAME",
         .help = "what names begin with (default: the model's file, up to its first dot)",
         .value = &request.name},
        {.name = "impl",
         .argument = "planes|struct-plus",
         .help = "how it scores (default: planes, unless a large tree is very deep)",
         .value = &request.impl},
        {0}};
    bool done;
    int exit_status = command_parse(&command_export, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_export, flags, "model")) ||
        (exit_status = command_require(&command_export, flags, "out")))
        return exit_status;

    struct error error;
    char name[EXPORT_NAME_SIZE];
    struct export_choice choice;
    request.model = files.model;
    request.is_named = request.name != NULL;
    if (!request.name) {
        export_name(files.model, name);
        request.name = name;
    }
    enum status status = command_check_folder("out", request.folder, &error);
    if (!status)
        status = export_check_name(request.name, &error);
    if (!status)
        status = export_model(&files, &request, &choice, &error);
    if (status)
        return command_fail(status, &error);
    if (choice.why.text[0])
        command_note("%s: by %s, for %s", files.model, choice.impl, choice.why.text);
    printf("%s/%s.c: %s_score, by %s; make -C ", request.folder, request.name, request.name,
           choice.impl);
    print_word(request.folder);
    printf(" bench\n");
    return EXIT_DONE;
}

const struct command command_export = {
    .name = "export",
    .summary = "write a model as a C program of its own",
    .details =
        "NAME.c and NAME.h need nothing but a C99 or C++ compiler, and give the scores of\n"
        "treebench to the last bit. NAME_test.c checks that where it is compiled, NAME_bench.c\n"
        "measures; a Makefile builds and runs both. The processor is looked at when the program\n"
        "runs: AVX-512, AVX2, NEON or none of them. See docs/export.md.\n\n"
        "Example:\n"
        "  treebench export --model lightgbm.txt --out ranker\n"
        "  make -C ranker bench",
    .run = run,
};
