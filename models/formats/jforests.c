/* Reads jforests XML, the models of asadi2014. A tree is six lists of numbers:
 *
 *     <Ensemble>
 *       <Tree leaves="3" weight="0.5">
 *         <SplitFeatures>4 0</SplitFeatures>                      numbered from 0
 *         <LeftChildren>1 -1</LeftChildren>                       c >= 0: split c; c < 0: leaf ~c
 *         <RightChildren>-3 -2</RightChildren>
 *         <Thresholds>17 3</Thresholds>                           in discretised units: not used
 *         <OriginalThresholds>0.5 -1.25</OriginalThresholds>      left if x <= threshold
 *         <LeafOutputs>1.5 2.5 3.5</LeafOutputs>                  times weight: the leaf values
 *       </Tree>
 *     </Ensemble> */
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/formats/xml_reader.h"
#include "models/reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum list_name {
    SPLIT_FEATURES,
    LEFT_CHILDREN,
    RIGHT_CHILDREN,
    THRESHOLDS,
    ORIGINAL_THRESHOLDS,
    LEAF_OUTPUTS,
    N_LISTS
};
static const char *const list_names[N_LISTS] = {"SplitFeatures",      "LeftChildren",
                                                "RightChildren",      "Thresholds",
                                                "OriginalThresholds", "LeafOutputs"};

enum { LEVEL_DOCUMENT, LEVEL_ENSEMBLE, LEVEL_TREE, LEVEL_LIST }; /* the innermost open element */

struct jforests_reader {
    const char *name;
    struct xml_reader *xml;
    int level;
    enum list_name current;            /* the open list, if `level` is LEVEL_LIST */
    struct memory_list lists[N_LISTS]; /* of doubles */
    size_t lines[N_LISTS]; /* of the lists' elements; 0 if the tree does not have it so far */
    uint32_t n_leaves;
    double weight;
    size_t tree_line;
    struct ensemble_builder *builder;
    struct error *error;
};

/* --- lists of numbers ------------------------------------------------------------------------- */

static enum status refuse_number(const struct jforests_reader *r, const char *word,
                                 const char *end) {
    enum { SHOWN = 40 };
    int size = 0;
    while (size < SHOWN && size < end - word && !xml_is_space(word[size]))
        size++;
    return error_set(r->error, STATUS_INPUT, "%s:%zu: entry %zu of <%s> is not a number: '%.*s'",
                     r->name, r->lines[r->current], r->lists[r->current].count + 1,
                     list_names[r->current], size, word);
}

static enum status parse_list(struct jforests_reader *r) {
    const char *end = r->xml->text + r->xml->text_size;
    const char *at = xml_skip_spaces(r->xml->text, end);
    for (; at < end; at = xml_skip_spaces(at, end)) {
        double number;
        const char *word = at;
        at = number_parse_double(word, end, &number);
        if (!at || (at < end && !xml_is_space(*at)))
            return refuse_number(r, word, end);
        if (!memory_list_add(&r->lists[r->current], &number, sizeof number))
            return error_memory(r->error, "the numbers of a tree");
    }
    return STATUS_OK;
}

/* Gets the i-th number of a list, which must be an integer from `low` to `high`. */
static enum status get_integer(const struct jforests_reader *r, enum list_name which, size_t i,
                               double low, double high, double *integer) {
    *integer = r->lists[which].number[i];
    if (*integer >= low && *integer <= high && *integer == floor(*integer))
        return STATUS_OK;
    return error_set(r->error, STATUS_INPUT,
                     "%s:%zu: number %zu of <%s> is %.10g; expected an integer from %.0f to %.0f",
                     r->name, r->lines[which], i + 1, list_names[which], *integer, low, high);
}

/* --- a tree ----------------------------------------------------------------------------------- */

static enum status check_counts(const struct jforests_reader *r) {
    for (int i = 0; i < N_LISTS; i++) {
        size_t expected = i == LEAF_OUTPUTS ? r->n_leaves : r->n_leaves - 1;
        if (r->lists[i].count != expected)
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: the length of <%s> is %zu, expected %zu for leaves=\"%u\"",
                             r->name, r->lines[i] ? r->lines[i] : r->tree_line, list_names[i],
                             r->lists[i].count, expected, r->n_leaves);
    }
    return STATUS_OK;
}

static enum status build_tree(struct jforests_reader *r) {
    enum status status = check_counts(r);
    if (status)
        return status;
    uint32_t n_splits = r->n_leaves - 1;
    ensemble_builder_add_tree(r->builder, 0);
    for (uint32_t i = 0; i < n_splits; i++) {
        double feature, left, right, lowest = -(double)r->n_leaves, highest = (double)n_splits - 1;
        if ((status = get_integer(r, SPLIT_FEATURES, i, 0, ENSEMBLE_MAX_FEATURES - 1, &feature)) ||
            (status = get_integer(r, LEFT_CHILDREN, i, lowest, highest, &left)) ||
            (status = get_integer(r, RIGHT_CHILDREN, i, lowest, highest, &right)))
            return status;
        double threshold = r->lists[ORIGINAL_THRESHOLDS].number[i];
        ensemble_builder_add_inner(
            r->builder, &(struct inner_node){.feature = (uint32_t)feature,
                                             .threshold = number_round_down(threshold),
                                             .left = reader_child(n_splits, (int32_t)left),
                                             .right = reader_child(n_splits, (int32_t)right),
                                             .count = ENSEMBLE_NO_COUNT});
    }
    for (uint32_t i = 0; i < r->n_leaves; i++)
        ensemble_builder_add_leaf(r->builder, r->lists[LEAF_OUTPUTS].number[i] * r->weight,
                                  ENSEMBLE_NO_COUNT);
    return STATUS_OK;
}

/* --- elements --------------------------------------------------------------------------------- */

static enum status wrong_attribute(const struct jforests_reader *r, const char *element,
                                   const char *attribute, const char *value) {
    return xml_refuse(r->xml,
                      "found <%s %s=\"%.40s\">, expected <Ensemble> or <Tree leaves=\"INTEGER\" "
                      "weight=\"NUMBER\">",
                      element, attribute, value);
}

static enum status begin_tree(struct jforests_reader *r, const char **attributes) {
    bool has_leaves = false, has_weight = false;
    r->tree_line = xml_line(r->xml);
    for (; attributes[0]; attributes += 2) {
        const char *value = attributes[1], *end = value + strlen(value), *behind = NULL;
        if (strcmp(attributes[0], "leaves") == 0) {
            behind = number_parse_u32(value, end, &r->n_leaves);
            has_leaves = behind == end && r->n_leaves > 0 && r->n_leaves <= ENSEMBLE_MAX_NODES;
        } else if (strcmp(attributes[0], "weight") == 0) {
            behind = number_parse_double(value, end, &r->weight);
            has_weight = behind == end;
        }
        if (behind != end || (strcmp(attributes[0], "leaves") == 0 && !has_leaves))
            return wrong_attribute(r, "Tree", attributes[0], value);
    }
    if (!has_leaves || !has_weight)
        return xml_refuse(r->xml, "<Tree> lacks %s",
                          has_leaves ? "weight=\"NUMBER\"" : "leaves=\"INTEGER\"");
    for (int i = 0; i < N_LISTS; i++)
        r->lists[i].count = r->lines[i] = 0;
    return STATUS_OK;
}

static enum status begin_list(struct jforests_reader *r, const char *element) {
    int which = 0;
    while (which < N_LISTS && strcmp(element, list_names[which]) != 0)
        which++;
    if (which == N_LISTS)
        return xml_refuse(r->xml,
                          "found <%.40s> in a <Tree>, expected one of its lists, such as <%s>",
                          element, list_names[0]);
    if (r->lines[which])
        return xml_refuse(r->xml, "duplicate <%s> in a <Tree>", element);
    r->lines[which] = xml_line(r->xml);
    r->current = (enum list_name)which;
    xml_expect_text(r->xml, list_names[which]);
    return STATUS_OK;
}

static enum status on_begin(struct xml_reader *xml, const char *element, const char **attributes) {
    static const char *const expected[] = {"Ensemble", "Tree"};
    struct jforests_reader *r = xml->data;
    int level = r->level++;
    if (level < LEVEL_TREE && strcmp(element, expected[level]) != 0)
        return xml_refuse(xml, "found <%.40s>, expected <%s>", element, expected[level]);
    if (level != LEVEL_ENSEMBLE && attributes[0])
        return wrong_attribute(r, element, attributes[0], attributes[1]);
    if (level == LEVEL_ENSEMBLE)
        return begin_tree(r, attributes);
    return level == LEVEL_TREE ? begin_list(r, element) : STATUS_OK;
}

static enum status on_end(struct xml_reader *xml, const char *element) {
    struct jforests_reader *r = xml->data;
    (void)element;
    int level = r->level--;
    if (level == LEVEL_LIST)
        return parse_list(r);
    return level == LEVEL_TREE ? build_tree(r) : STATUS_OK;
}

/* --- the format ------------------------------------------------------------------------------- */

static enum status jforests_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct jforests_reader r = {.name = name, .builder = ensemble_builder_create(), .error = error};
    struct xml_reader xml = {
        .name = name, .error = error, .data = &r, .begin = on_begin, .end = on_end};
    r.xml = &xml;
    enum status status = xml_read(&xml, text, size);
    for (int i = 0; i < N_LISTS; i++)
        free(r.lists[i].values);
    return reader_finish(name, status, r.builder, &(struct ensemble_shape){0}, ensemble, error);
}

static bool jforests_recognise(const char *text, size_t size) {
    return xml_has_root(text, size, "Ensemble");
}

const struct model_format model_format_jforests = {
    .name = "jforests",
    .title = "jforests XML",
    .recognise = jforests_recognise,
    .read = jforests_read,
};
