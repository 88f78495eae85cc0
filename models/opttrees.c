/* OptTrees' text, the format of the program that came with asadi2014:
 *
 *     2                            trees
 *     1                            depth of the first: decisions on its longest path
 *     root 0 FEATURE THRESHOLD
 *     leaf 1 PARENT LEFT VALUE     LEFT is 1 for a left child, 0 for a right one
 *     node 2 PARENT FEATURE LEFT THRESHOLD
 *     ...
 *     end
 *
 * Nodes are numbered from 0 as they come, parents before their children; a document goes left
 * where x[FEATURE] <= THRESHOLD, and features are numbered from 0. The authors' converter writes
 * some leaves as `node` lines with their value in the threshold's place, so that here whatever has
 * no children is a leaf. Thresholds and values are the decimal text of Java doubles. */
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/reader.h"

#include <stdlib.h>
#include <string.h>

struct opttrees_node {
    uint32_t child[2]; /* left, right; 0: none, for the root is nobody's child */
    uint32_t feature, level;
    double number; /* the threshold of an inner node, the value of a leaf */
    size_t line;
    bool leaf_line;
};

struct opttrees_reader {
    const char *name;
    const char *at, *end; /* the text that is not read yet */
    size_t line;
    const char *field, *line_end; /* the current line's text that is not read yet */
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

/* Goes to the next line that is not blank; false at the end of the text. */
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
    return error_set(r->error, STATUS_INPUT, "%s:%zu: should be %s", r->name, r->line, expected);
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

/* Ends a field behind a number; `behind` is NULL when there was none. */
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

/* A line that is one number. */
static enum status read_number_line(struct opttrees_reader *r, const char *expected,
                                    uint32_t *value) {
    if (!next_line(r))
        return error_set(r->error, STATUS_INPUT, "%s:%zu: the file ends before %s", r->name,
                         r->line, expected);
    return read_u32(r, value) && at_line_end(r) ? STATUS_OK : wrong_line(r, expected);
}

/* --- nodes ------------------------------------------------------------------------------------ */

static enum status add_node(struct opttrees_reader *r, uint32_t id, struct opttrees_node node) {
    if (id != r->n_nodes)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: node %u, should be %zu: nodes are numbered as they come", r->name,
                         r->line, id, r->n_nodes);
    if (!memory_grow((void **)&r->nodes, &r->capacity, r->n_nodes, sizeof *r->nodes))
        return error_memory(r->error, "the nodes of a tree");
    node.line = r->line;
    r->nodes[r->n_nodes++] = node;
    return STATUS_OK;
}

static enum status add_child(struct opttrees_reader *r, uint32_t id, uint32_t parent, uint32_t left,
                             struct opttrees_node node) {
    if (parent >= r->n_nodes)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: parent %u, should be one of the %zu nodes before it", r->name,
                         r->line, parent, r->n_nodes);
    if (r->nodes[parent].leaf_line)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: parent %u, should be no leaf (line %zu says it is one)", r->name,
                         r->line, parent, r->nodes[parent].line);
    uint32_t *child = &r->nodes[parent].child[left ? 0 : 1];
    if (*child)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: a second %s child of node %u (the first is in line %zu)", r->name,
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
            return wrong_line(r, "'leaf ID PARENT LEFT VALUE', LEFT 1 or 0");
    } else if (!read_word(r, "node") || !read_u32(r, &id) || !read_u32(r, &parent) ||
               !read_u32(r, &node.feature) || !read_u32(r, &left) || left > 1 ||
               !read_double(r, &node.number) || !at_line_end(r)) {
        return wrong_line(r, "'node ID PARENT FEATURE LEFT THRESHOLD' (LEFT 1 or 0), a 'leaf' line "
                             "or 'end'");
    }
    return add_child(r, id, parent, left, node);
}

/* --- trees ------------------------------------------------------------------------------------ */

/* Hands the finished tree to the builder, under the same numbers. */
static enum status build_tree(struct opttrees_reader *r) {
    ensemble_builder_add_tree(r->builder, 0);
    for (size_t i = 0; i < r->n_nodes; i++) {
        const struct opttrees_node *node = &r->nodes[i];
        if (!node->child[0] != !node->child[1])
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: node %zu has a %s child only, should have two or none",
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
        return error_set(r->error, STATUS_INPUT, "%s:%zu: depth %u, should be %u, the tree's depth",
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
            return error_set(r->error, STATUS_INPUT, "%s:%zu: the file ends before a tree's 'end'",
                             r->name, r->line);
        if (read_word(r, "end"))
            break;
        status = read_child(r);
    }
    if (!status && !at_line_end(r))
        status = wrong_line(r, "'end' alone");
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
                           "%s:%zu: more text behind the last of %u trees, should be the end",
                           r->name, r->line, n_trees);
    return status;
}

static enum status opttrees_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct opttrees_reader r = {.name = name, .at = text, .end = text + size, .error = error};
    r.builder = ensemble_builder_create();
    if (!r.builder)
        return error_memory(error, "a model");
    enum status status = read_trees(&r);
    free(r.nodes);
    if (!status)
        return reader_finish(name, r.builder, &(struct ensemble_shape){0}, ensemble, error);
    ensemble_builder_free(r.builder);
    return status;
}

/* Two lines of one number each, and a root. */
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
