/* treebench info: describes a model and documents. */
#include "base/origin.h"
#include "harness/cli/shared/commands.h"
#include "harness/cli/shared/inputs.h"
#include "harness/measure/describe.h"
#include "impls/framing/frame_facts.h"
#include "models/format.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LABEL_WIDTH = 28 };
/* Counting false nodes takes about a second at most. */
#define FALSE_NODE_TESTS ((uint64_t)1 << 28)

struct info_options {
    struct input_files files;
};

static void print_count(const char *what, uint64_t count) {
    printf("%-*s%" PRIu64 "\n", LABEL_WIDTH, what, count);
}

static void print_mean_and_max(const char *what, double mean, uint32_t max) {
    printf("%-*s%.2f mean, %" PRIu32 " max\n", LABEL_WIDTH, what, mean, max);
}

static void print_text(const char *what, const char *text) {
    char plain[ERROR_TEXT_SIZE];
    snprintf(plain, sizeof plain, "%s", text);
    text_make_plain(plain);
    printf("%-*s%s\n", LABEL_WIDTH, what, plain);
}

/* Prints the first few names. They follow each other in memory, each with a NUL at its end. */
static void print_names(const char *what, const char *names, uint32_t count) {
    enum { SHOWN = 5, LONGEST = 40 };
    if (!names)
        return;
    printf("%-*s", LABEL_WIDTH, what);
    for (uint32_t i = 0; i < count && i < SHOWN; i++, names += strlen(names) + 1) {
        char name[LONGEST + 1];
        snprintf(name, sizeof name, "%s", names);
        text_make_plain(name);
        printf("%s%s", i ? ", " : "", name);
    }
    printf("%s\n", count > SHOWN ? ", ..." : "");
}

static void print_stats(const struct ensemble_stats *stats, bool votes, uint32_t n_computed) {
    print_count("trees", stats->trees);
    print_count("outputs", stats->outputs);
    if (votes)
        print_text("votes", "each tree adds 1 to the output of its leaf's class");
    print_mean_and_max("leaves per tree", stats->leaves_mean, stats->leaves_max);
    print_mean_and_max("depth", stats->depth_mean, stats->depth_max);
    printf("%-*s%.2f mean over leaves\n", LABEL_WIDTH, "decisions per tree", stats->path_mean);
    if (isnan(stats->path_weighted))
        printf("%-*sunknown: the model has no counts\n", LABEL_WIDTH, "  by training documents");
    else
        printf("%-*s%.2f mean\n", LABEL_WIDTH, "  by training documents", stats->path_weighted);
    printf("%-*s%" PRIu32 ", of which %" PRIu32 " used\n", LABEL_WIDTH, "features", stats->features,
           stats->features_used);
    if (n_computed)
        print_count("  computed (CTR)", n_computed);
    print_mean_and_max("thresholds per feature", stats->thresholds_mean, stats->thresholds_max);
    print_count("nodes with NaN to the left", stats->nan_left_nodes);
    if (stats->set_nodes)
        print_count("nodes that test categories", stats->set_nodes);
}

/* Where sums are exact, implementations may add in another order than the trees'. */
static enum status print_sums(const struct ensemble *ensemble, struct error *error) {
    struct sum_grid grid;
    enum status status = ensemble_find_sum_grid(ensemble, &grid, error);
    if (status)
        return status;
    double bits = grid.most > 1 ? log2(grid.most) : 0;
    if (sum_grid_is_exact(&grid))
        printf("%-*sexact in any order: %.1f of a double's %d bits\n", LABEL_WIDTH, "sums", bits,
               SUM_GRID_BITS);
    else
        printf("%-*srounded: exact sums need %.1f bits, a double has %d\n", LABEL_WIDTH, "sums",
               bits, SUM_GRID_BITS);
    return STATUS_OK;
}

/* Prints what the order of nodes and of code can save, by the probabilities of branches. */
static void print_facts(const struct frame_facts *facts) {
    printf("%-*s%.2f in native-folded, %.2f in native-opt\n", LABEL_WIDTH, "cache lines per path",
           facts->lines_by_level, facts->lines_by_sets);
    printf("%-*s%.2f of %.2f nodes of a path, by ifelse-opt\n", LABEL_WIDTH, "likely code",
           facts->kernel_nodes, facts->nodes);
}

/* Prints what a model or documents are, if they are not as they came from elsewhere. */
static void print_origin(const char *note, unsigned origin) {
    char words[ORIGIN_TEXT_SIZE];
    origin_write(origin, words);
    if (note[0])
        print_text("note", note);
    if (words[0])
        print_text("origin", words);
}

static enum status print_model(const struct ensemble *ensemble, struct error *error) {
    struct ensemble_stats stats;
    struct frame_facts facts;
    enum status status = ensemble_compute_stats(ensemble, &stats, error);
    bool has_facts = ensemble->node_count && ensemble->n_nodes > 0 && !ensemble->set;
    if (!status && has_facts)
        status = frame_facts_compute(ensemble, &facts, error);
    if (!status) {
        print_origin(ensemble->note, ensemble->origin);
        if (ensemble->format)
            print_text("format", ensemble->format->title);
        if (ensemble->objective[0])
            print_text("objective", ensemble->objective);
        print_stats(&stats, ensemble->votes,
                    ensemble->n_features - ensemble_given_features(ensemble));
        if (!ensemble->votes)
            status = print_sums(ensemble, error);
        if (has_facts)
            print_facts(&facts);
        if (ensemble->best_trees)
            print_count("trees up to the best", ensemble->best_trees);
        print_names("feature names", ensemble->feature_names, ensemble->n_features);
    }
    return status;
}

static void print_labels(const struct matrix *documents) {
    if (!documents->labels) {
        printf("%-*snone\n", LABEL_WIDTH, "labels");
        return;
    }
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < documents->n_rows; i++) {
        low = fminf(low, documents->labels[i]);
        high = fmaxf(high, documents->labels[i]);
    }
    printf("%-*s%g to %g\n", LABEL_WIDTH, "labels", (double)low, (double)high);
}

static void print_width(const struct matrix *documents, const struct ensemble *ensemble) {
    printf("%-*s%" PRIu32, LABEL_WIDTH, "features", documents->n_named);
    if (ensemble)
        printf(" in the file, the model has %" PRIu32, ensemble_given_features(ensemble));
    printf("\n");
}

static void print_documents(const struct matrix *documents, const struct ensemble *ensemble) {
    print_origin(documents->note, documents->origin);
    print_count("documents", documents->n_rows);
    print_width(documents, ensemble);
    print_names("column names", documents->column_names, documents->n_named);
    if (documents->words[0]) {
        char words[MATRIX_NOTE_SIZE + 48];
        snprintf(words, sizeof words, "of %s, coded 0, 1, ... in sorted order", documents->words);
        print_text("words", words);
    }
    print_count("queries", documents->n_queries);
    print_labels(documents);
}

/* Prints the work of QuickScorer, which does a step for each false node. */
static void print_false_nodes(const struct info_options *options, const struct inputs *inputs) {
    static const char label[] = "false nodes per tree";
    struct error reason;
    enum status status = inputs_check_match(&options->files, inputs, &reason);
    if (!status && inputs->documents->words[0])
        status = error_set(&reason, STATUS_INPUT, "%s: %s contains text", options->files.data,
                           inputs->documents->words);
    if (status) {
        char text[ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "unknown: %.*s", (int)sizeof text - 16, reason.text);
        print_text(label, text);
        return;
    }
    const struct false_nodes found =
        false_nodes_count(inputs->ensemble, inputs->documents, FALSE_NODE_TESTS);
    if (isnan(found.share))
        printf("%-*snone: the model has no inner nodes\n", LABEL_WIDTH, label);
    else
        printf("%-*s%.2f mean over %zu documents, %.1f %% of the inner nodes\n", LABEL_WIDTH, label,
               found.per_tree, found.documents, 100 * found.share);
}

static const struct flag flags[] = {MODEL_FLAG(info_options, files, false),
                                    DATA_FLAG(info_options, files, false),
                                    READING_FLAGS(info_options, files),
                                    QUERIES_FLAG(info_options, files),
                                    MISSING_FLAG(info_options, files),
                                    PROFILE_FLAG(info_options, files),
                                    {0}};

static enum status run(struct parsed *parsed, struct error *error) {
    const struct info_options *options = parsed->request;
    if (!options->files.model && !options->files.data)
        return error_set(error, STATUS_INPUT, "info: give --model FILE, --data FILE or both");
    struct inputs inputs;
    enum status status = inputs_read(&options->files, &inputs, error);
    if (status)
        return status;
    if (inputs.ensemble)
        status = print_model(inputs.ensemble, error);
    if (!status && inputs.ensemble && inputs.documents)
        printf("\n");
    if (!status && inputs.documents)
        print_documents(inputs.documents, inputs.ensemble);
    if (!status && inputs.ensemble && inputs.documents)
        print_false_nodes(options, &inputs);
    inputs_free(&inputs);
    return status;
}

const struct command command_info = {
    .name = "info",
    .summary = "print the shape of a model, of documents, or of both",
    .details =
        "If branches have counts, from training or from --profile, info prints two expected "
        "values for a path through a tree: the cache lines of nodes that it touches, and how "
        "many of its nodes ifelse-opt keeps together. See docs/implementations.md.\n"
        "\n"
        "Example:\n"
        "  treebench info --model ensemble.xml --data documents.txt",
    .flags = flags,
    .request = &(struct info_options){.files.use = INPUTS_SHOWN},
    .run = run,
};
