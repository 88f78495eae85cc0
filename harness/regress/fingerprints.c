#include "harness/regress/fingerprints.h"

#include "base/files/file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status add_line(const char *path, size_t number, const char *line,
                            struct fingerprints *to, struct error *error) {
    const char *tab = strchr(line, '\t');
    size_t name = tab ? (size_t)(tab - line) : 0;
    if (!tab || name == 0 || name >= FINGERPRINT_NAME_SIZE || tab[1] == '\0' ||
        strlen(tab + 1) >= FINGERPRINT_SIZE || to->count == FINGERPRINTS_MAX)
        return error_set(error, STATUS_INPUT,
                         "%s:%zu: expected a name, a tab and a hash. Write the file again with "
                         "scripts/fingerprint.sh",
                         path, number);
    struct fingerprint *fingerprint = &to->list[to->count++];
    snprintf(fingerprint->impl, sizeof fingerprint->impl, "%.*s", (int)name, line);
    snprintf(fingerprint->hash, sizeof fingerprint->hash, "%s", tab + 1);
    return STATUS_OK;
}

static enum status add_lines(const char *path, char *text, struct fingerprints *to,
                             struct error *error) {
    size_t number = 0;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n")) {
        number++;
        enum status status = *line ? add_line(path, number, line, to, error) : STATUS_OK;
        if (status)
            return status;
    }
    return STATUS_OK;
}

enum status fingerprints_read(const char *folder, struct fingerprints *fingerprints,
                              struct error *error) {
    char path[1024];
    struct file_text text;
    fingerprints->count = 0;
    fingerprints->are_known = false;
    snprintf(path, sizeof path, "%s/fingerprints.tsv", folder);
    if (access(path, F_OK) != 0)
        return STATUS_OK;
    enum status status = file_read_kept(path, &text, error);
    if (status)
        return status;
    status = add_lines(path, text.data, fingerprints, error);
    fingerprints->are_known = !status;
    file_text_free(&text);
    return status;
}

static const char *hash_of(const struct fingerprints *fingerprints, const char *impl) {
    for (size_t i = 0; i < fingerprints->count; i++)
        if (strcmp(fingerprints->list[i].impl, impl) == 0)
            return fingerprints->list[i].hash;
    return NULL;
}

enum code_change fingerprints_compare(const struct fingerprints *base,
                                      const struct fingerprints *head, const char *impl) {
    if (!base->are_known || !head->are_known)
        return CODE_UNKNOWN;
    const char *before = hash_of(base, impl), *after = hash_of(head, impl);
    if (!before || !after)
        return after ? CODE_NEW : before ? CODE_GONE : CODE_UNKNOWN;
    return strcmp(before, after) == 0 ? CODE_SAME : CODE_CHANGED;
}
