/* treebench drop-in: what becomes of a program's calls of other libraries. */
#include "dropin/calls.h"
#include "dropin/symbols.h"
#include "harness/cli/shared/commands.h"

#include <stdio.h>
#include <string.h>

struct drop_in_options {
    const char *check;
    bool calls;
};

#define TEXT(how, symbol, params, args) {#symbol, CALL_##how},
#define VOID(how, symbol, params, args) {#symbol, CALL_##how},
#define CALL(how, symbol, params, args) {#symbol, CALL_##how},
static const struct call lightgbm[] = {
#include "dropin/lightgbm/calls.def"
};
static const struct call xgboost[] = {
#include "dropin/xgboost/calls.def"
};

static const struct call_api apis[] = {
    {"LightGBM", "libtreebench_lightgbm.so.0", "LGBM_", lightgbm,
     sizeof lightgbm / sizeof *lightgbm},
    {"XGBoost", "libtreebench_xgboost.so.0", "XG", xgboost, sizeof xgboost / sizeof *xgboost},
};
enum { APIS = sizeof apis / sizeof *apis };

static const char *const how_texts[] = {
    [CALL_SERVED] = "served",
    [CALL_CHANGES] = "passed on, as is what follows for the model",
    [CALL_PASSED] = "passed on",
};

static const struct call *find_call(const struct call_api *api, const char *name) {
    for (size_t i = 0; i < api->n_calls; i++)
        if (strcmp(api->call[i].name, name) == 0)
            return &api->call[i];
    return NULL;
}

static void print_call(const char *name, const char *text) {
    enum { WIDTH = 44 };
    printf("  %-*s  %s\n", WIDTH, name, text);
}

struct tally {
    size_t calls, passed; /* of them, those that go to the real library */
};

/* Prints the program's calls of an API, and counts them. */
static void print_used(const struct call_api *api, const struct symbols *symbols,
                       struct tally *tally) {
    bool is_titled = false;
    for (size_t i = 0; i < symbols->count; i++) {
        const char *name = symbols->name[i];
        if (strncmp(name, api->prefix, strlen(api->prefix)) != 0)
            continue;
        if (!is_titled)
            printf("%s, with LD_PRELOAD=%s:\n", api->title, api->library);
        is_titled = true;
        const struct call *call = find_call(api, name);
        tally->calls++;
        tally->passed += !call || call->how != CALL_SERVED;
        print_call(name,
                   call ? how_texts[call->how] : "not known to treebench; goes to the library");
    }
}

static enum status check(const char *program, struct error *error) {
    const char *prefixes[APIS + 1] = {NULL};
    struct symbols symbols;
    for (size_t i = 0; i < APIS; i++)
        prefixes[i] = apis[i].prefix;
    enum status status = symbols_read(program, prefixes, &symbols, error);
    if (status)
        return status;
    struct tally tally = {0};
    for (size_t i = 0; i < APIS; i++)
        print_used(&apis[i], &symbols, &tally);
    if (tally.passed)
        puts("Calls that are passed on need the real library. Without it, they fail.");
    else if (tally.calls)
        puts("All its calls are served. Some of their parameters may be passed on.");
    else
        printf("%s is linked with none of the calls. If it loads a library by itself, as Python "
               "does, see docs/drop-in.md\n",
               program);
    symbols_free(&symbols);
    return STATUS_OK;
}

static void print_all(void) {
    for (size_t i = 0; i < APIS; i++)
        for (size_t k = 0; k < apis[i].n_calls; k++)
            print_call(apis[i].call[k].name, how_texts[apis[i].call[k].how]);
}

static const struct flag flags[] = {{"check", "PROGRAM",
                                     "list this program's calls, and what becomes of each",
                                     SETS_TEXT(drop_in_options, check), .file = FLAG_READS},
                                    {"calls", NULL, "list all calls, and what becomes of each",
                                     SETS_SWITCH(drop_in_options, calls), .excludes = "check"},
                                    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct drop_in_options *options = parsed->request;
    if (!options->calls && !options->check)
        return error_set(error, STATUS_INPUT, "drop-in: give --check PROGRAM or --calls");
    if (options->calls)
        print_all();
    return options->check ? check(options->check, error) : STATUS_OK;
}

const struct command command_drop_in = {
    .name = "drop-in",
    .summary = "check which of a program's calls the drop-in libraries answer",
    .details =
        "libtreebench_lightgbm.so answers the calls of a program that is linked with LightGBM, and "
        "libtreebench_xgboost.so those of XGBoost. The program is not changed, and its predictions "
        "stay the same bit for bit. docs/drop-in.md shows how to use them.\n"
        "\n"
        "--check looks at the program and at the libraries that it is linked with. It runs nm and "
        "ldd, so check only programs that you trust.\n"
        "\n"
        "Example:\n"
        "  treebench drop-in --check ./my-program",
    .flags = flags,
    .request = &(struct drop_in_options){0},
    .run = run,
};
