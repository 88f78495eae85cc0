/* jforests' XML, the models of asadi2014. A tree is six lists of numbers:
 *
 *     <Ensemble>
 *       <Tree leaves="3" weight="0.5">
 *         <SplitFeatures>4 0</SplitFeatures>                      from 0 on
 *         <LeftChildren>1 -1</LeftChildren>                       c >= 0: split c; c < 0: leaf ~c
 *         <RightChildren>-3 -2</RightChildren>
 *         <Thresholds>17 3</Thresholds>                           in discretised units: not used
 *         <OriginalThresholds>0.5 -1.25</OriginalThresholds>      left where x <= threshold
 *         <LeafOutputs>1.5 2.5 3.5</LeafOutputs>                  times weight: the leaf values
 *       </Tree>
 *     </Ensemble>
 */
#include "base/memory.h"
#include "base/number.h"
#include "models/formats.h"
#include "models/reader.h"

#include <expat.h>
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

struct number_list {
    double *numbers;
    size_t count, capacity;
    size_t line; /* of its element; 0: there was none in this tree */
};

enum { LEVEL_DOCUMENT, LEVEL_ENSEMBLE, LEVEL_TREE, LEVEL_LIST }; /* what we are inside of */

struct jforests_reader {
    const char *name;
    XML_Parser parser;
    int level;
    enum list_name current; /* at LEVEL_LIST */
    struct number_list lists[N_LISTS];
    uint32_t n_leaves;
    double weight;
    size_t tree_line;
    char *text; /* of the current list */
    size_t text_size, text_capacity;
    struct ensemble_builder *builder;
    enum status status; /* of the first failure, which stops the parser */
    struct error *error;
};

static size_t current_line(const struct jforests_reader *r) {
    return (size_t)XML_GetCurrentLineNumber(r->parser);
}

static void stop(struct jforests_reader *r, enum status status) {
    r->status = status;
    XML_StopParser(r->parser, XML_FALSE);
}

/* --- lists of numbers ------------------------------------------------------------------------- */

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_spaces(const char *at, const char *end) {
    while (at < end && is_space(*at))
        at++;
    return at;
}

static enum status parse_list(struct jforests_reader *r, struct number_list *list) {
    const char *end = r->text + r->text_size;
    for (const char *at = skip_spaces(r->text, end); at < end; at = skip_spaces(at, end)) {
        double number;
        at = number_parse_double(at, end, &number);
        if (!at || (at < end && !is_space(*at)))
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: number %zu of <%s> is none, should be numbers with spaces "
                             "between",
                             r->name, list->line, list->count + 1, list_names[r->current]);
        if (!memory_grow((void **)&list->numbers, &list->capacity, list->count, sizeof number))
            return error_memory(r->error, "the numbers of a tree");
        list->numbers[list->count++] = number;
    }
    return STATUS_OK;
}

/* The i-th number of a list, which must be an integer of [low, high]. */
static enum status get_integer(const struct jforests_reader *r, enum list_name which, size_t i,
                               double low, double high, double *integer) {
    *integer = r->lists[which].numbers[i];
    if (*integer >= low && *integer <= high && *integer == floor(*integer))
        return STATUS_OK;
    return error_set(r->error, STATUS_INPUT,
                     "%s:%zu: number %zu of <%s> is %.10g, should be an integer from %.0f to %.0f",
                     r->name, r->lists[which].line, i + 1, list_names[which], *integer, low, high);
}

/* --- a tree ----------------------------------------------------------------------------------- */

static enum status check_counts(const struct jforests_reader *r) {
    for (int i = 0; i < N_LISTS; i++) {
        const struct number_list *list = &r->lists[i];
        size_t expected = i == LEAF_OUTPUTS ? r->n_leaves : r->n_leaves - 1;
        if (list->count != expected)
            return error_set(r->error, STATUS_INPUT,
                             "%s:%zu: <%s> has %zu numbers, should have %zu for %u leaves", r->name,
                             list->line ? list->line : r->tree_line, list_names[i], list->count,
                             expected, r->n_leaves);
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
        double threshold = r->lists[ORIGINAL_THRESHOLDS].numbers[i];
        ensemble_builder_add_inner(
            r->builder, &(struct inner_node){.feature = (uint32_t)feature,
                                             .threshold = number_round_down(threshold),
                                             .left = reader_child(n_splits, (int32_t)left),
                                             .right = reader_child(n_splits, (int32_t)right),
                                             .count = ENSEMBLE_NO_COUNT});
    }
    for (uint32_t i = 0; i < r->n_leaves; i++)
        ensemble_builder_add_leaf(r->builder, r->lists[LEAF_OUTPUTS].numbers[i] * r->weight,
                                  ENSEMBLE_NO_COUNT);
    return STATUS_OK;
}

/* --- elements --------------------------------------------------------------------------------- */

static enum status wrong_attribute(const struct jforests_reader *r, const char *element,
                                   const char *attribute, const char *value) {
    return error_set(r->error, STATUS_INPUT,
                     "%s:%zu: <%s %s=\"%.40s\">, should be <Ensemble> or <Tree leaves=\"INTEGER\" "
                     "weight=\"NUMBER\">",
                     r->name, current_line(r), element, attribute, value);
}

static enum status begin_tree(struct jforests_reader *r, const char **attributes) {
    bool has_leaves = false, has_weight = false;
    r->tree_line = current_line(r);
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
        return error_set(r->error, STATUS_INPUT, "%s:%zu: <Tree> without %s", r->name, r->tree_line,
                         has_leaves ? "weight=\"NUMBER\"" : "leaves=\"INTEGER\"");
    for (int i = 0; i < N_LISTS; i++)
        r->lists[i].count = r->lists[i].line = 0;
    return STATUS_OK;
}

static enum status begin_list(struct jforests_reader *r, const char *element) {
    int which = 0;
    while (which < N_LISTS && strcmp(element, list_names[which]) != 0)
        which++;
    if (which == N_LISTS)
        return error_set(r->error, STATUS_INPUT,
                         "%s:%zu: <%s> in a <Tree>, should be one of its lists, such as <%s>",
                         r->name, current_line(r), element, list_names[0]);
    if (r->lists[which].line)
        return error_set(r->error, STATUS_INPUT, "%s:%zu: a second <%s> in a <Tree>", r->name,
                         current_line(r), element);
    r->lists[which].line = current_line(r);
    r->current = (enum list_name)which;
    r->text_size = 0;
    return STATUS_OK;
}

static void on_start(void *data, const char *element, const char **attributes) {
    struct jforests_reader *r = data;
    static const char *const expected[] = {"Ensemble", "Tree"};
    enum status status = STATUS_OK;
    if (r->status)
        return;
    if (r->level == LEVEL_LIST)
        status = error_set(r->error, STATUS_INPUT, "%s:%zu: <%s> in <%s>, should be numbers",
                           r->name, current_line(r), element, list_names[r->current]);
    else if (r->level < LEVEL_TREE && strcmp(element, expected[r->level]) != 0)
        status = error_set(r->error, STATUS_INPUT, "%s:%zu: <%s>, should be <%s>", r->name,
                           current_line(r), element, expected[r->level]);
    else if (r->level != LEVEL_ENSEMBLE && attributes[0])
        status = wrong_attribute(r, element, attributes[0], attributes[1]);
    else if (r->level == LEVEL_ENSEMBLE)
        status = begin_tree(r, attributes);
    else if (r->level == LEVEL_TREE)
        status = begin_list(r, element);
    r->level++;
    if (status)
        stop(r, status);
}

static void on_end(void *data, const char *element) {
    struct jforests_reader *r = data;
    (void)element;
    if (r->status)
        return;
    enum status status = STATUS_OK;
    if (r->level == LEVEL_LIST)
        status = parse_list(r, &r->lists[r->current]);
    else if (r->level == LEVEL_TREE)
        status = build_tree(r);
    r->level--;
    if (status)
        stop(r, status);
}

static void on_text(void *data, const char *text, int length) {
    struct jforests_reader *r = data;
    size_t size = (size_t)length;
    if (r->status)
        return;
    if (r->level != LEVEL_LIST) {
        if (skip_spaces(text, text + size) < text + size)
            stop(r, error_set(r->error, STATUS_INPUT,
                              "%s:%zu: text between elements, should be within a list", r->name,
                              current_line(r)));
        return;
    }
    while (r->text_capacity - r->text_size < size) {
        if (!memory_grow((void **)&r->text, &r->text_capacity, r->text_capacity, 1)) {
            stop(r, error_memory(r->error, "the text of a model"));
            return;
        }
    }
    memcpy(r->text + r->text_size, text, size);
    r->text_size += size;
}

/* A document type could define entities that expand without bound. */
static void on_doctype(void *data, const char *doctype, const char *system, const char *public,
                       int internal) {
    struct jforests_reader *r = data;
    (void)doctype, (void)system, (void)public, (void)internal;
    stop(r, error_set(r->error, STATUS_INPUT, "%s:%zu: a DOCTYPE, should be none", r->name,
                      current_line(r)));
}

/* --- the format ------------------------------------------------------------------------------- */

enum { CHUNK = 1 << 20 }; /* expat counts in int */

static enum status parse(struct jforests_reader *r, const char *text, size_t size) {
    XML_SetUserData(r->parser, r);
    XML_SetElementHandler(r->parser, on_start, on_end);
    XML_SetCharacterDataHandler(r->parser, on_text);
    XML_SetStartDoctypeDeclHandler(r->parser, on_doctype);
    for (;;) {
        bool last = size <= CHUNK;
        int length = last ? (int)size : CHUNK;
        enum XML_Status outcome = XML_Parse(r->parser, text, length, last);
        if (r->status)
            return r->status;
        if (outcome != XML_STATUS_OK)
            return error_set(r->error, STATUS_INPUT, "%s:%zu: not well-formed XML: %s", r->name,
                             current_line(r), XML_ErrorString(XML_GetErrorCode(r->parser)));
        if (last)
            return STATUS_OK;
        text += length;
        size -= (size_t)length;
    }
}

static enum status jforests_read(const char *name, const char *text, size_t size,
                                 struct ensemble **ensemble, struct error *error) {
    struct jforests_reader r = {.name = name, .error = error};
    r.parser = XML_ParserCreate(NULL);
    r.builder = ensemble_builder_create();
    enum status status =
        r.parser && r.builder ? parse(&r, text, size) : error_memory(error, "a model");
    if (r.parser)
        XML_ParserFree(r.parser);
    for (int i = 0; i < N_LISTS; i++)
        free(r.lists[i].numbers);
    free(r.text);
    if (!status)
        return reader_finish(name, r.builder, &(struct ensemble_shape){0}, ensemble, error);
    ensemble_builder_free(r.builder);
    return status;
}

/* XML whose first element is <Ensemble>. */
static bool jforests_recognise(const char *text, size_t size) {
    static const char root[] = "<Ensemble";
    const char *end = text + size, *at = skip_spaces(text, end);
    while (end - at >= 2 && at[0] == '<' && (at[1] == '?' || at[1] == '!')) {
        at = memchr(at, '>', (size_t)(end - at));
        if (!at)
            return false;
        at = skip_spaces(at + 1, end);
    }
    size_t length = sizeof root - 1;
    return (size_t)(end - at) > length && memcmp(at, root, length) == 0 &&
           (is_space(at[length]) || at[length] == '>' || at[length] == '/');
}

const struct model_format model_format_jforests = {
    .name = "jforests",
    .title = "jforests XML",
    .recognise = jforests_recognise,
    .read = jforests_read,
};
