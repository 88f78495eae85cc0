/* The few instructions of x86-64 that compiled trees need, as machine code: of 64 bytes in
 * AVX-512's encoding (EVEX), of 32 in AVX2's (VEX). */
#ifndef IMPLS_PLANES_JIT_INSTRUCTIONS_H
#define IMPLS_PLANES_JIT_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct planes_jit_writer {
    uint8_t *end; /* where the next instruction goes; there is room */
    bool is_evex;
    unsigned plane_bytes; /* from a plane to the next, in memory */
};

enum planes_jit_opcode {
    JIT_LOAD = 0x6f,
    JIT_STORE = 0x7f,
    JIT_AND = 0xdb,
    JIT_OR = 0xeb,
    JIT_XOR = 0xef,
};

/* What AVX-512 computes of any three operands at once: bit 4 a + 2 b + c is the result for bits a
 * (the destination), b and c. */
enum planes_jit_table {
    JIT_A_OR_B_AND_C = 0xf8,
    JIT_B_OR_A_AND_C = 0xec,
    JIT_A_XOR_B_XOR_C = 0x96,
};

/* Where a plane in memory is counted from: the register of the function's argument. */
enum planes_jit_base { JIT_TESTS = 7 /* rdi */, JIT_BITS = 6 /* rsi */ };

enum {
    JIT_EVEX_REGISTERS = 32,
    JIT_VEX_REGISTERS = 16,
    JIT_REGISTERS_BYTES = 7, /* of an instruction on registers, at most */
    JIT_MEMORY_BYTES = 11,   /* of one on memory */
    JIT_RETURN_BYTES = 1,
};

/* to = from (opcode) last, of registers' numbers; moves have no `from`, which is 0 then. */
void planes_jit_registers(struct planes_jit_writer *writer, enum planes_jit_opcode opcode,
                          unsigned to, unsigned from, unsigned last);

/* The same, the last operand the beginning of a plane in memory, by its number; `to` is what
 * JIT_STORE stores. */
void planes_jit_memory(struct planes_jit_writer *writer, enum planes_jit_opcode opcode, unsigned to,
                       unsigned from, enum planes_jit_base base, uint32_t plane);

/* The same with AVX-512's tables. */
void planes_jit_ternary(struct planes_jit_writer *writer, enum planes_jit_table table, unsigned to,
                        unsigned from, unsigned last);
void planes_jit_ternary_memory(struct planes_jit_writer *writer, enum planes_jit_table table,
                               unsigned to, unsigned from, enum planes_jit_base base,
                               uint32_t plane);

void planes_jit_return(struct planes_jit_writer *writer);

#endif
