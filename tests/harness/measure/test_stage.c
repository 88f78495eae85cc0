#include "harness/measure/stage.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static struct matrix *make_documents(void) {
    struct matrix *documents;
    assert_int_equal(matrix_create(50, 20, &documents, NULL), STATUS_OK);
    for (size_t i = 0; i < documents->n_rows * documents->stride; i++)
        documents->values[i] = (float)i;
    return documents;
}

static void the_first_stage_shows_the_documents_themselves(void **state) {
    (void)state;
    struct matrix *documents = make_documents();
    struct stage stage;
    assert_true(stage_open(documents, 3, &stage));
    assert_ptr_equal(stage.documents.values, documents->values);
    assert_true(stage.scores[50 * 3 - 1] == 0);
    stage_close(&stage);
    matrix_free(documents);
}

static void other_stages_have_equal_documents_elsewhere(void **state) {
    (void)state;
    struct matrix *documents = make_documents();
    struct stage stages[16];
    struct random random;
    size_t lines = 0;
    random_seed(&random, 1);
    for (size_t i = 0; i < 16; i++) {
        assert_true(stage_open_elsewhere(documents, 3, &random, &stages[i]));
        const struct matrix *copy = &stages[i].documents;
        assert_ptr_not_equal(copy->values, documents->values);
        assert_int_equal((uintptr_t)copy->values % MEMORY_ALIGNMENT, 0);
        assert_int_equal((uintptr_t)stages[i].scores % MEMORY_ALIGNMENT, 0);
        assert_memory_equal(copy->values, documents->values,
                            copy->n_rows * copy->stride * sizeof(float));
        memset(stages[i].scores, 1, 50 * 3 * sizeof(double)); /* room for all scores */
        lines += (const char *)copy->values != (const char *)stages[i].values_memory;
    }
    assert_true(lines > 8);
    for (size_t i = 0; i < 16; i++)
        stage_close(&stages[i]);
    matrix_free(documents);
}

/* The documents of cold passes stay, their scores do not. */
static void stages_of_cold_passes_have_other_scores(void **state) {
    (void)state;
    struct matrix *documents = make_documents();
    struct stage first, next;
    struct random random;
    random_seed(&random, 1);
    assert_true(stage_open(documents, 3, &first));
    assert_true(stage_open_scores(documents, 3, &random, &next));
    assert_ptr_equal(next.documents.values, documents->values);
    assert_ptr_not_equal(next.scores, first.scores);
    memset(next.scores, 1, 50 * 3 * sizeof(double)); /* room for all scores */
    stage_close(&next);
    stage_close(&first);
    matrix_free(documents);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_stage_shows_the_documents_themselves),
        cmocka_unit_test(other_stages_have_equal_documents_elsewhere),
        cmocka_unit_test(stages_of_cold_passes_have_other_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
