/* The lines of LightGBM's text, and sections of lines KEY=VALUES. */
#include "models/lightgbm/lightgbm_reader.h"

#include "base/number.h"

#include <string.h>

void lightgbm_next_line(struct lightgbm_reader *r) {
    r->line_begin = r->line_end = NULL;
    if (r->at == r->end)
        return;
    r->line++;
    r->line_begin = r->at;
    const char *newline = memchr(r->at, '\n', (size_t)(r->end - r->at));
    r->line_end = newline ? newline : r->end;
    r->at = newline ? newline + 1 : r->end;
    if (r->line_end > r->line_begin && r->line_end[-1] == '\r')
        r->line_end--;
}

bool lightgbm_line_begins(const struct lightgbm_reader *r, const char *words) {
    size_t length = strlen(words);
    return r->line_begin && (size_t)(r->line_end - r->line_begin) >= length &&
           memcmp(r->line_begin, words, length) == 0;
}

bool lightgbm_line_is(const struct lightgbm_reader *r, const char *words) {
    return lightgbm_line_begins(r, words) && (size_t)(r->line_end - r->line_begin) == strlen(words);
}

/* Up to version 2.1, the trees end where the importances of features begin. */
static bool at_end_of_trees(const struct lightgbm_reader *r) {
    return lightgbm_line_is(r, "end of trees") || lightgbm_line_is(r, "feature importances:");
}

int lightgbm_shown(const char *begin, const char *end) {
    enum { MOST = 40 };
    return end - begin > MOST ? MOST : (int)(end - begin);
}

static int find_key(const char *begin, const char *end, const struct lightgbm_key *keys,
                    int n_keys) {
    size_t length = (size_t)(end - begin);
    for (int i = 0; i < n_keys; i++) {
        if (strlen(keys[i].name) == length && memcmp(keys[i].name, begin, length) == 0)
            return i;
    }
    return n_keys;
}

enum status lightgbm_read_section(struct lightgbm_reader *r, const char *what, size_t what_line,
                                  const struct lightgbm_key *keys, int n_keys,
                                  struct lightgbm_field *fields) {
    memset(fields, 0, (size_t)n_keys * sizeof *fields);
    for (; r->line_begin && !lightgbm_line_begins(r, "Tree=") && !at_end_of_trees(r);
         lightgbm_next_line(r)) {
        if (r->line_begin == r->line_end)
            continue;
        const char *equals = memchr(r->line_begin, '=', (size_t)(r->line_end - r->line_begin));
        const char *key_end = equals ? equals : r->line_end;
        int key = find_key(r->line_begin, key_end, keys, n_keys);
        if (key == n_keys || fields[key].line)
            return error_set(r->model.error, STATUS_INPUT, "%s:%zu: %s '%.*s' in %s%s",
                             r->model.name, r->line,
                             key == n_keys ? "unknown key" : "duplicate key",
                             lightgbm_shown(r->line_begin, key_end), r->line_begin, what,
                             r->at == r->end ? ". Is the file truncated?"
                             : key == n_keys ? "; expected the keys of LightGBM v2, v3 or v4"
                                             : "");
        fields[key] = (struct lightgbm_field){equals ? equals + 1 : key_end, r->line_end, r->line};
    }
    for (int i = 0; i < n_keys; i++) {
        if (keys[i].required && !fields[i].line)
            return error_set(r->model.error, STATUS_INPUT, "%s:%zu: %s has no line '%s='%s",
                             r->model.name, what_line, what, keys[i].name,
                             r->line_begin ? "" : ". Is the file truncated?");
    }
    return STATUS_OK;
}

enum status lightgbm_field_u32(const struct lightgbm_reader *r, const char *key,
                               const struct lightgbm_field *field, uint32_t low, uint32_t high,
                               uint32_t *value) {
    if (number_parse_u32(field->begin, field->end, value) != field->end || *value < low ||
        *value > high)
        return error_set(r->model.error, STATUS_INPUT,
                         "%s:%zu: %s is '%.*s', expected an integer from %u to %u", r->model.name,
                         field->line, key, lightgbm_shown(field->begin, field->end), field->begin,
                         low, high);
    return STATUS_OK;
}

const char *lightgbm_skip_spaces(const char *at, const char *end) {
    while (at < end && *at == ' ')
        at++;
    return at;
}
