/* Fingerprints of machine code: a hash for each implementation of a build. */
#ifndef HARNESS_REGRESS_FINGERPRINTS_H
#define HARNESS_REGRESS_FINGERPRINTS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum { FINGERPRINTS_MAX = 256, FINGERPRINT_SIZE = 80, FINGERPRINT_NAME_SIZE = 64 };

struct fingerprints {
    struct fingerprint {
        char impl[FINGERPRINT_NAME_SIZE], hash[FINGERPRINT_SIZE];
    } list[FINGERPRINTS_MAX];
    size_t count;
    bool are_known; /* false: the build has none */
};

/* Reads FOLDER/fingerprints.tsv, which scripts/fingerprint.sh wrote: lines of a name, a tab and a
 * hash. A folder without this file is no error. */
enum status fingerprints_read(const char *folder, struct fingerprints *fingerprints,
                              struct error *error);

enum code_change { CODE_SAME, CODE_CHANGED, CODE_NEW, CODE_GONE, CODE_UNKNOWN };

/* CODE_UNKNOWN if one of the builds has no fingerprints. */
enum code_change fingerprints_compare(const struct fingerprints *base,
                                      const struct fingerprints *head, const char *impl);

#endif
