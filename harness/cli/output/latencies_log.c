/* The histograms, for other programs. */
#include "harness/cli/output/latencies.h"
#include "harness/latency/histogram_log.h"

#include <inttypes.h>

enum { TAG_SIZE = 4 * ROW_NAME_SIZE };

/* Commas separate the columns of a log. */
static void write_tag(const struct latencies_line *line, char tag[static TAG_SIZE]) {
    struct call_size size = line->line.size;
    int n = snprintf(tag, TAG_SIZE, "%s/%s/%" PRIu32, row_variant(&line->row).text,
                     call_documents_words[line->line.documents], size.least);
    if (size.most > size.least)
        snprintf(tag + n, TAG_SIZE - (size_t)n, "-%" PRIu32, size.most);
    for (; *tag; tag++)
        *tag = *tag == ',' ? ':' : *tag;
}

enum status latencies_write_log(const struct latencies *latencies, FILE *stream,
                                struct error *error) {
    struct latencies_line line;
    enum status status = STATUS_OK;
    char tag[TAG_SIZE];
    histogram_log_begin(stream);
    for (size_t i = 0; i < latencies->timing.n_lines && !status; i++) {
        if (!latencies_line(latencies, i, &line) || line.row.status != ROW_OK)
            continue;
        write_tag(&line, tag);
        status = histogram_log_write(line.line.histogram, tag, line.line.seconds, stream, error);
    }
    return status;
}
