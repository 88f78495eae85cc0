/* treebench convert: a model of any format that is read into one that is written. */
#include "harness/command.h"
#include "models/format.h"

static enum status convert(const char *model, const char *out, const char *format,
                           struct error *error) {
    struct ensemble *ensemble;
    enum status status = model_read(model, &ensemble, error);
    if (status)
        return status;
    status = model_write(ensemble, out, format, error);
    ensemble_free(ensemble);
    return status;
}

static int run(int argc, char **argv) {
    const char *model = NULL, *out = NULL, *format = NULL;
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model to read", .value = &model},
        {.name = "out", .argument = "FILE", .help = "the file to write", .value = &out},
        {.name = "format",
         .argument = "NAME",
         .help = "the format to write (default: treebench, its JSON); see treebench list",
         .value = &format},
        {0}};
    bool done;
    int exit_status = command_parse(&command_convert, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_convert, flags, "model")) ||
        (exit_status = command_require(&command_convert, flags, "out")))
        return exit_status;

    struct error error;
    enum status status = convert(model, out, format, &error);
    return status ? command_fail(status, &error) : EXIT_DONE;
}

const struct command command_convert = {
    .name = "convert",
    .summary = "write a model in another format",
    .details = "Example:\n"
               "  treebench convert --model ensemble.xml --out ensemble.json",
    .run = run,
};
