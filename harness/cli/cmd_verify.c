/* treebench verify: checks that every implementation reaches the reference's exit leaves with a
 * model. */
#include "harness/caches/predict.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/cli/shared/scoring_flags.h"
#include "harness/cli/shared/specs.h"
#include "harness/instruments/progress.h"
#include "harness/measure/verify.h"

#include <stdio.h>
#include <string.h>

/* A high estimate of the time that the compiler takes per node (docs/measuring.md). */
static const double compiler_ns_a_node = 1e6;
/* all other implementations are compared with this one */
static const char REFERENCE[] = "reference";

struct verify_options {
    const char *device;
    struct input_files files;
    struct flag_texts impls;
};

struct tally {
    size_t agree, differ;
    /* refused: implementations that cannot score this model; lacking: implementations that cannot
     * run on this machine */
    size_t refused, lacking;
    bool lacks_named; /* the user named one of the implementations counted by `lacking` */
    size_t documents, probes;
    char refusal[ERROR_TEXT_SIZE]; /* text of the last refusal */
    char note[ERROR_TEXT_SIZE];    /* text of the last note */
};

/* --- what is verified ------------------------------------------------------------------------- */

/* Adds a spec for each value of a parameter except the default. The name without parameters stands
 * for the default. */
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

/* Expands each name without parameters to all values of each of its parameters. Implementations
 * that run a compiler are expanded only if they are named, because each value is compiled. */
static enum status add_parameters(const struct specs *found, struct specs *specs,
                                  struct error *error) {
    enum status status = STATUS_OK;
    for (size_t i = 0; i < found->count && !status; i++) {
        const struct spec *spec = &found->list[i];
        status = specs_add(specs, spec, error);
        const struct impl *impl = strchr(spec->text, ',') ? NULL : impl_find(spec->text, NULL);
        if (impl && impl->compiles && !spec->is_named)
            continue;
        for (const struct impl_param *p = impl ? impl->params : NULL; !status && p && p->name; p++)
            status = add_values(specs, spec, p, error);
    }
    return status;
}

/* true if memory ran out while is_verified looked for a library */
static bool lacked_memory;

/* Returns true if the implementation is installed and computes scores. Returns false for the
 * reference, because it would be compared with itself. */
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

/* Prints a refusal, or "the same" if it equals the previous one. Many implementations reject a
 * model for the same reason. */
static void print_refusal(struct tally *tally, const char *refusal) {
    tally->refused++;
    printf("refused: %s\n", strcmp(tally->refusal, refusal) == 0 ? "the same" : refusal);
    snprintf(tally->refusal, sizeof tally->refusal, "%s", refusal);
}

/* Variants of one implementation have the same note. */
static void tell_once(struct tally *tally, const char *note) {
    if (strcmp(tally->note, note) != 0)
        command_note("%s", note);
    snprintf(tally->note, sizeof tally->note, "%s", note);
}

/* Prints why an implementation cannot run on this machine. If the user named the implementation,
 * this decides the exit status. The reason is then printed on stderr too, because stdout may go to
 * a file. */
static void print_lack(struct tally *tally, const struct spec *spec, const char *lack) {
    tally->lacking++;
    printf("cannot run here: %s\n", lack);
    if (!spec->is_named)
        return;
    tally->lacks_named = true;
    command_note("%s", lack);
}

static void print_agreement(const struct verification *found, enum impl_kind kind) {
    const char *what = kind == IMPL_OBJECT ? "sums within rounding"
                       : kind == IMPL_DEVICE
                           ? "the same leaves, and sums within rounding"
                           : "the same leaves, and sums within rounding of float32";
    if (found->largest_difference > 0)
        printf("agrees: %s: largest difference %.3g (%.3g allowed)\n", what,
               found->largest_difference, found->rounding);
    else
        printf("agrees\n");
}

static enum status verify_scorer(struct verifier *verifier, const char *spec,
                                 const struct scorer *scorer, const struct plan *plan,
                                 struct tally *tally, struct error *error) {
    struct verification found, leaves = {.agrees = true};
    enum status status = verifier_check(verifier, scorer, plan, &found, error);
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

/* Does building the variant run the C compiler? */
static bool runs_compiler(const char *spec) {
    char name[SPEC_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(spec, ","), spec);
    const struct impl *impl = impl_find(name, NULL);
    return impl && impl->compiles;
}

/* Announces a long compilation, because a compiler shows no progress. */
static void announce(struct progress *progress, const struct ensemble *ensemble, const char *spec) {
    double ns = compiler_ns_a_node * (double)ensemble->n_nodes;
    if (ns > (double)PROGRESS_PATIENCE_NS && runs_compiler(spec))
        command_note("%s compiles %zu nodes, which takes about %.0f s unless they are cached", spec,
                     ensemble->n_nodes, ns * 1e-9);
    progress_note(progress, spec);
}

/* Builds the scorer of a variant and plans its order. */
static enum status build(const struct variant *variant, const struct inputs *inputs,
                         struct scorer **scorer, struct plan *plan, struct error *error) {
    enum status status = scorer_build(variant->spec, inputs->ensemble, scorer, error);
    if (status || !variant->order.is_given)
        return status;
    status = order_choice_plan(&variant->order, *scorer, inputs->documents, plan, error);
    if (status) {
        scorer_destroy(*scorer);
        *scorer = NULL;
    }
    return status;
}

/* Verifies one variant and prints one line. The line also reports that the variant does not support
 * the ensemble or this machine. Any other failure to build the scorer is an error, and no line is
 * printed. */
static enum status verify_spec(const struct inputs *inputs, struct verifier *verifier,
                               const struct spec *what, int width, struct progress *progress,
                               struct tally *tally, struct error *error) {
    const char *spec = what->text;
    struct variant variant;
    struct plan plan = {.threads = 1};
    struct scorer *scorer = NULL;
    announce(progress, inputs->ensemble, spec);
    enum status status = variant_parse(spec, &variant, error);
    if (!status)
        status = build(&variant, inputs, &scorer, &plan, error);
    progress_done(progress);
    bool refused = status == STATUS_UNSUPPORTED, lacking = status == STATUS_MACHINE;
    if (!status && scorer->impl->kind == IMPL_BASELINE)
        status = error_set(error, STATUS_INPUT,
                           "--impl: %s is a baseline for timing and computes no scores",
                           scorer->impl->name);
    if (!status && scorer->note && what->is_named)
        tell_once(tally, scorer->note);
    if (!status || refused || lacking)
        printf("%-*s  ", width, spec);
    if (refused)
        print_refusal(tally, error->text);
    if (lacking)
        print_lack(tally, what, error->text);
    if (refused || lacking)
        return STATUS_OK;
    if (!status && strcmp(scorer->impl->name, REFERENCE) == 0)
        printf("is the reference, and is left out\n");
    else if (!status)
        status = verify_scorer(verifier, variant.spec, scorer, &plan, tally, error);
    scorer_destroy(scorer);
    return status;
}

static enum status verify_all(const struct inputs *inputs, const struct specs *specs,
                              struct tally *tally, struct error *error) {
    struct verifier *verifier;
    struct progress progress;
    int width = longest(specs);
    enum status status = verifier_create(inputs->ensemble, inputs->documents, &verifier, error);
    if (status)
        return status;
    tally->documents = inputs->documents ? inputs->documents->n_rows : 0;
    tally->probes = verifier_probes(verifier);
    progress_begin(&progress, specs->count);
    progress.patience_ns = PROGRESS_PATIENCE_NS;
    for (size_t i = 0; i < specs->count && !status; i++) {
        status = verify_spec(inputs, verifier, &specs->list[i], width, &progress, tally, error);
        fflush(stdout); /* shows the line at once even if stdout is a pipe */
    }
    verifier_free(verifier);
    return status;
}

/* Writes, for example, "; 3 refused the model; 2 cannot run on this machine". */
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

static enum status verify(const struct verify_options *options, struct tally *tally,
                          struct error *error) {
    struct inputs inputs = {0};
    struct specs found = {0}, specs = {0};
    enum status status = specs_expand(&options->impls, is_verified, &found, error);
    if (!status && lacked_memory)
        status = error_memory(error, "the search for libraries");
    if (!status)
        status = add_parameters(&found, &specs, error);
    if (!status)
        status = inputs_read(&options->files, &inputs, error);
    if (!status)
        status = verify_all(&inputs, &specs, tally, error);
    inputs_free(&inputs);
    specs_free(&found);
    specs_free(&specs);
    return status;
}

static const struct flag flags[] = {
    MODEL_FLAG(verify_options, files, true),
    {"data", "FILE", "documents to score besides the probes",
     SETS_TEXT(verify_options, files.data)},
    READING_FLAGS(verify_options, files),
    MISSING_FLAG(verify_options, files),
    TREES_FLAG(verify_options, files),
    {"impl", "SPEC", SPECS_HELP " (default: all)", SETS_TEXTS(verify_options, impls)},
    DEVICE_FLAG(verify_options, device),
    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct verify_options *options = parsed->request;
    struct tally tally = {0};
    enum status status = device_choose(options->device, error);
    if (!status)
        status = verify(options, &tally, error);
    if (!status)
        parsed->exit_status = conclude(&tally);
    return status;
}

const struct command command_verify = {
    .name = "verify",
    .summary = "check that implementations score a model as the reference does",
    .details =
        "Checks each implementation with its default parameters and with every other value of each "
        "parameter. If parameters are given (vpred,v=8), only those are checked. The documents are "
        "those of --data, and probes: rows made from the model, with features at its thresholds, "
        "just beside them, infinite and NaN.\n"
        "\n"
        "The reference is treebench's own plainest implementation, not the library that trained "
        "the model. Compare its scores with your library's once: treebench score --impl reference. "
        "Libraries must reach the same leaves, but may add their values in float32.\n"
        "\n" DEVICE_HELP " They may add values in another order.\n"
        "\n"
        "Exit status 1: one differs. 3: none supports the model. 4: one that was named, or all, "
        "cannot run here.\n"
        "\n" READS_HELP "\n"
        "Example:\n"
        "  treebench verify --model ensemble.xml --data documents.txt",
    .flags = flags,
    .request = &(struct verify_options){.impls.count = 0},
    .run = run,
};
