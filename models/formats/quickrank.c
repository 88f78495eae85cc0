/* Reads and writes QuickRank XML. All versions of QuickRank can be read; early versions put spaces
 * around numbers:
 *
 *     <ranker>
 *       <info> <type>MART</type> <trees>2</trees> ... </info>     about the training: not used
 *       <ensemble> ... </ensemble>                                see split_trees.h
 *     </ranker>
 *
 * QuickRank (mart.cc, rtnode.h) stores thresholds and weights as float32 and outputs as double.
 * QuickRank adds scores up in double, like treebench, and sends NaN right. */
#include "base/number.h"
#include "models/format.h"
#include "models/formats/split_trees.h"
#include "models/reader.h"

#include <stdlib.h>
#include <string.h>

enum { LEVEL_DOCUMENT, LEVEL_RANKER, LEVEL_INFO, LEVEL_FACT }; /* the innermost open element */

struct quickrank_reader {
    int level;
    struct split_trees trees;
};

/* --- reading ---------------------------------------------------------------------------------- */

static enum status on_begin(struct xml_reader *xml, const char *element, const char **attributes) {
    struct quickrank_reader *r = xml->data;
    bool is_info = r->level == LEVEL_RANKER && strcmp(element, "info") == 0;
    if (split_trees_open(&r->trees) || (r->level == LEVEL_RANKER && !is_info)) {
        if (!split_trees_open(&r->trees) && r->trees.n_ensembles > 0)
            return xml_refuse(xml, "found <%.40s>, expected </ranker> after the <ensemble>",
                              element);
        return split_trees_begin(&r->trees, xml, element, attributes);
    }
    if (r->level == LEVEL_DOCUMENT && strcmp(element, "ranker") != 0)
        return xml_refuse(xml, "found <%.40s>, expected <ranker>", element);
    if (attributes[0])
        return xml_refuse(xml, "found <%.40s %.40s=\"%.40s\">, expected no attributes", element,
                          attributes[0], attributes[1]);
    if (++r->level == LEVEL_FACT)
        xml_expect_text(xml, "info");
    return STATUS_OK;
}

static enum status on_end(struct xml_reader *xml, const char *element) {
    struct quickrank_reader *r = xml->data;
    (void)element;
    if (split_trees_open(&r->trees))
        return split_trees_end(&r->trees, xml);
    r->level--;
    return STATUS_OK;
}

static enum status quickrank_read(const char *name, const char *text, size_t size,
                                  struct ensemble **ensemble, struct error *error) {
    struct quickrank_reader r = {.trees = {.builder = ensemble_builder_create(), .divisor = 1}};
    struct xml_reader xml = {
        .name = name, .error = error, .data = &r, .begin = on_begin, .end = on_end};
    enum status status = xml_read(&xml, text, size);
    free(r.trees.nodes);
    return reader_finish(name, status, r.trees.builder, &(struct ensemble_shape){0}, ensemble,
                         error);
}

static bool quickrank_recognise(const char *text, size_t size) {
    return xml_has_root(text, size, "ranker");
}

/* --- writing ---------------------------------------------------------------------------------- */

static enum status check_can_write(const struct ensemble *e, struct error *error) {
    if (e->n_outputs != 1)
        return error_set(error, STATUS_UNSUPPORTED,
                         "the model has %u outputs, but QuickRank supports only one. Write "
                         "treebench JSON instead",
                         e->n_outputs);
    for (uint32_t t = 0; t < e->n_trees; t++) {
        for (size_t n = e->tree_node[t]; n < e->tree_node[t + 1]; n++) {
            if (e->nan_left[n])
                return error_set(error, STATUS_UNSUPPORTED,
                                 "tree %u, node %zu: NaN goes left, but QuickRank always sends it "
                                 "right. Write treebench JSON instead",
                                 t, n - e->tree_node[t]);
        }
    }
    return STATUS_OK;
}

/* Writes a double, because QuickRank reads a double and rounds it. */
static void write_number(FILE *stream, const char *element, double value) {
    char text[NUMBER_TEXT_SIZE];
    number_format_double(value, text);
    fprintf(stream, "<%s>%s</%s>\n", element, text, element);
}

static void write_leaf(FILE *stream, const char *attribute, double value) {
    fprintf(stream, "<split%s>\n", attribute);
    write_number(stream, "output", value);
    fputs("</split>\n", stream);
}

/* Recursion is as deep as the tree, at most ENSEMBLE_MAX_DEPTH. */
static void write_split(FILE *stream, const struct ensemble *e, uint32_t t, int32_t child,
                        const char *attribute) {
    if (child < 0) {
        write_leaf(stream, attribute, e->value[e->tree_leaf[t] + (uint32_t)~child]);
        return;
    }
    size_t node = e->tree_node[t] + (uint32_t)child;
    fprintf(stream, "<split%s>\n<feature>%u</feature>\n", attribute, e->feature[node] + 1);
    write_number(stream, "threshold", (double)e->threshold[node]);
    write_split(stream, e, t, e->left[node], " pos=\"left\"");
    write_split(stream, e, t, e->right[node], " pos=\"right\"");
    fputs("</split>\n", stream);
}

static void write_info(FILE *stream, const struct ensemble *e, uint32_t n_trees) {
    uint32_t leaves_max = ensemble_most_leaves(e, 0, e->n_trees);
    fprintf(stream,
            "<info>\n<type>MART</type>\n<trees>%u</trees>\n<leaves>%u</leaves>\n"
            "<shrinkage>1</shrinkage>\n<leafsupport>1</leafsupport>\n"
            "<discretization>0</discretization>\n<estop>0</estop>\n</info>\n",
            n_trees, leaves_max ? leaves_max : 1);
}

/* The base score becomes the first tree, with a single leaf, so that sums stay bit-for-bit
 * equal. */
static enum status quickrank_write(const struct ensemble *e, FILE *stream, struct error *error) {
    enum status status = check_can_write(e, error);
    if (status)
        return status;
    bool has_base = e->base[0] != 0;
    fputs("<ranker>\n", stream);
    write_info(stream, e, e->n_trees + has_base);
    fputs("<ensemble>\n", stream);
    if (has_base) {
        fputs("<tree id=\"1\" weight=\"1\">\n", stream);
        write_leaf(stream, "", e->base[0]);
        fputs("</tree>\n", stream);
    }
    for (uint32_t t = 0; t < e->n_trees; t++) {
        fprintf(stream, "<tree id=\"%u\" weight=\"1\">\n", t + 1 + has_base);
        write_split(stream, e, t, ensemble_tree_nodes(e, t) ? 0 : ~0, "");
        fputs("</tree>\n", stream);
    }
    fputs("</ensemble>\n</ranker>\n", stream);
    return STATUS_OK;
}

const struct model_format model_format_quickrank = {
    .name = "quickrank",
    .title = "QuickRank XML",
    .suffix = ".xml",
    .recognise = quickrank_recognise,
    .read = quickrank_read,
    .write = quickrank_write,
};
