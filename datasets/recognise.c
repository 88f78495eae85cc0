#include "datasets/recognise.h"

#include "base/number.h"
#include "datasets/csv_fields.h"

#include <stdint.h>
#include <string.h>

/* --- SVMlight text ---------------------------------------------------------------------------- */

/* Returns the next word between blanks. The word is empty at the end of the line. */
static struct csv_field next_word(const char *at, const char *end) {
    while (at < end && csv_is_blank(*at))
        at++;
    const char *begin = at;
    while (at < end && !csv_is_blank(*at))
        at++;
    return (struct csv_field){begin, at};
}

static bool is_empty(struct csv_field word) {
    return word.begin == word.end;
}

static bool is_number(struct csv_field word) {
    float number;
    return !is_empty(word) && number_parse_float(word.begin, word.end, &number) == word.end;
}

static bool is_count(struct csv_field word) {
    uint32_t number;
    return !is_empty(word) && number_parse_u32(word.begin, word.end, &number) == word.end;
}

/* Is the word FEATURE:VALUE or qid:N? */
static bool is_feature(struct csv_field word) {
    const char *colon = memchr(word.begin, ':', (size_t)(word.end - word.begin));
    const struct csv_field name = {word.begin, colon};
    return colon && (csv_field_is(name, "qid") || is_count(name));
}

/* What a line could be in SVMlight text. */
enum line_kind {
    LINE_COMMENT,
    LINE_NUMBER, /* a label without features */
    LINE_COUNTS, /* two counts: DOCUMENTS FEATURES */
    LINE_FEATURES,
    LINE_OTHER /* cannot be SVMlight text */
};

static enum line_kind classify(struct csv_field line) {
    const char *comment = memchr(line.begin, '#', (size_t)(line.end - line.begin));
    const char *end = comment ? comment : line.end;
    const struct csv_field first = next_word(line.begin, end), second = next_word(first.end, end);
    if (is_empty(first))
        return LINE_COMMENT;
    if (is_empty(second) && is_number(first))
        return LINE_NUMBER;
    if (is_number(first) && is_feature(second))
        return LINE_FEATURES;
    return is_count(first) && is_count(second) && is_empty(next_word(second.end, end)) ? LINE_COUNTS
                                                                                       : LINE_OTHER;
}

/* --- tables ----------------------------------------------------------------------------------- */

struct fields {
    uint32_t count, n_words;
};

/* Counts the fields of a line, which spaces separate. There are none if quotes do not match. */
static struct fields count_fields(struct csv_field line) {
    struct fields fields = {0};
    struct csv_field field;
    float value;
    csv_begin_line(' ', &line);
    for (const char *at = line.begin; at; fields.count++) {
        if (!csv_next_field(' ', &at, line.end, &field))
            return (struct fields){0};
        fields.n_words += csv_classify(' ', field, &value) == CSV_WORD;
    }
    return fields;
}

/* Is this the first line of a table? Binary files, JSON and XML may contain separators too. `next`
 * is the text after the line. */
static bool begins_table(struct csv_field line, const char *next, const char *end) {
    struct csv_field second;
    const size_t length = (size_t)(line.end - line.begin);
    if (memchr(line.begin, '\0', length) || strchr("<{[", *next_word(line.begin, line.end).begin))
        return false;
    if (csv_find_separator(line) != ' ')
        return true;
    if (memchr(line.begin, ':', length)) /* more likely to be SVMlight text with a mistake */
        return false;
    const struct fields fields = count_fields(line);
    if (fields.n_words == 0 || !csv_next_line(&next, end, &second))
        return fields.n_words < fields.count;
    const struct fields below = count_fields(second);
    return below.count == fields.count && fields.n_words + below.n_words < 2 * fields.count;
}

/* --- text ------------------------------------------------------------------------------------- */

enum text_format text_recognise(const char *text, size_t size) {
    const char *at = text, *end = text + size;
    struct csv_field line;
    size_t n_numbers = 0, n_counts = 0, n_comments = 0;
    while (csv_next_line(&at, end, &line)) {
        const enum line_kind kind = classify(line);
        const bool is_first = n_numbers + n_counts == 0;
        if (kind == LINE_FEATURES)
            return TEXT_SVMLIGHT;
        if (kind == LINE_OTHER || (kind == LINE_COUNTS && !is_first)) /* tables have no comments */
            return n_comments == 0 && (!is_first || begins_table(line, at, end)) ? TEXT_TABLE
                                                                                 : TEXT_UNKNOWN;
        n_numbers += kind == LINE_NUMBER;
        n_counts += kind == LINE_COUNTS;
        n_comments += kind == LINE_COMMENT;
    }
    if (n_numbers > 0)
        return TEXT_NUMBERS;
    return n_counts > 0 ? TEXT_TABLE : TEXT_SVMLIGHT; /* whose reader reports that it is empty */
}
