#include "models/formats/split_trees.h"

#include "base/memory.h"
#include "base/number.h"

#include <string.h>

/* The innermost open element. */
enum { LEVEL_OUTSIDE, LEVEL_ENSEMBLE, LEVEL_TREE, LEVEL_SPLIT, LEVEL_NUMBER };

/* The last part of a split that has been read, which decides what may come next. */
enum got { NOTHING, FEATURE, THRESHOLD, LEFT, RIGHT, OUTPUT };

struct split_node {
    uint32_t parent; /* NOBODY for the root */
    uint32_t left, right, feature;
    float threshold;
    enum got got;
    double output;
};
static const uint32_t NOBODY = UINT32_MAX;

bool split_trees_open(const struct split_trees *trees) {
    return trees->level != LEVEL_OUTSIDE;
}

/* --- beginnings ------------------------------------------------------------------------------- */

static enum status wrong_element(const struct xml_reader *xml, const char *element,
                                 const char *expected) {
    return xml_refuse(xml, "found <%.40s>, expected %s", element, expected);
}

static enum status wrong_attribute(const struct xml_reader *xml, const char *element,
                                   const char **attributes, const char *expected) {
    return xml_refuse(xml, "found <%s %.40s=\"%.40s\">, expected %s", element, attributes[0],
                      attributes[1], expected);
}

static enum status begin_tree(struct split_trees *trees, struct xml_reader *xml,
                              const char **attributes) {
    static const char expected[] = "<tree id=\"...\" weight=\"NUMBER\">";
    bool has_weight = false;
    for (; attributes[0]; attributes += 2) {
        const char *value = attributes[1], *end = value + strlen(value);
        if (strcmp(attributes[0], "weight") == 0)
            has_weight = number_parse_float(value, end, &trees->weight) == end;
        else if (strcmp(attributes[0], "id") != 0)
            return wrong_attribute(xml, "tree", attributes, expected);
        if (strcmp(attributes[0], "weight") == 0 && !has_weight)
            return wrong_attribute(xml, "tree", attributes, expected);
    }
    if (!has_weight)
        return xml_refuse(xml, "<tree> has no weight; expected %s", expected);
    trees->n_nodes = 0;
    trees->current = NOBODY;
    return STATUS_OK;
}

static enum status add_node(struct split_trees *trees, struct xml_reader *xml) {
    if (trees->n_nodes >= NOBODY)
        return xml_refuse(xml, "the tree has more than %u nodes", NOBODY);
    if (!memory_grow((void **)&trees->nodes, &trees->capacity, trees->n_nodes,
                     sizeof *trees->nodes))
        return error_memory(xml->error, "the nodes of a tree");
    trees->nodes[trees->n_nodes] = (struct split_node){.parent = trees->current};
    trees->current = (uint32_t)trees->n_nodes++;
    return STATUS_OK;
}

static enum status begin_root(struct split_trees *trees, struct xml_reader *xml,
                              const char *element, const char **attributes) {
    if (strcmp(element, "split") != 0)
        return wrong_element(xml, element, "<split>");
    if (attributes[0])
        return wrong_attribute(xml, element, attributes, "<split>, the root of a tree");
    if (trees->n_nodes > 0)
        return wrong_element(xml, element, "</tree>: a tree has only one root");
    return add_node(trees, xml);
}

static enum status begin_child(struct split_trees *trees, struct xml_reader *xml,
                               const char **attributes) {
    struct split_node *parent = &trees->nodes[trees->current];
    bool left = parent->got == THRESHOLD;
    const char *expected = left ? "<split pos=\"left\">" : "<split pos=\"right\">";
    if (!attributes[0] || attributes[2])
        return wrong_element(xml, "split", expected);
    if (strcmp(attributes[0], "pos") != 0 || strcmp(attributes[1], left ? "left" : "right") != 0)
        return wrong_attribute(xml, "split", attributes, expected);
    *(left ? &parent->left : &parent->right) = (uint32_t)trees->n_nodes;
    parent->got = left ? LEFT : RIGHT;
    return add_node(trees, xml);
}

/* Begins an element inside a split. What is allowed depends on the parts read so far. */
static enum status begin_in_split(struct split_trees *trees, struct xml_reader *xml,
                                  const char *element, const char **attributes) {
    static const struct {
        const char *expected, *first, *second;
    } next[] = {
        [NOTHING] = {"<feature> or <output>", "feature", "output"},
        [FEATURE] = {"<threshold>", "threshold", NULL},
        [THRESHOLD] = {"<split pos=\"left\">", "split", NULL},
        [LEFT] = {"<split pos=\"right\">", "split", NULL},
        [RIGHT] = {"</split> after both children", NULL, NULL},
        [OUTPUT] = {"</split> after the output", NULL, NULL},
    };
    enum got got = trees->nodes[trees->current].got;
    const char *const names[] = {next[got].first, next[got].second};
    for (int i = 0; i < 2; i++) {
        if (!names[i] || strcmp(element, names[i]) != 0)
            continue;
        if (got == THRESHOLD || got == LEFT)
            return begin_child(trees, xml, attributes);
        if (attributes[0])
            return wrong_attribute(xml, element, attributes, next[got].expected);
        xml_expect_text(xml, names[i]);
        trees->nodes[trees->current].got = got == FEATURE ? THRESHOLD : i == 0 ? FEATURE : OUTPUT;
        trees->level = LEVEL_NUMBER;
        return STATUS_OK;
    }
    return wrong_element(xml, element, next[got].expected);
}

enum status split_trees_begin(struct split_trees *trees, struct xml_reader *xml,
                              const char *element, const char **attributes) {
    if (trees->level == LEVEL_OUTSIDE || trees->level == LEVEL_ENSEMBLE) {
        const char *expected = trees->level == LEVEL_OUTSIDE ? "ensemble" : "tree";
        if (strcmp(element, expected) != 0)
            return xml_refuse(xml, "found <%.40s>, expected <%s>", element, expected);
        if (trees->level++ == LEVEL_ENSEMBLE)
            return begin_tree(trees, xml, attributes);
        trees->n_ensembles++;
        return attributes[0] ? wrong_attribute(xml, element, attributes, "<ensemble>") : STATUS_OK;
    }
    if (trees->level == LEVEL_TREE) {
        trees->level = LEVEL_SPLIT;
        return begin_root(trees, xml, element, attributes);
    }
    return begin_in_split(trees, xml, element, attributes);
}

/* --- ends ------------------------------------------------------------------------------------- */

static enum status read_number(struct split_trees *trees, struct xml_reader *xml) {
    struct split_node *node = &trees->nodes[trees->current];
    const char *end = xml->text + xml->text_size, *at = xml_skip_spaces(xml->text, end);
    const char *behind, *expected = "a number";
    if (node->got == FEATURE) {
        behind = number_parse_u32(at, end, &node->feature);
        if (behind && node->feature-- == 0)
            behind = NULL;
        expected = "an integer, at least 1";
    } else if (node->got == THRESHOLD) {
        behind = number_parse_float(at, end, &node->threshold);
        expected = "a number in the range of float32";
    } else if (trees->float_outputs) {
        float output = 0;
        behind = number_parse_float(at, end, &output);
        node->output = (double)output;
        expected = "a number in the range of float32";
    } else {
        behind = number_parse_double(at, end, &node->output);
    }
    if (behind && xml_skip_spaces(behind, end) == end)
        return STATUS_OK;
    return xml_refuse(xml, "<%s>%.*s</%s>: expected %s", xml->text_element,
                      xml->text_size < 40 ? (int)xml->text_size : 40, xml->text, xml->text_element,
                      expected);
}

static enum status end_split(struct split_trees *trees, struct xml_reader *xml) {
    const struct split_node *node = &trees->nodes[trees->current];
    if (node->got != RIGHT && node->got != OUTPUT)
        return xml_refuse(xml, "incomplete <split>: expected an <output>, or a <feature>, a "
                               "<threshold> and two <split>s");
    trees->current = node->parent;
    if (trees->current == NOBODY)
        trees->level = LEVEL_TREE;
    return STATUS_OK;
}

static enum status end_tree(struct split_trees *trees, struct xml_reader *xml) {
    trees->level = LEVEL_ENSEMBLE;
    if (trees->n_nodes == 0)
        return xml_refuse(xml, "<tree> contains no <split>");
    ensemble_builder_add_tree(trees->builder, 0);
    for (size_t i = 0; i < trees->n_nodes; i++) {
        const struct split_node *node = &trees->nodes[i];
        if (node->got == OUTPUT)
            ensemble_builder_add_leaf(trees->builder,
                                      node->output * (double)trees->weight / trees->divisor,
                                      ENSEMBLE_NO_COUNT);
        else
            ensemble_builder_add_inner(
                trees->builder,
                &(struct inner_node){.feature = node->feature,
                                     .threshold = node->threshold,
                                     .left = node->left,
                                     .right = node->right,
                                     .nan_left = trees->nan_is_zero && 0 <= node->threshold,
                                     .count = ENSEMBLE_NO_COUNT});
    }
    return STATUS_OK;
}

enum status split_trees_end(struct split_trees *trees, struct xml_reader *xml) {
    switch (trees->level) {
    case LEVEL_NUMBER:
        trees->level = LEVEL_SPLIT;
        return read_number(trees, xml);
    case LEVEL_SPLIT:
        return end_split(trees, xml);
    case LEVEL_TREE:
        return end_tree(trees, xml);
    default:
        trees->level = LEVEL_OUTSIDE;
        return STATUS_OK;
    }
}
