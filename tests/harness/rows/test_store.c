#include "harness/rows/store.h"

#include "base/files/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every test has its own folder, which is removed afterwards. */
struct fixture {
    char folder[64], rows[80], manifest_path[80], csv[80];
    cJSON *manifest;
    struct store *store;
    struct error error;
};

static int set_up(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    /* Thousands of synced files are slow on a disk. */
    const char *fast = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(f->folder, sizeof f->folder, "%s/test-store-XXXXXX", fast);
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->rows, sizeof f->rows, "%s/rows.jsonl", f->folder);
    snprintf(f->manifest_path, sizeof f->manifest_path, "%s/manifest.json", f->folder);
    snprintf(f->csv, sizeof f->csv, "%s/rows.csv", f->folder);
    f->manifest = cJSON_Parse("{\"started\": \"first\", \"cpu\": {\"model\": \"A CPU\"},"
                              " \"build\": {\"commit\": \"abc\", \"dirty\": false,"
                              " \"compiler\": \"gcc\", \"flags\": \"-O2\"},"
                              " \"scale\": \"quick\", \"clock\": \"cpu\","
                              " \"configs\": {\"fig\": \"0123\"}}");
    assert_non_null(f->manifest);
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    struct fixture *f = *state;
    store_close(f->store);
    cJSON_Delete(f->manifest);
    unlink(f->rows);
    unlink(f->manifest_path);
    unlink(f->csv);
    assert_int_equal(rmdir(f->folder), 0); /* nothing else was left there */
    free(f);
    return 0;
}

static void open_store(struct fixture *f, bool resume) {
    if (store_open(f->folder, resume, f->manifest, NULL, &f->store, &f->error) != STATUS_OK)
        fail_msg("%s", f->error.text);
}

static void close_store(struct fixture *f) {
    store_close(f->store);
    f->store = NULL;
}

static void assert_open_refused(struct fixture *f, bool resume, const char *complaint) {
    struct store *second = NULL;
    assert_int_not_equal(store_open(f->folder, resume, f->manifest, NULL, &second, &f->error),
                         STATUS_OK);
    assert_null(second);
    if (strncmp(f->error.text, f->folder, strlen(f->folder)) != 0 ||
        strstr(f->error.text, complaint) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", f->error.text, complaint);
}

/* The cell number n has n rows. */
enum { CELLS = 3, ALL_ROWS = 1 + 2 + 3 };

static void name_cell(char *cell, uint32_t n) {
    snprintf(cell, ROW_NAME_SIZE, "%016x", n);
}

static void make_cell(struct row *rows, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        row_init(&rows[i]);
        name_cell(rows[i].cell, n);
        rows[i].cell_rows = n;
        rows[i].workload.seed = UINT64_MAX - i;
        rows[i].median = 0.1 * n + i;
    }
}

static void append_cell(struct fixture *f, uint32_t n) {
    struct row rows[CELLS];
    make_cell(rows, n);
    if (store_append_cell(f->store, rows, n, &f->error) != STATUS_OK)
        fail_msg("%s", f->error.text);
}

static bool has_cell(const struct fixture *f, uint32_t n) {
    char cell[ROW_NAME_SIZE];
    name_cell(cell, n);
    return store_has_cell(f->store, cell);
}

static off_t size_of(const char *path) {
    struct stat stats;
    assert_int_equal(stat(path, &stats), 0);
    return stats.st_size;
}

static void write_text(const char *path, const char *text, size_t size) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static struct file_text read_text(const char *path) {
    struct file_text text;
    assert_int_equal(file_read(path, &text, NULL), STATUS_OK);
    return text;
}

/* Fills rows.jsonl with all cells, closes it, and returns where each cell ends. */
static void fill(struct fixture *f, off_t ends[CELLS + 1]) {
    open_store(f, false);
    ends[0] = 0;
    for (uint32_t n = 1; n <= CELLS; n++) {
        append_cell(f, n);
        ends[n] = size_of(f->rows);
    }
    close_store(f);
}

static void test_what_is_appended_is_loaded(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    struct rows rows;
    fill(f, ends);
    assert_int_equal(store_load(f->folder, &rows, &f->error), STATUS_OK);
    assert_int_equal(rows.count, ALL_ROWS);
    for (size_t i = 0, n = 1; n <= CELLS; n++) {
        struct row expected[CELLS];
        make_cell(expected, (uint32_t)n);
        for (size_t j = 0; j < n; j++, i++) {
            assert_string_equal(rows.list[i].cell, expected[j].cell);
            assert_true(rows.list[i].workload.seed == expected[j].workload.seed);
            assert_true(rows.list[i].median == expected[j].median);
        }
    }
    assert_true(cJSON_Compare(rows.manifest, f->manifest, true));
    rows_free(&rows);
}

static void assert_loads(struct fixture *f, size_t n_rows) {
    struct rows rows;
    if (store_load(f->folder, &rows, &f->error) != STATUS_OK)
        fail_msg("%s", f->error.text);
    assert_int_equal(rows.count, n_rows);
    rows_free(&rows);
}

static void test_resume_keeps_whole_cells_of_a_file_cut_anywhere(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    struct file_text all = read_text(f->rows);
    uint32_t whole = 0;
    for (off_t cut = 0; cut <= ends[CELLS]; cut++) {
        if (whole < CELLS && cut == ends[whole + 1])
            whole++;
        write_text(f->rows, all.data, (size_t)cut);
        assert_loads(f, whole * (whole + 1) / 2);
        open_store(f, true);
        for (uint32_t n = 1; n <= CELLS; n++)
            assert_int_equal(has_cell(f, n), n <= whole);
        assert_int_equal(size_of(f->rows), ends[whole]);
        close_store(f);
    }
    assert_int_equal(whole, CELLS);
    file_text_free(&all);
}

static void test_a_resumed_run_ends_with_the_same_file(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    struct file_text all = read_text(f->rows);
    assert_int_equal(truncate(f->rows, ends[2] - 1), 0);
    open_store(f, true);
    for (uint32_t n = 1; n <= CELLS; n++)
        if (!has_cell(f, n))
            append_cell(f, n);
    assert_true(has_cell(f, 2) && has_cell(f, 3));
    struct file_text again = read_text(f->rows);
    assert_int_equal(again.size, all.size);
    assert_memory_equal(again.data, all.data, all.size);
    file_text_free(&again);
    file_text_free(&all);
}

static void test_a_second_run_is_kept_out(void **state) {
    struct fixture *f = *state;
    open_store(f, false);
    assert_open_refused(f, true, "another run is writing here");
    append_cell(f, 1); /* the first is not disturbed */
    close_store(f);
    open_store(f, true);
    assert_true(has_cell(f, 1));
}

static void test_rows_are_not_overwritten_without_resume(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    assert_open_refused(f, false, "--resume");
    assert_int_equal(size_of(f->rows), ends[CELLS]);
}

static void set_member(cJSON *manifest, const char *group, const char *key, const char *json) {
    cJSON *object = group != NULL ? cJSON_GetObjectItemCaseSensitive(manifest, group) : manifest;
    assert_true(cJSON_ReplaceItemInObjectCaseSensitive(object, key, cJSON_Parse(json)));
}

static void assert_identity(struct fixture *f, const char *group, const char *key,
                            const char *json) {
    char complaint[64];
    cJSON *old = f->manifest;
    f->manifest = cJSON_Duplicate(old, true);
    assert_non_null(f->manifest);
    set_member(f->manifest, group, key, json);
    snprintf(complaint, sizeof complaint, "manifest.json: %s%s%s was ", group != NULL ? group : "",
             group != NULL ? "." : "", key);
    assert_open_refused(f, true, complaint);
    assert_non_null(strstr(f->error.text, json));
    cJSON_Delete(f->manifest);
    f->manifest = old;
}

static void test_rows_of_two_programs_or_machines_are_not_mixed(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    assert_identity(f, "cpu", "model", "\"Another CPU\"");
    assert_identity(f, "build", "commit", "\"def\"");
    assert_identity(f, "build", "dirty", "true");
    assert_identity(f, "build", "compiler", "\"clang\"");
    assert_identity(f, "build", "flags", "\"-O3\"");
    assert_identity(f, NULL, "scale", "\"smoke\"");
    assert_identity(f, NULL, "clock", "\"wall\"");
    assert_identity(f, NULL, "configs", "{\"fig\":\"4567\"}");
    assert_int_equal(size_of(f->rows), ends[CELLS]);
}

static void test_resume_keeps_the_first_manifest(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    cJSON *started = cJSON_GetObjectItemCaseSensitive(f->manifest, "started");
    assert_non_null(cJSON_SetValuestring(started, "later"));
    open_store(f, true);
    struct rows rows;
    assert_int_equal(store_load(f->folder, &rows, &f->error), STATUS_OK);
    started = cJSON_GetObjectItemCaseSensitive(rows.manifest, "started");
    assert_string_equal(started->valuestring, "first");
    rows_free(&rows);
}

static void test_only_whole_new_cells_are_appended(void **state) {
    struct fixture *f = *state;
    struct row rows[CELLS];
    open_store(f, false);
    append_cell(f, 2);
    off_t size = size_of(f->rows);
    make_cell(rows, 3);
    assert_int_equal(store_append_cell(f->store, rows, 2, &f->error), STATUS_INPUT);
    name_cell(rows[1].cell, 1);
    assert_int_equal(store_append_cell(f->store, rows, 3, &f->error), STATUS_INPUT);
    make_cell(rows, 2);
    assert_int_equal(store_append_cell(f->store, rows, 2, &f->error), STATUS_INPUT);
    assert_int_equal(store_append_cell(f->store, rows, 0, &f->error), STATUS_INPUT);
    assert_int_equal(size_of(f->rows), size);
}

/* A limit on file sizes simulates a full disk: the write of the cell stops half way. */
static void test_nothing_stays_of_a_cell_for_which_there_was_no_room(void **state) {
    struct fixture *f = *state;
    struct row rows[CELLS];
    struct rlimit before;
    open_store(f, false);
    append_cell(f, 1);
    off_t size = size_of(f->rows);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit narrow = {(rlim_t)(size + size / 2), before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
    make_cell(rows, 2);
    enum status status = store_append_cell(f->store, rows, 2, &f->error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, STATUS_IO);
    assert_non_null(strstr(f->error.text, "rows.jsonl: cannot append a cell: "));
    assert_int_equal(size_of(f->rows), size);
    assert_false(has_cell(f, 2));
    append_cell(f, 2); /* there is room again */
    assert_loads(f, 1 + 2);
}

static void assert_load_refused(struct fixture *f, const char *complaint) {
    struct rows rows;
    assert_int_equal(store_load(f->folder, &rows, &f->error), STATUS_INPUT);
    if (strstr(f->error.text, complaint) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", f->error.text, complaint);
    assert_null(rows.list);
}

/* Cell 2 is measured again, so it is behind the others then. */
static void assert_repaired(struct fixture *f, const struct file_text *all, const off_t *ends) {
    size_t first = (size_t)ends[1], second = (size_t)(ends[2] - ends[1]), both = (size_t)ends[2];
    open_store(f, true);
    assert_true(has_cell(f, 1) && !has_cell(f, 2) && has_cell(f, 3));
    assert_open_refused(f, true, "another run is writing here");
    append_cell(f, 2);
    close_store(f);
    struct file_text text = read_text(f->rows);
    assert_int_equal(text.size, all->size);
    assert_memory_equal(text.data, all->data, first);
    assert_memory_equal(text.data + first, all->data + both, all->size - both);
    assert_memory_equal(text.data + all->size - second, all->data + first, second);
    file_text_free(&text);
    assert_loads(f, ALL_ROWS);
}

static void test_damage_before_the_end_is_told_with_its_line_and_repaired(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    fill(f, ends);
    struct file_text all = read_text(f->rows);
    char *damaged = malloc(all.size + (size_t)ends[1]);
    assert_non_null(damaged);

    memcpy(damaged, all.data, all.size);
    damaged[ends[1]] = '?';
    write_text(f->rows, damaged, all.size);
    assert_load_refused(f, "rows.jsonl:2");
    assert_identity(f, NULL, "scale", "\"smoke\"");
    assert_load_refused(f, "rows.jsonl:2"); /* still as it was */
    assert_repaired(f, &all, ends);

    char *second_line = (char *)memchr(all.data + ends[1], '\n', all.size) + 1;
    size_t first_two = (size_t)(second_line - all.data); /* cell 2 lacks its second row */
    memcpy(damaged + first_two, all.data + ends[2], all.size - (size_t)ends[2]);
    memcpy(damaged, all.data, first_two);
    write_text(f->rows, damaged, first_two + all.size - (size_t)ends[2]);
    assert_load_refused(f, "rows.jsonl:3: cell 0000000000000003 begins before all 2 rows");
    assert_repaired(f, &all, ends);

    memcpy(damaged, all.data, all.size);
    memcpy(damaged + all.size, all.data, (size_t)ends[1]);
    write_text(f->rows, damaged, all.size + (size_t)ends[1]);
    assert_load_refused(f, "rows.jsonl:7: cell 0000000000000001 appears twice in the file");
    assert_open_refused(f, true, "appears twice in the file");

    static const char foreign[] = "{\"schema\": 0}\n"; /* not ours to drop */
    memcpy(damaged + all.size, foreign, sizeof foreign - 1);
    write_text(f->rows, damaged, all.size + sizeof foreign - 1);
    assert_load_refused(f, "rows.jsonl:7");
    assert_open_refused(f, true, "rows.jsonl:7");

    char *rows_of_two = strstr(strcpy(damaged, all.data), "\"cell_rows\":2");
    rows_of_two[strlen("\"cell_rows\":")] = '3';
    write_text(f->rows, damaged, all.size);
    assert_load_refused(f, "rows.jsonl:3: cell_rows is 2, but was 3 earlier in this cell");
    assert_open_refused(f, true, "cell_rows is 2, but was 3 earlier in this cell");

    free(damaged);
    file_text_free(&all);
}

static void test_csv_has_a_header_and_a_line_for_each_row(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    struct rows rows;
    fill(f, ends);
    assert_int_equal(store_load(f->folder, &rows, &f->error), STATUS_OK);
    assert_int_equal(store_write_csv(f->folder, &rows, &f->error), STATUS_OK);
    rows_free(&rows);
    struct file_text text = read_text(f->csv);
    size_t lines = 0;
    for (size_t i = 0; i < text.size; i++)
        lines += text.data[i] == '\n';
    assert_int_equal(lines, 1 + ALL_ROWS);
    assert_non_null(strstr(text.data, "\n7,0000000000000001,1,"));
    file_text_free(&text);
}

/* Replaces the rows by a packed file. */
static void pack(struct fixture *f, const char *packed) {
    struct file_writer writer;
    struct file_text text = read_text(f->rows);
    assert_int_equal(file_write_begin(&writer, packed, &f->error), STATUS_OK);
    fwrite(text.data, 1, text.size, writer.stream);
    assert_int_equal(file_write_commit(&writer, &f->error), STATUS_OK);
    file_text_free(&text);
    assert_int_equal(remove(f->rows), 0);
}

static void test_packed_rows_are_loaded_and_nothing_is_added(void **state) {
    struct fixture *f = *state;
    off_t ends[CELLS + 1];
    char packed[sizeof f->rows + sizeof ".gz"];
    snprintf(packed, sizeof packed, "%s.gz", f->rows);
    fill(f, ends);
    pack(f, packed);
    assert_loads(f, ALL_ROWS);
    assert_open_refused(f, true, "rows.jsonl.gz: this run is packed");
    assert_open_refused(f, false, "rows.jsonl.gz: this run is packed");
    assert_int_not_equal(access(f->rows, F_OK), 0);
    assert_loads(f, ALL_ROWS);
    assert_int_equal(remove(packed), 0);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_what_is_appended_is_loaded),
        TEST(test_resume_keeps_whole_cells_of_a_file_cut_anywhere),
        TEST(test_a_resumed_run_ends_with_the_same_file),
        TEST(test_a_second_run_is_kept_out),
        TEST(test_rows_are_not_overwritten_without_resume),
        TEST(test_rows_of_two_programs_or_machines_are_not_mixed),
        TEST(test_resume_keeps_the_first_manifest),
        TEST(test_only_whole_new_cells_are_appended),
        TEST(test_nothing_stays_of_a_cell_for_which_there_was_no_room),
        TEST(test_damage_before_the_end_is_told_with_its_line_and_repaired),
        TEST(test_csv_has_a_header_and_a_line_for_each_row),
        TEST(test_packed_rows_are_loaded_and_nothing_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
