#include "datasets/catalogue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdbool.h>
#include <string.h>

static void every_data_set_is_found_by_its_name(void **state) {
    (void)state;
    size_t count;
    const struct data_set *sets = data_sets(&count);
    assert_int_equal(count, 8 + 12 + 1);
    for (size_t i = 0; i < count; i++) {
        const struct data_set *found = NULL;
        assert_int_equal(data_set_find(sets[i].name, &found, NULL), STATUS_OK);
        assert_ptr_equal(found, &sets[i]); /* names are unique */
    }
    const struct data_set *found = NULL;
    struct error error;
    assert_int_equal(data_set_find("mslr", &found, &error), STATUS_INPUT);
    assert_memory_equal(error.text, "unknown data set 'mslr'. Known data sets: mq2007, ", 49);
    assert_non_null(strstr(error.text, ", wine-quality"));
    assert_null(found);
}

static bool is_hex(const char *text, size_t length) {
    return strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

/* scripts/datasets.sh splits lines at blanks and does not check the rest. */
static void entries_are_complete(void **state) {
    (void)state;
    size_t count;
    const struct data_set *sets = data_sets(&count);
    for (size_t i = 0; i < count; i++) {
        const struct data_set *set = &sets[i];
        assert_non_null(set->title);
        assert_non_null(set->used_by);
        assert_non_null(set->label);
        assert_true(strlen(set->terms) > 10);
        assert_memory_equal(set->page, "http", 4);
        assert_true(set->rows > 0 && set->features > 0 && set->classes > 1 && set->folds > 0);
        assert_true(set->queries * 2 < set->rows);
        assert_non_null(set->files[0].name);
        bool any_checksum = false;
        for (size_t f = 0; f < DATA_SET_FILES && set->files[f].name; f++) {
            const struct data_set_file *file = &set->files[f];
            assert_null(strpbrk(file->name, " /"));
            if (file->url)
                assert_null(strchr(file->url, ' '));
            if (!file->checksum)
                continue;
            any_checksum = true;
            assert_true(strncmp(file->checksum, "sha256:", 7) == 0
                            ? is_hex(file->checksum + 7, 64)
                            : strncmp(file->checksum, "md5:", 4) == 0 &&
                                  is_hex(file->checksum + 4, 32));
        }
        assert_true(any_checksum == (set->checksum_source != NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_data_set_is_found_by_its_name),
        cmocka_unit_test(entries_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
