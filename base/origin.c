#include "base/origin.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {"synthetic", "stand-in",  "sample",  "part",   "grown",
                                    "copied",    "resampled", "unknown", "trained"};
enum { N_NAMES = sizeof names / sizeof *names };

unsigned origin_join(unsigned model, unsigned documents) {
    return model & ORIGIN_SYNTHETIC ? ORIGIN_SYNTHETIC : model | documents;
}

void origin_write(unsigned origin, char text[static ORIGIN_TEXT_SIZE]) {
    int used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < N_NAMES; i++)
        if (origin & 1u << i)
            used += snprintf(text + used, ORIGIN_TEXT_SIZE - (size_t)used, "%s%s", used ? " " : "",
                             names[i]);
}

static bool add_bit(const char *word, size_t length, unsigned *origin) {
    for (unsigned i = 0; i < N_NAMES; i++)
        if (strlen(names[i]) == length && memcmp(names[i], word, length) == 0) {
            *origin |= 1u << i;
            return true;
        }
    return false;
}

bool origin_read(const char *text, size_t size, unsigned *origin) {
    const char *at = text, *end = text + size;
    *origin = 0;
    if (size == strlen("real") && memcmp(text, "real", size) == 0)
        return true;
    while (at < end) {
        const char *space = memchr(at, ' ', (size_t)(end - at)), *stop = space ? space : end;
        if (!add_bit(at, (size_t)(stop - at), origin))
            return false;
        at = space ? space + 1 : end;
    }
    return true;
}

/* --- notes of earlier versions ---------------------------------------------------------------- */

static bool begins(const char *note, const char *with) {
    return strncmp(note, with, strlen(with)) == 0;
}

unsigned origin_of_documents_note(const char *note) {
    /* Documents that a note calls synthetic are a stand-in, whatever else it says. */
    static const struct {
        const char *words;
        unsigned bits;
    } known[] = {{"stand-in", ORIGIN_STAND_IN},
                 {"synthetic", ORIGIN_STAND_IN},
                 {"made up", ORIGIN_STAND_IN},
                 {"a sample", ORIGIN_SAMPLE},
                 {"a part of", ORIGIN_PART}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strstr(note, known[i].words))
            return known[i].bits;
    return note[0] ? ORIGIN_UNKNOWN : 0;
}

/* Only the beginning says how trees were made: documents, named behind, may be copies, too. */
unsigned origin_of_model_note(const char *note) {
    unsigned documents = origin_of_documents_note(note) & ~(unsigned)ORIGIN_UNKNOWN;
    if (begins(note, "bagging copies of "))
        return documents | ORIGIN_COPIED;
    if (begins(note, "random trees grown on quantiles, not trained"))
        return documents | ORIGIN_GROWN;
    if (begins(note, "trained on ") || begins(note, "learned from "))
        return documents | ORIGIN_TRAINED;
    return documents;
}
