/* treebench verify: does every implementation reach the reference's exit leaves with this model? */
#include "harness/command.h"
#include "harness/inputs.h"
#include "harness/progress.h"
#include "harness/specs.h"
#include "harness/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without a terminal, silent for so long. */
#define PATIENCE_NS (UINT64_C(20) * 1000 * 1000 * 1000)
/* Of codegen's compiler, on the slow side of what docs/measuring.md says. */
static const double compiler_ns_a_node = 1e6;
static const char REFERENCE[] = "reference"; /* the judge of the others */

struct tally {
    size_t agree, differ;
    size_t refused, lacking; /* the model; something of this machine */
    bool lacks_named;        /* one of the latter was named */
    size_t documents, probes;
    char refusal[ERROR_TEXT_SIZE]; /* the last one */
};

/* --- what is verified ------------------------------------------------------------------------- */

/* One spec for each of the parameter's values but the standard one, which the bare name has. */
static enum status add_values(struct specs *specs, const struct spec *bare,
                              const struct impl_param *param, struct error *error) {
    for (const char *value = param->values; *(value += strspn(value, " "));) {
        size_t size = strcspn(value, " ");
        struct spec spec = {.is_named = bare->is_named};
        bool standard =
            strlen(param->standard) == size && memcmp(param->standard, value, size) == 0;
        snprintf(spec.text, sizeof spec.text, "%.32s,%s=%.*s", bare->text, param->name, (int)size,
                 value);
        enum status status = standard ? STATUS_OK : specs_add(specs, &spec, error);
        if (status)
            return status;
        value += size;
    }
    return STATUS_OK;
}

/* Names without parameters stand for all values of each. */
static enum status add_parameters(const struct specs *found, struct specs *specs,
                                  struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < found->count && !status; i++) {
        const struct spec *spec = &found->list[i];
        status = specs_add(specs, spec, error);
        const struct impl *impl = strchr(spec->text, ',') ? NULL : impl_find(spec->text, NULL);
        for (const struct impl_param *p = impl ? impl->params : NULL; !status && p && p->name; p++)
            status = add_values(specs, spec, p, error);
    }
    return status;
}

/* Memory ran out while looking for a library. */
static bool lacked_memory;

/* Every one that scores and is here, but the reference, which would be its own judge. */
static bool is_verified(const struct impl *impl) {
    char text[ERROR_TEXT_SIZE];
    if (impl->kind == IMPL_BASELINE || strcmp(impl->name, REFERENCE) == 0)
        return false;
    enum status found = impl->find ? impl->find(text, sizeof text) : STATUS_OK;
    lacked_memory = lacked_memory || found == STATUS_MEMORY;
    return found == STATUS_OK;
}

static int longest(const struct specs *specs) {
    size_t longest = 0;
    for (size_t i = 0; i < specs->count; i++) {
        size_t length = strlen(specs->list[i].text);
        longest = length > longest ? length : longest;
    }
    return (int)longest;
}

/* --- verifying -------------------------------------------------------------------------------- */

static void print_difference(const struct verification *found) {
    printf("differs: %s %zu scores %.17g instead of %.17g; largest difference %.3g\n",
           found->probe ? "probe" : "document", found->document, found->found, found->expected,
           found->largest_difference);
}

/* Many refuse a model for the same reason. */
static void print_refusal(struct tally *tally, const char *refusal) {
    tally->refused++;
    printf("refused: %s\n", strcmp(tally->refusal, refusal) == 0 ? "the same" : refusal);
    snprintf(tally->refusal, sizeof tally->refusal, "%s", refusal);
}

static void print_lack(struct tally *tally, const char *lack) {
    tally->lacking++;
    printf("cannot run here: %s\n", lack);
}

static void print_agreement(const struct verification *found, enum impl_kind kind) {
    const char *what = kind == IMPL_OBJECT ? "sums within rounding"
                                           : "the same leaves, and sums within rounding of float32";
    if (found->largest_difference > 0)
        printf("agrees: %s: largest difference %.3g (%.3g allowed)\n", what,
               found->largest_difference, found->rounding);
    else
        printf("agrees\n");
}

static enum status verify_scorer(struct verifier *verifier, const char *spec,
                                 const struct scorer *scorer, struct tally *tally,
                                 struct error *error) {
    struct verification found, leaves = {.agrees = true};
    enum status status = verifier_check(verifier, scorer, NULL, &found, error);
    if (!status && found.agrees && verifier_needs_leaves(scorer))
        status = verifier_check_leaves(verifier, spec, &leaves, error);
    if (status)
        return status;
    if (found.agrees && leaves.agrees) {
        tally->agree++;
        print_agreement(&found, scorer->impl->kind);
    } else {
        tally->differ++;
        print_difference(found.agrees ? &leaves : &found);
    }
    return STATUS_OK;
}

/* Before it is built: a compiler tells nothing while it runs. */
static void announce(struct progress *progress, const struct ensemble *ensemble, const char *spec) {
    double ns = compiler_ns_a_node * (double)ensemble->n_nodes;
    if (strcmp(spec, "codegen") == 0 && ns > (double)PATIENCE_NS)
        command_note("codegen compiles %zu nodes: about %.0f s, unless it did so before",
                     ensemble->n_nodes, ns * 1e-9);
    progress_note(progress, spec);
}

/* An implementation may refuse an ensemble or a machine; anything else that goes wrong while it is
 * built is an error of the command, before the line for it begins. */
static enum status verify_spec(const struct inputs *inputs, struct verifier *verifier,
                               const struct spec *what, int width, struct progress *progress,
                               struct tally *tally, struct error *error) {
    const char *spec = what->text;
    struct scorer *scorer = NULL;
    announce(progress, inputs->ensemble, spec);
    enum status status = scorer_build(spec, inputs->ensemble, &scorer, error);
    progress_done(progress);
    bool refused = status == STATUS_UNSUPPORTED, lacking = status == STATUS_MACHINE;
    tally->lacks_named |= lacking && what->is_named;
    if (!status && scorer->impl->kind == IMPL_BASELINE)
        status = error_set(error, STATUS_INPUT, "--impl: %s is a baseline and scores nothing",
                           scorer->impl->name);
    if (!status && scorer->note)
        command_note("%s", scorer->note);
    if (!status || refused || lacking)
        printf("%-*s  ", width, spec);
    if (refused || lacking) {
        (refused ? print_refusal : print_lack)(tally, error->text);
        return STATUS_OK;
    }
    if (!status && strcmp(scorer->impl->name, REFERENCE) == 0)
        printf("is the judge, and is left out\n");
    else if (!status)
        status = verify_scorer(verifier, spec, scorer, tally, error);
    scorer_destroy(scorer);
    return status;
}

static enum status verify_all(const struct inputs *inputs, const struct specs *specs,
                              struct tally *tally, struct error *error) {
    struct verifier *verifier;
    struct progress progress;
    enum status status = verifier_create(inputs->ensemble, inputs->documents, &verifier, error);
    if (status)
        return status;
    tally->documents = inputs->documents ? inputs->documents->n_rows : 0;
    tally->probes = verifier_probes(verifier);
    progress_begin(&progress, specs->count);
    progress.patience_ns = PATIENCE_NS;
    for (size_t i = 0; i < specs->count && !status; i++) {
        status =
            verify_spec(inputs, verifier, &specs->list[i], longest(specs), &progress, tally, error);
        fflush(stdout); /* seen at once through a pipe, too */
    }
    verifier_free(verifier);
    return status;
}

/* "; 3 refused the model; 2 cannot run on this machine" */
static void tell_others(const struct tally *tally, char *text, size_t size) {
    int used = 0;
    text[0] = '\0';
    if (tally->refused)
        used = snprintf(text, size, "; %zu refused the model", tally->refused);
    if (tally->lacking)
        snprintf(text + used, size - (size_t)used, "; %zu cannot run on this machine",
                 tally->lacking);
}

static int conclude(const struct tally *tally) {
    char others[128], on[96];
    snprintf(on, sizeof on, "treebench's reference on %zu documents and %zu probes",
             tally->documents, tally->probes);
    tell_others(tally, others, sizeof others);
    if (tally->differ) {
        printf("%zu of %zu implementations differ from %s%s\n", tally->differ,
               tally->agree + tally->differ, on, others);
        return EXIT_CHECK;
    }
    if (!tally->agree) {
        printf("no implementation was verified%s\n",
               tally->refused || tally->lacking ? others : ": there is none to verify");
        return tally->lacking ? EXIT_MACHINE : EXIT_INCONCLUSIVE;
    }
    printf("all %zu implementations agree with %s%s\n", tally->agree, on, others);
    return tally->lacks_named ? EXIT_MACHINE : EXIT_DONE;
}

static enum status verify(const struct input_files *files, const struct flag_list *typed,
                          struct tally *tally, struct error *error) {
    struct inputs inputs = {0};
    struct specs found = {0}, specs = {0};
    enum status status = specs_expand(typed, is_verified, &found, error);
    if (!status && lacked_memory)
        status = error_memory(error, "the search for libraries");
    if (!status)
        status = add_parameters(&found, &specs, error);
    if (!status)
        status = inputs_read(files, &inputs, error);
    if (!status)
        status = verify_all(&inputs, &specs, tally, error);
    inputs_free(&inputs);
    specs_free(&found);
    specs_free(&specs);
    return status;
}

static int run(int argc, char **argv) {
    struct input_files files = {0};
    struct flag_list impls = {.count = 0};
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model", .value = &files.model},
        {.name = "data",
         .argument = "FILE",
         .help = "documents to score, beside the probes",
         .value = &files.data},
        LABEL_FLAG(files.label),
        MISSING_FLAG(files.missing),
        FIRST_FEATURE_FLAG(files.first_feature),
        TREES_FLAG(files.trees),
        {.name = "impl", .argument = "SPEC", .help = SPECS_HELP " (default: all)", .list = &impls},
        {0}};
    bool done;
    int exit_status = command_parse(&command_verify, flags, argc, argv, NULL, &done);
    if (exit_status != EXIT_DONE || done)
        return exit_status;
    if ((exit_status = command_require(&command_verify, flags, "model")))
        return exit_status;

    struct error error;
    struct tally tally = {0};
    enum status status = verify(&files, &impls, &tally, &error);
    return status ? command_fail(status, &error) : conclude(&tally);
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check that implementations score a model as the reference does, to the last bit",
    .details =
        "Each implementation is checked with its standard parameters and with every other value\n"
        "of each, or with the parameters that are given (vpred,v=8). The documents are those of\n"
        "--data, and probes: rows made from the model, with features on its thresholds, just\n"
        "beside them, infinite and NaN.\n"
        "Exit status 1: one differs; 3: all refuse the model; 4: one that was named cannot run\n"
        "here, or none can.\n"
        "The judge is treebench's own plainest implementation, not the library that trained the\n"
        "model: compare its scores with treebench score once. Libraries reach the same leaves, "
        "bit\n"
        "for bit, and may add them up in float32, as sums=float does.\n\n" READS_HELP "\n"
        "Example:\n"
        "  treebench verify --model ensemble.xml --data documents.txt",
    .run = run,
};
