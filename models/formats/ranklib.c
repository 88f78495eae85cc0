/* Reads RankLib text: LambdaMART, MART and random forests.
 *
 *     ## LambdaMART                    comments; the first one names the learner
 *     ## No. of trees = 1000
 *
 *     <ensemble> ... </ensemble>       see split_trees.h
 *
 * A random forest has one <ensemble> per bag ("## No. of bags = 300"). Its score is the mean over
 * all bags, so leaves are divided by the number of bags.
 *
 * In RankLib (Ensemble.java, Split.java, DenseDataPoint.java), every number of a file is a float32.
 * RankLib stores NaN for absent features and treats NaN as 0. RankLib adds up scores in float32,
 * treebench in double. */
#include "base/number.h"
#include "models/format.h"
#include "models/formats/split_trees.h"
#include "models/reader.h"

#include <stdlib.h>
#include <string.h>

static const char *const forests[] = {"LambdaMART", "MART", "Random Forests", NULL};
static const char *const no_forests[] = {
    "AdaRank",           "Coordinate Ascent", "LambdaRank", "ListNet",
    "Linear Regression", "RankBoost",         "RankNet",    NULL};

struct ranklib_header {
    const char *learner; /* one of `forests` or `no_forests` */
    uint32_t n_bags;     /* 0 if not given */
    size_t n_lines;
    const char *end;
};

static bool line_is(const char *line, const char *end, const char *text) {
    size_t length = strlen(text);
    return (size_t)(end - line) >= length && memcmp(line, text, length) == 0 &&
           xml_skip_spaces(line + length, end) == end;
}

static const char *find_line(const char *line, const char *end, const char *const *names) {
    for (; *names; names++) {
        if (line_is(line, end, *names))
            return *names;
    }
    return NULL;
}

/* Reads the comments at the beginning. Returns false if the first comment does not name a known
 * learner. */
static bool read_header(const char *text, size_t size, struct ranklib_header *header) {
    static const char bags[] = "No. of bags =";
    const char *end = text + size;
    *header = (struct ranklib_header){.end = text};
    while (end - header->end >= 2 && memcmp(header->end, "##", 2) == 0) {
        const char *newline = memchr(header->end, '\n', (size_t)(end - header->end));
        const char *line_end = newline ? newline : end;
        const char *line = xml_skip_spaces(header->end + 2, line_end);
        if (header->n_lines++ == 0) {
            header->learner = find_line(line, line_end, forests);
            if (!header->learner)
                header->learner = find_line(line, line_end, no_forests);
        } else if ((size_t)(line_end - line) > sizeof bags &&
                   memcmp(line, bags, sizeof bags - 1) == 0) {
            line = xml_skip_spaces(line + sizeof bags - 1, line_end);
            const char *behind = number_parse_u32(line, line_end, &header->n_bags);
            if (!behind || xml_skip_spaces(behind, line_end) != line_end)
                header->n_bags = 0;
        }
        header->end = newline ? newline + 1 : end;
    }
    return header->learner != NULL;
}

static enum status check_header(const char *name, const struct ranklib_header *header,
                                struct error *error) {
    if (!header->learner)
        return error_set(error, STATUS_INPUT,
                         "%s:1: expected '## LambdaMART', '## MART' or '## Random Forests'", name);
    for (const char *const *other = no_forests; *other; other++) {
        if (header->learner == *other)
            return error_set(error, STATUS_UNSUPPORTED,
                             "%s:1: a model by %s is not an ensemble of trees; expected "
                             "LambdaMART, MART or Random Forests",
                             name, *other);
    }
    if (strcmp(header->learner, "Random Forests") == 0 && header->n_bags == 0)
        return error_set(error, STATUS_INPUT,
                         "%s:1: Random Forests: '## No. of bags = NUMBER' is missing", name);
    return STATUS_OK;
}

static enum status on_begin(struct xml_reader *xml, const char *element, const char **attributes) {
    return split_trees_begin(xml->data, xml, element, attributes);
}

static enum status on_end(struct xml_reader *xml, const char *element) {
    (void)element;
    return split_trees_end(xml->data, xml);
}

static enum status read_trees(const char *name, const struct ranklib_header *header,
                              const char *end, struct split_trees *trees, struct error *error) {
    struct xml_reader xml = {.name = name,
                             .error = error,
                             .data = trees,
                             .begin = on_begin,
                             .end = on_end,
                             .many_roots = true,
                             .lines_cut = header->n_lines};
    uint32_t n_ensembles = strcmp(header->learner, "Random Forests") == 0 ? header->n_bags : 1;
    trees->divisor = n_ensembles;
    enum status status = xml_read(&xml, header->end, (size_t)(end - header->end));
    if (!status && trees->n_ensembles != n_ensembles)
        status = error_set(error, STATUS_INPUT,
                           "%s:1: the number of <ensemble> elements is %zu, expected %u for %s",
                           name, trees->n_ensembles, n_ensembles, header->learner);
    return status;
}

static enum status ranklib_read(const char *name, const char *text, size_t size,
                                struct ensemble **ensemble, struct error *error) {
    struct ranklib_header header;
    read_header(text, size, &header);
    enum status status = check_header(name, &header, error);
    if (status)
        return status;
    struct split_trees trees = {
        .builder = ensemble_builder_create(), .float_outputs = true, .nan_is_zero = true};
    status = read_trees(name, &header, text + size, &trees, error);
    free(trees.nodes);
    return reader_finish(name, status, trees.builder, &(struct ensemble_shape){0}, ensemble, error);
}

static bool ranklib_recognise(const char *text, size_t size) {
    struct ranklib_header header;
    return read_header(text, size, &header);
}

const struct model_format model_format_ranklib = {
    .name = "ranklib",
    .title = "RankLib text",
    .recognise = ranklib_recognise,
    .read = ranklib_read,
};
