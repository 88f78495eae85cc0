/* The machine code of single instructions, as the GNU assembler 2.40 has it: no processor with
 * AVX-512 is needed to see that. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "impls/planes/planes_jit_instructions.h"

#include <stdio.h>
#include <string.h>

static uint8_t code[64];

static struct planes_jit_writer begin(bool is_evex, unsigned plane_bytes) {
    memset(code, 0, sizeof code);
    return (struct planes_jit_writer){code, is_evex, plane_bytes};
}

static void expect(const struct planes_jit_writer *writer, const char *hex) {
    char found[2 * sizeof code + 1] = "";
    for (const uint8_t *byte = code; byte < writer->end; byte++)
        snprintf(found + 2 * (byte - code), 3, "%02x", *byte);
    assert_string_equal(found, hex);
}

enum { EVEX = true, VEX = false };

static void registers_are_named_with_all_their_bits(void **state) {
    (void)state;
    static const struct {
        bool is_evex;
        enum planes_jit_opcode opcode;
        unsigned to, from, last;
        const char *hex;
    } cases[] = {
        {EVEX, JIT_XOR, 1, 2, 3, "62f1ed48efcb"},  {EVEX, JIT_AND, 9, 18, 30, "6211ed40dbce"},
        {EVEX, JIT_OR, 31, 15, 8, "62418548ebf8"}, {EVEX, JIT_LOAD, 4, 0, 20, "62b1fd486fe4"},
        {VEX, JIT_XOR, 1, 2, 3, "c5edefcb"},       {VEX, JIT_AND, 9, 12, 7, "c51ddbcf"},
        {VEX, JIT_OR, 6, 1, 13, "c4c175ebf5"},     {VEX, JIT_LOAD, 15, 0, 8, "c4417d6ff8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planes_jit_writer writer = begin(cases[i].is_evex, 64);
        planes_jit_registers(&writer, cases[i].opcode, cases[i].to, cases[i].from, cases[i].last);
        expect(&writer, cases[i].hex);
    }
}

static void planes_are_near_or_far(void **state) {
    (void)state;
    static const struct {
        bool is_evex;
        enum planes_jit_opcode opcode;
        unsigned to, from;
        enum planes_jit_base base;
        uint32_t plane;
        const char *hex;
    } cases[] = {
        {EVEX, JIT_AND, 3, 21, JIT_TESTS, 5, "62f1d540db5f05"},
        {EVEX, JIT_OR, 19, 2, JIT_TESTS, 128, "62e1ed48eb9f00200000"},
        {EVEX, JIT_LOAD, 30, 0, JIT_TESTS, 127, "6261fd486f777f"},
        {EVEX, JIT_STORE, 25, 0, JIT_BITS, 31, "6261fd487f4e1f"},
        {VEX, JIT_AND, 3, 11, JIT_TESTS, 1, "c5a5db5f40"},
        {VEX, JIT_OR, 12, 2, JIT_TESTS, 2, "c56deba780000000"},
        {VEX, JIT_XOR, 5, 14, JIT_BITS, 30, "c58defae80070000"},
        {VEX, JIT_STORE, 13, 0, JIT_BITS, 1, "c57d7f6e40"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planes_jit_writer writer = begin(cases[i].is_evex, 64);
        planes_jit_memory(&writer, cases[i].opcode, cases[i].to, cases[i].from, cases[i].base,
                          cases[i].plane);
        expect(&writer, cases[i].hex);
    }
}

static void evex_registers_are_as_long_as_a_plane(void **state) {
    (void)state;
    struct planes_jit_writer writer = begin(EVEX, 16);
    planes_jit_registers(&writer, JIT_XOR, 1, 2, 3);
    expect(&writer, "62f1ed08efcb");
    writer = begin(EVEX, 16);
    planes_jit_memory(&writer, JIT_AND, 3, 21, JIT_TESTS, 5);
    expect(&writer, "62f1d500db5f05");
    writer = begin(EVEX, 16);
    planes_jit_memory(&writer, JIT_OR, 19, 2, JIT_TESTS, 128);
    expect(&writer, "62e1ed08eb9f00080000");
    writer = begin(EVEX, 32);
    planes_jit_memory(&writer, JIT_OR, 19, 2, JIT_TESTS, 128);
    expect(&writer, "62e1ed28eb9f00100000");
}

static void ternary_operations_end_with_their_table(void **state) {
    (void)state;
    struct planes_jit_writer writer = begin(EVEX, 64);
    planes_jit_ternary(&writer, JIT_A_XOR_B_XOR_C, 17, 9, 30);
    expect(&writer, "6283b54825ce96");
    writer = begin(EVEX, 64);
    planes_jit_ternary_memory(&writer, JIT_A_OR_B_AND_C, 8, 31, JIT_TESTS, 200);
    expect(&writer, "62738540258700320000f8");
    planes_jit_return(&writer);
    expect(&writer, "62738540258700320000f8c3");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_named_with_all_their_bits),
        cmocka_unit_test(planes_are_near_or_far),
        cmocka_unit_test(evex_registers_are_as_long_as_a_plane),
        cmocka_unit_test(ternary_operations_end_with_their_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
