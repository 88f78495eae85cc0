/* Reads OptTrees text, the format of the program published with asadi2014:
 *
 *     2                            trees
 *     1                            depth of the first: decisions on its longest path
 *     root 0 FEATURE THRESHOLD
 *     leaf 1 PARENT LEFT VALUE     LEFT is 1 for a left child, 0 for a right one
 *     node 2 PARENT FEATURE LEFT THRESHOLD
 *     ...
 *     end
 *
 * Nodes are numbered from 0 in file order, parents before their children. Features are numbered
 * from 0. A document goes left if x[FEATURE] <= THRESHOLD. The authors' converter writes some
 * leaves as `node` lines with the value in place of the threshold, so any node without children is
 * a leaf here. Thresholds and values are the decimal text of Java doubles. */
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/reader.h"

#include <stdlib.h>
#include <string.h>

struct opttrees_node {
    uint32_t child[2]; /* left, right; 0 if there is no child (the root, 0, is never a child) */
    uint32_t feature, level;
    double number; /* the threshold of an inner node or the value of a leaf */
    size_t line;
    bool leaf_line;
};

struct opttrees_reader {
    const char *name;
    const char *at, *end; /* the unread text */
    size_t line;
    const char *field, *line_end; /* the unread part of the current line */
    struct opttrees_node *nodes;  /* of the current tree */
    size_t n_nodes, capacity;
    struct ensemble_builder *builder;
    struct error *error;
};

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* --- lines and their fields ------------------------------------------------------------------- */

static void skip_spaces(struct opttrees_reader *r) {
    while (r->field < r->line_end && is_space(*r->field))
        r->field++;
}

/* Moves to the next line that is not blank. False at the end of the text. */
static bool next_line(struct opttrees_reader *r) {
    while (r->at < r->end) {
        const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
        r->field = r->at;
        r->line_end = newline ? newline : r->end;
        r->at = newline ? newline + 1 : r->end;
        r->line++;
        skip_spaces(r);
        if (r->field < r->line_end)
            return true;
    }
    return false;
}

static enum status wrong_line(const struct opttrees_reader *r, const char *expected) {
    return error_set(r->error, STATUS_INPUT, "%s:%zu: expected %s", r->name, r->line, expected);
}

/* Reads `word` if it is the next field. */
static bool read_word(struct opttrees_reader *r, const char *word) {
    size_t length = strlen(word), left = (size_t)(r->line_end - r->field);
    if (left < length || memcmp(r->field, word, length) != 0 ||
        (left > length && !is_space(r->field[length])))
        return false;
    r->field += length;
    skip_spaces(r);
    return true;
}

/* Ends a field after a number. `behind` is NULL if there was no number. */
static bool end_number(struct opttrees_reader *r, const char *behind) {
    if (!behind || (behind < r->line_end && !is_space(*behind)))
        return false;
    r->field = behind;
    skip_spaces(r);
    return true;
}

static bool read_u32(struct opttrees_reader *r, uint32_t *value) {
    return end_number(r, number_parse_u32(r->field, r->line_end, value));
}

static bool read_double(struct opttrees_reader *r, double *value) {
    return end_number(r, number_parse_double(r->field, r->line_end, value));
}

static bool at_line_end(const struct opttrees_reader *r) {
    return r->field == r->line_end;
}

/* Reads a line that holds a single number. */
static enum status read_number_line(struct opttrees_reader *r, const char *expected,
                                    uint32_t *value) {
    if (!next_line(r))
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: the file ends before %s. Is it truncated?", r->name, r->line,
                         expected);
    return read_u32(r, value) && at_line_end(r) ? STATUS_OK : wrong_line(r, expected);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static enum status add_node(struct opttrees_reader *r, uint32_t id, struct opttrees_node node) {
    if (id != r->n_nodes)
        return error_set(
            r->error, STATUS_INPUT,
            "%s:%zu: node %u found, %zu expected: nodes must be numbered in file order", r->name,
            r->line, id, r->n_nodes);
    node.line = r->line;
    return memory_append((void **)&r->nodes, &r->capacity, &r->n_nodes, &node, 1, sizeof node)
               ? STATUS_OK
               : error_memory(r->error, "the nodes of a tree");
}

static enum status add_child(struct opttrees_reader *r, uint32_t id, uint32_t parent, uint32_t left,
                             struct opttrees_node node) {
    if (parent >= r->n_nodes)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: parent %u is not an earlier node of this tree", r->name, r->line,
                         parent);
    if (r->nodes[parent].leaf_line)
        return error_set(r->error, STATUS_INPUT, "%s:%zu: parent %u is a leaf (line %zu)", r->name,
                         r->line, parent, r->nodes[parent].line);
    uint32_t *child = &r->nodes[parent].child[left ? 0 : 1];
    if (*child)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: second %s child of node %u; the first is in line %zu", r->name,
                         r->line, left ? "left" : "right", parent, r->nodes[*child].line);
    node.level = r->nodes[parent].level + 1;
    enum status status = add_node(r, id, node);
    if (!status)
        r->nodes[parent].child[left ? 0 : 1] = id;
    return status;
}

static enum status read_root(struct opttrees_reader *r) {
    struct opttrees_node node = {0};
    uint32_t id;
    if (!next_line(r) || !read_word(r, "root") || !read_u32(r, &id) ||
        !read_u32(r, &node.feature) || !read_double(r, &node.number) || !at_line_end(r))
        return wrong_line(r, "'root ID FEATURE THRESHOLD'");
    return add_node(r, id, node);
}

static enum status read_child(struct opttrees_reader *r) {
    struct opttrees_node node = {0};
    uint32_t id, parent, left;
    if (read_word(r, "leaf")) {
        node.leaf_line = true;
        if (!read_u32(r, &id) || !read_u32(r, &parent) || !read_u32(r, &left) || left > 1 ||
            !read_double(r, &node.number) || !at_line_end(r))
            return wrong_line(r, "'leaf ID PARENT LEFT VALUE' with LEFT 1 or 0");
    } else if (!read_word(r, "node") || !read_u32(r, &id) || !read_u32(r, &parent) ||
               !read_u32(r, &node.feature) || !read_u32(r, &left) || left > 1 ||
               !read_double(r, &node.number) || !at_line_end(r)) {
        return wrong_line(
            r, "'node ID PARENT FEATURE LEFT THRESHOLD' with LEFT 1 or 0, a 'leaf' line or 'end'");
    }
    return add_child(r, id, parent, left, node);
}

/* --- trees ------------------------------------------------------------------------------------ */

/* Adds the finished tree to the builder. Nodes keep their numbers. */
static enum status build_tree(struct opttrees_reader *r) {
    ensemble_builder_add_tree(r->builder, 0);
    for (size_t i = 0; i < r->n_nodes; i++) {
        const struct opttrees_node *node = &r->nodes[i];
        if (!node->child[0] != !node->child[1])
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: node %zu has only a %s child; expected two children or none",
                             r->name, node->line, i, node->child[0] ? "left" : "right");
        if (node->child[0])
            ensemble_builder_add_inner(
                r->builder, &(struct inner_node){.feature = node->feature,
                                                 .threshold = number_round_down(node->number),
                                                 .left = node->child[0],
                                                 .right = node->child[1],
                                                 .count = ENSEMBLE_NO_COUNT});
        else
            ensemble_builder_add_leaf(r->builder, node->number, ENSEMBLE_NO_COUNT);
    }
    return STATUS_OK;
}

static enum status check_depth(const struct opttrees_reader *r, uint32_t said, size_t said_line) {
    uint32_t depth = 0;
    for (size_t i = 0; i < r->n_nodes; i++) {
        if (r->nodes[i].level > depth)
            depth = r->nodes[i].level;
    }
    if (said != depth)
        return error_set(r->error, STATUS_INPUT, "%s:%zu: depth is %u, but the tree's depth is %u",
                         r->name, said_line, said, depth);
    return STATUS_OK;
}

static enum status read_tree(struct opttrees_reader *r) {
    uint32_t depth;
    r->n_nodes = 0;
    enum status status = read_number_line(r, "the depth of a tree", &depth);
    size_t depth_line = r->line;
    if (!status)
        status = read_root(r);
    while (!status) {
        if (!next_line(r))
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: the file ends before the tree's 'end'. Is it truncated?",
                             r->name, r->line);
        if (read_word(r, "end"))
            break;
        status = read_child(r);
    }
    if (!status && !at_line_end(r))
        status = wrong_line(r, "'end' alone on the line");
    if (!status)
        status = check_depth(r, depth, depth_line);
    return status ? status : build_tree(r);
}

static enum status read_trees(struct opttrees_reader *r) {
    uint32_t n_trees;
    enum status status = read_number_line(r, "the number of trees", &n_trees);
    for (uint32_t t = 0; t < n_trees && !status; t++)
        status = read_tree(r);
    if (!status && next_line(r))
        status = error_set(r->error, STATUS_INPUT,
                           "%s:%zu: unexpected text after the last tree (number of trees: %u)",
                           r->name, r->line, n_trees);
    return status;
}

static enum status opttrees_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct opttrees_reader r = {.name = name,
                                .at = text,
                                .end = text + size,
                                .builder = ensemble_builder_create(),
                                .error = error};
    enum status status = read_trees(&r);
    free(r.nodes);
    return reader_finish(name, status, r.builder, &(struct ensemble_shape){0}, ensemble, error);
}

/* Recognises two lines of one number each, followed by a root. */
static bool opttrees_recognise(const char *text, size_t size) {
    struct opttrees_reader r = {.name = "", .at = text, .end = text + size};
    uint32_t number;
    return !read_number_line(&r, "", &number) && !read_number_line(&r, "", &number) &&
           next_line(&r) && read_word(&r, "root");
}

const struct model_format model_format_opttrees = {
    .name = "opttrees",
    .title = "OptTrees text (asadi2014)",
    .recognise = opttrees_recognise,
    .read = opttrees_read,
};
