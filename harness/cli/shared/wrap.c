#include "harness/cli/shared/wrap.h"

#include <string.h>

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
