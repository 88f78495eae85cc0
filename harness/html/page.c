#include "harness/html/html_parts.h"

#include "export/text.h"

#include <string.h>

/* In the order in which they are read. */
static const char *const styles[] = {"html/report.css", NULL};
static const char *const scripts[] = {"html/dom.js",
                                      "html/files.js",
                                      "html/plot.js",
                                      "html/claims.js",
                                      "html/tables.js",
                                      "html/implementations.js",
                                      "html/artefacts.js",
                                      "html/changes.js",
                                      "html/map.js",
                                      "html/words.js",
                                      "html/scoreboard.js",
                                      "html/page.js",
                                      NULL};

static void write_files(FILE *stream, const char *const *paths) {
    for (; *paths; paths++)
        for (const char *const *line = text_lines(*paths, strlen(*paths)); *line; line++)
            fprintf(stream, "%s\n", *line);
}

static void write_style(const struct text_place *place) {
    write_files(place->stream, styles);
}

static void write_script(const struct text_place *place) {
    write_files(place->stream, scripts);
}

/* In JSON, "<" stands only within strings, so it can be escaped. Without it, no text can end the
 * element that contains the facts. */
static void write_facts(const struct text_place *place) {
    FILE *stream = place->stream;
    for (const char *text = place->context; *text;) {
        size_t plain = strcspn(text, "<");
        fwrite(text, 1, plain, stream);
        text += plain;
        if (*text) {
            fputs("\\u003c", stream);
            text++;
        }
    }
    fputc('\n', stream);
}

void html_page_write(FILE *stream, const char *facts) {
    static const struct text_value values[] = {{NULL, NULL}};
    static const struct text_part parts[] = {{"style", write_style, 0},
                                             {"facts", write_facts, 0},
                                             {"script", write_script, 0},
                                             {NULL, NULL, 0}};
    text_write(stream, "html/report.html", values, (const struct text_part *const[]){parts, NULL},
               facts);
}
