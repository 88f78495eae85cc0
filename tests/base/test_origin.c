/* Bits, their names, and the notes of earlier versions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/origin.h"

#include <string.h>

static void every_origin_is_read_as_it_was_written(void **state) {
    (void)state;
    char text[ORIGIN_TEXT_SIZE];
    unsigned read;
    for (unsigned origin = 0; origin <= ORIGIN_ALL; origin++) {
        origin_write(origin, text);
        assert_true(origin_read(text, strlen(text), &read));
        assert_int_equal(read, origin);
    }
    assert_true(strlen(text) + 1 < sizeof text);
    origin_write(ORIGIN_STAND_IN | ORIGIN_TRAINED, text);
    assert_string_equal(text, "stand-in trained");
    assert_true(origin_read("real", 4, &read) && read == 0);
    static const char *const wrong[] = {"synth", "stand-in  grown", "real grown", " grown",
                                        "Grown"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(origin_read(wrong[i], strlen(wrong[i]), &read));
}

static void documents_do_not_change_what_trees_are(void **state) {
    (void)state;
    assert_int_equal(origin_join(ORIGIN_SYNTHETIC, ORIGIN_STAND_IN), ORIGIN_SYNTHETIC);
    assert_int_equal(origin_join(ORIGIN_TRAINED | ORIGIN_SAMPLE, ORIGIN_STAND_IN),
                     ORIGIN_TRAINED | ORIGIN_SAMPLE | ORIGIN_STAND_IN);
}

static void notes_of_earlier_versions_become_bits(void **state) {
    (void)state;
    static const struct {
        const char *note;
        unsigned origin;
    } models[] = {
        {"", 0},
        {"trained on a sample of MSLR-WEB30K, Fold1", ORIGIN_TRAINED | ORIGIN_SAMPLE},
        {"trained on a part of fact: 3 of 9 rows", ORIGIN_TRAINED | ORIGIN_PART},
        {"trained on a synthetic stand-in for istella, seed 1", ORIGIN_TRAINED | ORIGIN_STAND_IN},
        {"random trees grown on quantiles, not trained, seed 3", ORIGIN_GROWN},
        {"random trees grown on quantiles, not trained, seed 3; documents: a sample",
         ORIGIN_GROWN | ORIGIN_SAMPLE},
        {"bagging copies of a model of 3 trees, not trained", ORIGIN_COPIED},
        {"bagging copies of a model of 3 trees, not trained; model: trained on a sample of it",
         ORIGIN_COPIED | ORIGIN_SAMPLE},
        /* the documents are copies, and the trees are trained */
        {"trained on a sample; documents: synthetic: 5 of 9 are changed copies, seed 3",
         ORIGIN_TRAINED | ORIGIN_STAND_IN}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (origin_of_model_note(models[i].note) != models[i].origin)
            fail_msg("'%s': %#x instead of %#x", models[i].note,
                     origin_of_model_note(models[i].note), models[i].origin);
    assert_int_equal(origin_of_documents_note(""), 0);
    assert_int_equal(origin_of_documents_note("as published"), ORIGIN_UNKNOWN);
    assert_int_equal(origin_of_documents_note("synthetic: 5 of 9 are changed copies, seed 3"),
                     ORIGIN_STAND_IN);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_origin_is_read_as_it_was_written),
                                       cmocka_unit_test(documents_do_not_change_what_trees_are),
                                       cmocka_unit_test(notes_of_earlier_versions_become_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
