/* A line of rows.jsonl is either refused with one line, or a row that is written and read again
 * unchanged, and that has one field for each column of rows.csv. */
#include "base/files/json.h"
#include "harness/rows/row.h"
#include "tests/fuzz/own_folder.h"

static char *written(const struct row *row) {
    cJSON *json = row_to_json(row);
    fuzz_expect(json != NULL);
    char *text = cJSON_PrintUnformatted(json);
    cJSON_Delete(json);
    fuzz_expect(text && !strchr(text, '\n'));
    return text;
}

/* Commas outside of quotes, in the one line that there is. */
static size_t csv_commas(const char *text) {
    size_t commas = 0;
    bool quoted = false;
    for (; *text && (quoted || *text != '\n'); text++) {
        quoted ^= *text == '"';
        commas += !quoted && *text == ',';
    }
    fuzz_expect(strcmp(text, "\n") == 0);
    return commas;
}

static void check_csv(const struct row *row) {
    char *header = NULL, *line = NULL;
    size_t size;
    FILE *stream = open_memstream(&header, &size);
    fuzz_expect(stream != NULL);
    row_csv_write_header(stream);
    fuzz_expect(fclose(stream) == 0);
    stream = open_memstream(&line, &size);
    fuzz_expect(stream != NULL);
    row_csv_write(row, stream);
    fuzz_expect(fclose(stream) == 0);
    fuzz_expect(csv_commas(header) == csv_commas(line));
    free(header);
    free(line);
}

static enum status read_row(const char *text, size_t size, struct row *row) {
    struct error error = {""};
    cJSON *json = NULL;
    enum status status = json_parse("f", text, size, &json, &error);
    if (!status)
        status = row_from_json("f", json, row, &error);
    cJSON_Delete(json);
    if (status)
        fuzz_expect_line(error.text, "f");
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct row row, again;
    if (read_row((const char *)data, size, &row))
        return 0;
    char *first = written(&row);
    fuzz_expect(read_row(first, strlen(first), &again) == STATUS_OK);
    char *second = written(&again);
    fuzz_expect(strcmp(first, second) == 0);
    check_csv(&row);
    free(first);
    free(second);
    row_free(&row);
    row_free(&again);
    return 0;
}
