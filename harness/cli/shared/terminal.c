#include "harness/cli/shared/terminal.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_colours(FILE *stream) {
    const char *off = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(stream)) && !(off && *off) && terminal && strcmp(terminal, "dumb") != 0;
}

const char *paint(FILE *stream, enum paint colour) {
    static const char *const escapes[] = {[PAINT_OFF] = "\033[0m",
                                          [PAINT_GOOD] = "\033[32m",
                                          [PAINT_BAD] = "\033[31m",
                                          [PAINT_DOUBT] = "\033[33m"};
    return has_colours(stream) ? escapes[colour] : "";
}

void wrap_print(FILE *stream, const char *text, size_t column, size_t width) {
    size_t used = column;
    for (const char *word = text + strspn(text, " "); *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (used > column && used + 1 + length > width) {
            fprintf(stream, "\n%*s", (int)column, "");
            used = column;
        }
        fprintf(stream, "%s%.*s", used > column ? " " : "", (int)length, word);
        used += length + (used > column);
        word += length;
    }
    fprintf(stream, "\n");
}
