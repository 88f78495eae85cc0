/* Variants with a loop order: how they are read and written, and what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/scorer.h"
#include "impls/variant.h"

#include <stdio.h>
#include <string.h>

static void a_variant_without_an_order_stays_as_it_is(void **state) {
    (void)state;
    struct variant variant;
    assert_int_equal(variant_parse("bwqs,x=1,tau=4", &variant, NULL), STATUS_OK);
    assert_string_equal(variant.spec, "bwqs,x=1,tau=4");
    assert_false(variant.order.is_given);
    assert_int_equal(variant_parse("qs", &variant, NULL), STATUS_OK);
    assert_string_equal(variant.spec, "qs");
}

static void the_order_is_split_off(void **state) {
    (void)state;
    struct variant variant;
    assert_int_equal(variant_parse("vpred,order=DSDS,v=8,s=327,d=373", &variant, NULL), STATUS_OK);
    assert_string_equal(variant.spec, "vpred,v=8");
    assert_true(variant.order.is_given);
    assert_int_equal(variant.order.order, ORDER_DSDS);
    assert_int_equal(variant.order.d, 373);
    assert_int_equal(variant.order.s, 327);
    assert_int_equal(variant_parse("qs,order=SD", &variant, NULL), STATUS_OK);
    assert_string_equal(variant.spec, "qs");
    assert_int_equal(variant.order.order, ORDER_SD);
}

static void assert_refused(const char *text, const char *reason) {
    struct variant variant;
    struct error error = {""};
    assert_int_equal(variant_parse(text, &variant, &error), STATUS_INPUT);
    assert_string_equal(error.text, reason);
}

static void sizes_that_an_order_ignores_or_lacks_are_refused(void **state) {
    (void)state;
    assert_refused("qs,order=DSD,d=5,s=2",
                   "qs,order=DSD,d=5,s=2: order DSD has no blocks of units: leave out s=N");
    assert_refused("qs,order=SDS,d=5,s=2",
                   "qs,order=SDS,d=5,s=2: order SDS has no blocks of documents: leave out d=N");
    assert_refused("qs,order=DS,d=5", "qs,order=DS,d=5: order DS has no blocks of documents: leave "
                                      "out d=N");
    assert_refused("qs,order=SD,s=5", "qs,order=SD,s=5: order SD has no blocks of units: leave out "
                                      "s=N");
    assert_refused("qs,d=5", "qs,d=5: d=N has no effect without an order");
    assert_refused("qs,s=5", "qs,s=5: s=N has no effect without an order");
    assert_refused("qs,order=DSD,d=0",
                   "qs,order=DSD,d=0: d=0: not an integer from 1 to 1099511627776");
    assert_refused(
        "qs,order=dsd,d=5",
        "qs,order=dsd,d=5: order=dsd: must be one of DS, SD, DSD, SDS, DSDS, SDSD, DSSD, "
        "SDDS, or a case such as DSD2S1");
}

static void check_case(const char *name, enum order order, unsigned doc_level,
                       unsigned unit_level) {
    struct order_choice choice;
    char text[64], to[VARIANT_SPEC_SIZE];
    assert_int_equal(order_choice_parse(name, "", &choice, NULL), STATUS_OK);
    assert_true(choice.is_given);
    assert_int_equal(choice.order, order);
    assert_int_equal(choice.doc_level, doc_level);
    assert_int_equal(choice.unit_level, unit_level);
    variant_add_order("qs", &choice, to);
    snprintf(text, sizeof text, "qs,order=%s", name);
    assert_string_equal(to, text);
}

static void range_cases_name_the_levels_of_their_blocks(void **state) {
    (void)state;
    check_case("DSD2", ORDER_DSD, 2, 0);
    check_case("SDS4", ORDER_SDS, 0, 4);
    check_case("DSD3S1", ORDER_DSDS, 3, 1);
    check_case("SDS3D1", ORDER_SDSD, 1, 3);
    static const char *const wrong[] = {"DSD0",   "DSD5",  "DSD22",   "DSD1S2", "DSD2D1", "SDS1D2",
                                        "SDS2S1", "DSD2S", "DSD2S1D", "DS1",    "DSDS1",  ""};
    struct order_choice choice;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(order_choice_parse(wrong[i], "", &choice, NULL), STATUS_INPUT);
    assert_refused("qs,order=DSD2,d=5",
                   "qs,order=DSD2,d=5: a range case such as DSD2 chooses its sizes: leave out d=N");
}

static void assert_added(const char *text, const struct order_choice *choice, const char *result) {
    char to[VARIANT_SPEC_SIZE];
    variant_add_order(text, choice, to);
    assert_string_equal(to, result);
}

static void an_order_is_added_once(void **state) {
    (void)state;
    const struct order_choice dsd = {.is_given = true, .order = ORDER_DSD, .d = 373};
    const struct order_choice sdsd = {.is_given = true, .order = ORDER_SDSD, .d = 2, .s = 3};
    assert_added("struct-plus", &dsd, "struct-plus,d=373,order=DSD");
    assert_added("vpred,v=8", &sdsd, "vpred,d=2,order=SDSD,s=3,v=8");
    assert_added("vpred,order=SD,v=8", &dsd, "vpred,order=SD,v=8");
    assert_added("vpred,v=8", &(const struct order_choice){.is_given = false}, "vpred,v=8");
}

static void a_plan_has_the_sizes_of_its_order(void **state) {
    (void)state;
    const struct impl impl = {.name = "wide"};
    const struct scorer scorer = {.impl = &impl, .lanes = 8};
    struct plan plan = {.threads = 2};
    struct order_choice choice = {.is_given = true, .order = ORDER_DS};
    assert_int_equal(order_plan(&choice, &scorer, &plan, NULL), STATUS_OK);
    assert_int_equal(plan.order, ORDER_DS);
    assert_int_equal(plan.doc_block, 8); /* a step */
    assert_int_equal(plan.unit_block, 0);
    assert_int_equal(plan.threads, 2);
    choice = (struct order_choice){.is_given = true, .order = ORDER_DSDS, .d = 5, .s = 3};
    assert_int_equal(order_plan(&choice, &scorer, &plan, NULL), STATUS_OK);
    assert_int_equal(plan.order, ORDER_DSDS);
    assert_int_equal(plan.doc_block, 5); /* as typed, not a multiple of the lanes */
    assert_int_equal(plan.unit_block, 3);
}

static void libraries_score_whole_calls(void **state) {
    (void)state;
    const struct impl impl = {.name = "a-library"};
    const struct scorer scorer = {.impl = &impl, .n_units = 1, .lanes = 0};
    for (enum order order = ORDER_DS; order < ORDERS; order++) {
        const struct order_choice choice = {.is_given = true, .order = order, .d = 4, .s = 4};
        struct plan plan = {.threads = 1};
        struct error error = {""};
        bool has_it = order == ORDER_SD || order == ORDER_DSD;
        assert_int_equal(order_plan(&choice, &scorer, &plan, &error),
                         has_it ? STATUS_OK : STATUS_UNSUPPORTED);
        if (!has_it)
            assert_non_null(strstr(error.text, "a-library: a library scores whole calls"));
    }
}

static void no_implementation_has_an_option_of_the_order(void **state) {
    (void)state;
    size_t count;
    const struct impl *const *impls = impl_all(&count);
    for (size_t i = 0; i < count; i++)
        for (const struct impl_param *p = impls[i]->params; p && p->name; p++)
            if (strcmp(p->name, "order") == 0 || strcmp(p->name, "d") == 0 ||
                strcmp(p->name, "s") == 0)
                fail_msg("%s has an option %s", impls[i]->name, p->name);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variant_without_an_order_stays_as_it_is),
        cmocka_unit_test(the_order_is_split_off),
        cmocka_unit_test(sizes_that_an_order_ignores_or_lacks_are_refused),
        cmocka_unit_test(range_cases_name_the_levels_of_their_blocks),
        cmocka_unit_test(an_order_is_added_once),
        cmocka_unit_test(a_plan_has_the_sizes_of_its_order),
        cmocka_unit_test(libraries_score_whole_calls),
        cmocka_unit_test(no_implementation_has_an_option_of_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
