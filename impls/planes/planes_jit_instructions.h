/* Writes the few x86-64 instructions that compiled trees need. In AVX-512's encoding (EVEX), a
 * register has 16, 32 or 64 bytes and is a whole plane. In AVX2's encoding (VEX), it has 32 bytes.
 */
#ifndef IMPLS_PLANES_PLANES_JIT_INSTRUCTIONS_H
#define IMPLS_PLANES_PLANES_JIT_INSTRUCTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct planes_jit_writer {
    uint8_t *end; /* where the next instruction goes; the caller ensures that there is room */
    bool is_evex;
    unsigned plane_bytes; /* distance in memory between consecutive planes */
};

enum planes_jit_opcode {
    JIT_LOAD = 0x6f,
    JIT_STORE = 0x7f,
    JIT_AND = 0xdb,
    JIT_OR = 0xeb,
    JIT_XOR = 0xef,
};

/* Truth tables of AVX-512's ternary operation: bit 4 a + 2 b + c is the result for the bits a (the
 * destination), b and c. */
enum planes_jit_table {
    JIT_A_OR_B_AND_C = 0xf8,
    JIT_B_OR_A_AND_C = 0xec,
    JIT_A_XOR_B_XOR_C = 0x96,
};

/* The base register of a plane in memory: a function argument. */
enum planes_jit_base { JIT_TESTS = 7 /* rdi */, JIT_BITS = 6 /* rsi */ };

enum {
    JIT_EVEX_REGISTERS = 32,
    JIT_VEX_REGISTERS = 16,
    JIT_REGISTERS_BYTES = 7, /* upper bound for an instruction on registers */
    JIT_MEMORY_BYTES = 11,   /* upper bound for an instruction on memory */
    JIT_RETURN_BYTES = 1,
};

/* Writes the instruction `to = from opcode last`. All three are register numbers; for a move,
 * `from` is 0. */
void planes_jit_registers(struct planes_jit_writer *writer, enum planes_jit_opcode opcode,
                          unsigned to, unsigned from, unsigned last);

/* Like planes_jit_registers, but the last operand is a plane in memory, given by its index.
 * JIT_STORE stores `to`. */
void planes_jit_memory(struct planes_jit_writer *writer, enum planes_jit_opcode opcode, unsigned to,
                       unsigned from, enum planes_jit_base base, uint32_t plane);

/* Like the two functions above, with AVX-512's ternary operation: `to` is also an operand. */
void planes_jit_ternary(struct planes_jit_writer *writer, enum planes_jit_table table, unsigned to,
                        unsigned from, unsigned last);
void planes_jit_ternary_memory(struct planes_jit_writer *writer, enum planes_jit_table table,
                               unsigned to, unsigned from, enum planes_jit_base base,
                               uint32_t plane);

void planes_jit_return(struct planes_jit_writer *writer);

#endif
