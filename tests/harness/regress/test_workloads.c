/* The file that names the workloads of the gate. */
#include "harness/regress/workloads.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static enum status read_text(const char *text, struct regress_workloads *workloads,
                             struct error *error) {
    static const char path[] = "/tmp/treebench-workloads.json";
    char own[64];
    snprintf(own, sizeof own, "%s.%d", path, (int)getpid());
    FILE *file = fopen(own, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
    enum status status = workloads_read(own, workloads, error);
    unlink(own);
    return status;
}

static void paths_are_relative_to_the_file(void **state) {
    (void)state;
    struct regress_workloads read;
    assert_int_equal(
        read_text("{\"workloads\": [{\"name\": \"a\\u001b[2J\", \"model\": \"sub/m.json\", "
                  "\"data\": \"/data/d.txt\", \"block\": 7},"
                  " {\"name\": \"all\", \"model\": \"m\", \"data\": \"d\"}]}",
                  &read, NULL),
        STATUS_OK);
    assert_int_equal(read.count, 2);
    assert_string_equal(read.list[0].name, "a?[2J");
    assert_string_equal(read.list[0].model, "/tmp/sub/m.json");
    assert_string_equal(read.list[0].data, "/data/d.txt");
    assert_int_equal(read.list[0].block, 7);
    assert_int_equal(read.list[1].block, 0);
    workloads_free(&read);
}

static void what_names_no_workloads_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *error;
    } wrong[] = {{"[[\"\"]]", "expected an object"},
                 {"{\"workloads\": [[\"\"]]}", "expected an object"},
                 {"{\"workloads\": []}", "0 workloads. There must be 1 to"},
                 {"{\"workloads\": [{\"name\": \"a\", \"model\": \"m\"}]}", "data: missing"},
                 {"{\"workloads\": [{\"name\": \"a\", \"model\": \"m\", \"data\": \"d\","
                  " \"block\": 0}]}",
                  "block: 0 is out of range"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct regress_workloads read;
        struct error error = {""};
        assert_int_equal(read_text(wrong[i].text, &read, &error), STATUS_INPUT);
        if (!strstr(error.text, wrong[i].error))
            fail_msg("%s", error.text);
        workloads_free(&read);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_relative_to_the_file),
        cmocka_unit_test(what_names_no_workloads_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
