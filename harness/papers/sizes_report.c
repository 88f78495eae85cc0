#include "harness/papers/sizes_parts.h"

#include "harness/judge/item_claim.h"
#include "harness/measure/workload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The machines of the paper, and their columns in the reference file. */
static const struct {
    const char *title, *column;
} papers[] = {{"Intel", "intel"}, {"PPC", "ppc"}, {"ARM", "arm"}};
#define PAPERS (sizeof papers / sizeof *papers)

/* --- notes ------------------------------------------------------------------------------------ */

/* Returns a size that was measured at the point, or NULL. */
static const struct code_size *size_at(const struct artefact *artefact,
                                       const struct json_list *sizes, const struct panel *panel,
                                       const struct point *point) {
    const struct code_subject subject = sizes_subject(artefact, panel, point);
    for (size_t i = 0; i < toolchain_count; i++) {
        const struct code_size *size = code_sizes_find(sizes, &subject, toolchain_names[i]);
        if (size)
            return size;
    }
    return NULL;
}

/* --- compilers -------------------------------------------------------------------------------- */

static void write_compilers(const struct artefact_report *w) {
    fputs("\n## Compilers\n\nAll with `-fno-pie`; for arm also with `-marm`.\n\n"
          "| command | machine | version |\n|---|---|---|\n",
          w->stream);
    for (size_t i = 0; i < toolchain_count; i++) {
        const struct code_size *size = code_sizes_find(w->results, NULL, toolchain_names[i]);
        if (size)
            fprintf(w->stream, "| %s | %s | %s |\n", toolchain_names[i], size->machine,
                    size->version);
        else
            fprintf(w->stream, "| %s | | not installed |\n", toolchain_names[i]);
    }
}

/* --- nodes: buschjaeger2018, Table I ---------------------------------------------------------- */

/* Bytes per node; NAN if there is no such object. */
struct node_bytes {
    double split_code, split_constants, leaf_code, leaf_constants;
};

static struct node_bytes nodes_at(const struct artefact_report *w, const struct panel *panel,
                                  const struct point *point, const char *compiler,
                                  const char *feature, const char *level) {
    struct code_subject subject = sizes_subject(w->artefact, panel, point);
    const struct code_size *made[SIZES_EXAMPLES];
    for (enum sizes_example e = 0; e < SIZES_EXAMPLES; e++) {
        sizes_choose_example(&subject, e, feature, level);
        made[e] = code_sizes_find(w->results, &subject, compiler);
        if (!made[e])
            return (struct node_bytes){NAN, NAN, NAN, NAN};
    }
    double k = made[SIZES_CHAIN]->subject.splits;
    double split = made[SIZES_LONG_CHAIN]->code - made[SIZES_CHAIN]->code;
    double both = made[SIZES_LARGE_TREE]->code - made[SIZES_TREE]->code;
    double constants = made[SIZES_LONG_CHAIN]->constants - made[SIZES_CHAIN]->constants;
    double all_constants = made[SIZES_LARGE_TREE]->constants - made[SIZES_TREE]->constants;
    return (struct node_bytes){split / k, constants / k, (both - split) / k,
                               (all_constants - constants) / k};
}

/* Writes "17.2" or, with constants, "17.2 + 4.0". */
static void write_bytes(FILE *stream, double code, double constants) {
    fprintf(stream, " %.1f", code);
    if (constants != 0)
        fprintf(stream, " + %.1f", constants);
    fputs(" |", stream);
}

static void write_papers_nodes(const struct artefact_report *w) {
    static const struct point any = {.depth = 0};
    static const char *const columns[] = {"int_split", "float_split", "int_leaf", "float_leaf"};
    for (size_t i = 0; i < PAPERS; i++) {
        fprintf(w->stream, "| %s, paper | -O0 |", papers[i].title);
        for (size_t c = 0; c < 4; c++) {
            char column[32];
            snprintf(column, sizeof column, "%s_%s", papers[i].column, columns[c]);
            fprintf(w->stream, " %s |", reference_text(w->reference, &any, column));
        }
        fputs("\n", w->stream);
    }
}

static void write_compilers_nodes(const struct artefact_report *w, const struct panel *panel,
                                  const struct point *point, const char *compiler) {
    const struct code_size *any = code_sizes_find(w->results, NULL, compiler);
    for (size_t l = 0; any && l < 2; l++) {
        struct node_bytes bytes[2];
        for (size_t f = 0; f < 2; f++)
            bytes[f] = nodes_at(w, panel, point, compiler, sizes_features[f], sizes_levels[l]);
        if (isnan(bytes[0].split_code) || isnan(bytes[1].split_code))
            continue;
        fprintf(w->stream, "| %s, %s | %s |", any->machine,
                toolchain_is_gcc(compiler) ? "gcc" : compiler, sizes_levels[l]);
        for (size_t f = 0; f < 2; f++)
            write_bytes(w->stream, bytes[f].split_code, bytes[f].split_constants);
        for (size_t f = 0; f < 2; f++)
            write_bytes(w->stream, bytes[f].leaf_code, bytes[f].leaf_constants);
        fputs("\n", w->stream);
    }
}

static void write_nodes(const struct artefact_report *w) {
    fputs("\nBytes of machine code of a split and of a leaf, plus bytes of constants that the code "
          "loads. Four functions are compiled: chains of k and of 2k splits with two leaves, and "
          "trees of k and of 2k splits. A split is the difference of the chains, divided by k. A "
          "leaf is the difference of the trees, divided by k, minus a split. Jumps over small "
          "distances are shorter on x86. At -O3 compilers also align blocks, merge leaves and turn "
          "branches around, so a leaf may come out below zero.\n",
          w->stream);
    for (struct spot at = {0}; scale_next(&w->artefact->scale, &at);) {
        fprintf(w->stream,
                "\n## k = %u\n\n| | | int split | float split | int leaf | float leaf |\n"
                "|---|---|---:|---:|---:|---:|\n",
                1U << at.point->depth);
        write_papers_nodes(w);
        for (size_t c = 0; c < toolchain_count; c++)
            write_compilers_nodes(w, at.panel, at.point, toolchain_names[c]);
    }
    write_compilers(w);
}

/* --- trees: buschjaeger2018, Table III -------------------------------------------------------- */

static const struct code_size *tree_at(const struct artefact_report *w, const struct panel *panel,
                                       size_t point, const char *compiler) {
    const struct code_subject subject = sizes_subject(w->artefact, panel, &panel->points[point]);
    return code_sizes_find(w->results, &subject, compiler);
}

#define VALUE(name, value)                                                                         \
    static double name(const struct code_size *size) {                                             \
        return value;                                                                              \
    }
VALUE(leaves, size->subject.leaves)
VALUE(code, size->code)
VALUE(constants, size->constants)
VALUE(code_per_leaf, size->code / size->subject.leaves)

/* Writes a line of numbers, one for each point; nothing if there is no such code. */
static void write_line(const struct artefact_report *w, const struct panel *panel,
                       const char *compiler, const char *what,
                       double (*value)(const struct code_size *), int digits) {
    const struct code_size *any = code_sizes_find(w->results, NULL, compiler);
    if (!any)
        return;
    if (value == leaves)
        fputs("| leaves here |", w->stream);
    else
        fprintf(w->stream, "| %s, %s: %s |", any->machine,
                toolchain_is_gcc(compiler) ? "gcc" : compiler, what);
    for (size_t i = 0; i < panel->n_points; i++) {
        const struct code_size *size = tree_at(w, panel, i, compiler);
        if (size)
            fprintf(w->stream, " %.*f |", digits, value(size));
        else
            fputs(" - |", w->stream);
    }
    fputs("\n", w->stream);
}

static void write_leaves(const struct artefact_report *w, const struct panel *panel) {
    for (size_t c = 0; c < toolchain_count; c++)
        if (tree_at(w, panel, 0, toolchain_names[c])) {
            write_line(w, panel, toolchain_names[c], "", leaves, 0);
            return;
        }
    fputs("| here: **missing** |\n", w->stream);
}

static void write_panel(const struct artefact_report *w, const struct panel *panel) {
    const struct code_size *size = size_at(w->artefact, w->results, panel, &panel->points[0]);
    fprintf(w->stream, "\n## %s\n\n", panel->title);
    if (size && size->note[0])
        fprintf(w->stream, "**Here %s.**\n\n", size->note);
    report_write_depths(w->stream, "bytes", panel);
    for (size_t i = 0; i < PAPERS; i++) {
        fprintf(w->stream, "| %s, paper |", papers[i].title);
        for (size_t k = 0; k < panel->n_points; k++)
            fprintf(w->stream, " %s |",
                    reference_text(w->reference, &panel->points[k], papers[i].column));
        fputs("\n", w->stream);
    }
    write_leaves(w, panel);
    for (size_t c = 0; c < toolchain_count; c++) {
        write_line(w, panel, toolchain_names[c], "code", code, 0);
        write_line(w, panel, toolchain_names[c], "constants", constants, 0);
        write_line(w, panel, toolchain_names[c], "code per leaf", code_per_leaf, 1);
    }
}

static void write_trees(const struct artefact_report *w) {
    fputs(
        "\nBytes of machine code of a tree and of the function that counts votes, at -O3, without "
        "the padding between functions, and bytes of constants that the code loads. Trees here "
        "differ from the paper's, so code per leaf can be compared and sums cannot.\n",
        w->stream);
    for (size_t p = 0; p < w->artefact->scale.n_panels; p++)
        write_panel(w, &w->artefact->scale.panels[p]);
    write_compilers(w);
}

/* --- NAME.csv --------------------------------------------------------------------------------- */

/* Returns true if the size is of a point of the artefact. */
static bool is_asked(const struct artefact_report *w, const struct code_size *size) {
    for (struct spot at = {0}; scale_next(&w->artefact->scale, &at);) {
        struct code_subject subject = sizes_subject(w->artefact, at.panel, at.point);
        if (workload_same(&subject.workload, &size->subject.workload))
            return true;
    }
    return false;
}

static void write_csv(const struct artefact_report *w) {
    const struct json_list *sizes = w->results;
    const struct code_size *list = sizes->list;
    record_csv_header(&code_size_record, w->stream);
    for (size_t i = 0; i < sizes->count; i++)
        if (is_asked(w, &list[i])) {
            fputs("\n", w->stream);
            record_csv(&code_size_record, &list[i], w->stream);
        }
    fputs("\n", w->stream);
}

/* --- claims ----------------------------------------------------------------------------------- */

/* Bytes of a machine's code by gcc, or NAN. */
static double code_of(const struct json_list *sizes, const struct code_subject *subject,
                      const char *machine) {
    for (size_t i = 0; i < toolchain_count; i++) {
        const struct code_size *size = toolchain_is_gcc(toolchain_names[i])
                                           ? code_sizes_find(sizes, subject, toolchain_names[i])
                                           : NULL;
        if (size && strcmp(size->machine, machine) == 0)
            return size->code;
    }
    return NAN;
}

struct count {
    size_t points, known, smallest;
};

static void count_point(const struct item_claim *claim, const struct code_subject *subject,
                        struct count *count) {
    double own = code_of(claim->items, subject, claim->machine);
    bool known = !isnan(own), smallest = true;
    const cJSON *machine;
    cJSON_ArrayForEach(machine, claim->than) {
        double other = code_of(claim->items, subject, machine->valuestring);
        known &= !isnan(other);
        smallest &= own < other;
    }
    count->points++;
    count->known += known;
    count->smallest += known && smallest;
}

/* Names the machine if it has no code. */
static void say_missing(const struct item_claim *claim, const char *machine,
                        struct claim_result *result) {
    const struct panel *panel = &claim->artefact->scale.panels[0];
    const struct code_subject subject = sizes_subject(claim->artefact, panel, &panel->points[0]);
    if (isnan(code_of(claim->items, &subject, machine)))
        claim_say(result, "%s%s", *result->measured ? ", " : "no code by gcc for ", machine);
}

/* `low` is the least share of points at which the machine's code is the smallest. */
static enum verdict judge_smallest(const struct item_claim *claim, struct claim_result *result) {
    const struct artefact *artefact = claim->artefact;
    struct count count = {0, 0, 0};
    const cJSON *machine;
    snprintf(result->rule, sizeof result->rule,
             "Held if the code for %s is the smallest at %.0f %% of the points or more.",
             claim->machine, 100 * claim->low);
    for (struct spot at = {0}; scale_next(&artefact->scale, &at);) {
        struct code_subject subject = sizes_subject(artefact, at.panel, at.point);
        count_point(claim, &subject, &count);
    }
    if (count.known < count.points) {
        say_missing(claim, claim->machine, result);
        cJSON_ArrayForEach(machine, claim->than) {
            say_missing(claim, machine->valuestring, result);
        }
    }
    if (count.known > 0)
        claim_say(result, "%s%s is the smallest at %zu of %zu points",
                  *result->measured ? "; " : "", claim->machine, count.smallest, count.known);
    if (count.known < count.points)
        return count.known ? VERDICT_UNRESOLVED : VERDICT_NOT_MEASURED;
    return (double)count.smallest >= claim->low * (double)count.points ? VERDICT_HELD
                                                                       : VERDICT_NOT_HELD;
}

static const struct record_field fields[] = {
    ITEM_CLAIM_KEYS,
    FIELD(struct item_claim, STRING, "machine", machine, .help = "whose code is the smallest"),
    FIELD(struct item_claim, FORM, "than", than, .form = &item_claim_names,
          .help = "machines whose code is larger"),
    FIELD(struct item_claim, REAL, "low", low, .low = 0, .high = 1, .help = "at which share")};
static const struct record record = ARTEFACT_RECORD("a claim", fields);
static const struct item_claim_kind claims[] = {
    {"smallest_code", "forest", NULL, &record, judge_smallest}, {0}};

/* Appends the note of each panel's models. */
static void add_notes(const struct item_claim *claim, struct claim_result *result) {
    for (size_t p = 0; p < claim->artefact->scale.n_panels; p++) {
        const struct panel *panel = &claim->artefact->scale.panels[p];
        const struct code_size *size =
            size_at(claim->artefact, claim->items, panel, &panel->points[0]);
        result->origin |= size ? size->origin : 0;
        if (size && size->note[0])
            claim_say(result, "; %s: %s", panel->title, size->note);
    }
}

/* --- the kind --------------------------------------------------------------------------------- */

/* Larger examples take compilers too long. */
enum { EXAMPLE_DEPTH_MAX = 10 };

static const struct table_kind tables[] = {{"nodes", "synthetic", write_nodes, write_csv},
                                           {"trees", "forest", write_trees, write_csv},
                                           {0}};

static enum status check(const char *name, const struct artefact *artefact, struct error *error) {
    const struct panel *panel = &artefact->scale.panels[0];
    for (size_t i = 0; scale_is_synthetic(&artefact->scale) && i < panel->n_points; i++)
        if (panel->points[i].depth > EXAMPLE_DEPTH_MAX)
            return error_set(error, STATUS_INPUT, "%s: scales: %s: depths: at most %d", name,
                             artefact->scale.name, EXAMPLE_DEPTH_MAX);
    return STATUS_OK;
}

const struct artefact_kind kind_code_size = {.measure = "code-size",
                                             .title = "code size",
                                             .lines = &code_size_lines,
                                             .tables = tables,
                                             .claims = claims,
                                             .finish_claim = add_notes,
                                             .check = check,
                                             .ask = sizes_ask,
                                             .measure_item = sizes_measure,
                                             .is_untimed = true,
                                             .doing = "compiling",
                                             .done = "compiled",
                                             .things = "objects and measured their code"};
