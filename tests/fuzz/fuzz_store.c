/* A rows.jsonl is either refused with one line, or its complete cells are read: as many as from the
 * part of the file that they take up, and after any cut of the file no more than before. */
#include "harness/rows/store_scan.h"
#include "tests/fuzz/own_folder.h"

static enum status scan_by(bool repairs, const char *bytes, size_t size, struct scan *scan) {
    struct error error = {""};
    struct file_text text = {.data = malloc(size + 1), .size = size};
    fuzz_expect(text.data != NULL);
    memcpy(text.data, bytes, size);
    text.data[size] = '\0';
    enum status status = scan_rows("f", &text, repairs, scan, &error);
    free(text.data);
    if (status)
        fuzz_expect_line(error.text, "f");
    else
        fuzz_expect(scan->bytes <= size);
    return status;
}

static enum status scan(const char *bytes, size_t size, struct scan *scan) {
    return scan_by(false, bytes, size, scan);
}

static void check_cells(const struct scan *scan) {
    for (size_t i = 0; i < scan->count; i += scan->rows[i].cell_rows) {
        const struct row *first = &scan->rows[i];
        fuzz_expect(cell_set_has(&scan->cells, first->cell));
        fuzz_expect(first->cell_rows >= 1 && first->cell_rows <= scan->count - i);
        for (size_t k = 1; k < first->cell_rows; k++)
            fuzz_expect(strcmp(first[k].cell, first->cell) == 0);
    }
}

/* Repairing never finds less than reading, and the same where nothing was to be repaired. */
static void check_repair(const char *bytes, size_t size, const struct scan *whole) {
    struct scan repaired;
    if (scan_by(true, bytes, size, &repaired))
        return;
    check_cells(&repaired);
    fuzz_expect(!whole || (repaired.count == whole->count && repaired.bytes == whole->bytes));
    scan_free(&repaired);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct scan whole, part;
    if (scan((const char *)data, size, &whole)) {
        check_repair((const char *)data, size, NULL);
        return 0;
    }
    check_repair((const char *)data, size, &whole);
    check_cells(&whole);
    fuzz_expect(scan((const char *)data, whole.bytes, &part) == STATUS_OK);
    fuzz_expect(part.count == whole.count && part.bytes == whole.bytes);
    scan_free(&part);
    size_t cut = size ? data[size / 2] * size / 256 : 0;
    fuzz_expect(scan((const char *)data, cut, &part) == STATUS_OK);
    fuzz_expect(part.count <= whole.count && part.bytes <= whole.bytes);
    scan_free(&part);
    scan_free(&whole);
    return 0;
}
