#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/artefacts/shard.h"

#include <string.h>

static void every_item_belongs_to_one_shard(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= 7; count++)
        for (size_t item = 0; item < 20; item++) {
            size_t owners = 0;
            for (uint32_t number = 1; number <= count; number++)
                owners += shard_has(&(struct shard){number, count}, item);
            assert_int_equal(owners, 1);
        }
    assert_true(shard_has(&(struct shard){0, 0}, 5));
    assert_false(shard_has(&(struct shard){1, 2}, 1));
}

static void a_shard_is_read_and_printed(void **state) {
    (void)state;
    struct shard shard;
    char text[SHARD_TEXT_SIZE];
    assert_int_equal(shard_parse("2/3", &shard, NULL), STATUS_OK);
    shard_print(&shard, text);
    assert_string_equal(text, "2/3");
    assert_int_equal(shard_parse("10000/10000", &shard, NULL), STATUS_OK);
}

static void what_is_no_shard_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {"",     "2",    "/3",   "0/3",     "4/3",           "1/0",
                                      "-1/3", "2/3x", "2//3", "1/10001", "99999999999/3", "2 / 3"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct shard shard = {7, 8};
        struct error error = {""};
        assert_int_equal(shard_parse(bad[i], &shard, &error), STATUS_INPUT);
        assert_non_null(strstr(error.text, "is not I/N"));
        assert_int_equal(shard.number, 7);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_belongs_to_one_shard),
        cmocka_unit_test(a_shard_is_read_and_printed),
        cmocka_unit_test(what_is_no_shard_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
