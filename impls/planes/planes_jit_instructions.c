#include "impls/planes/planes_jit_instructions.h"

enum map { MAP_0F = 1, MAP_0F3A = 3 };
enum { TERNARY = 0x25 };

static void add(struct planes_jit_writer *writer, unsigned byte) {
    *writer->end++ = (uint8_t)byte;
}

/* A prefix contains the bits of the register numbers, inverted and in several places. The value 1
 * in the lowest two bits of EVEX's third byte and of VEX's last byte stands for the legacy
 * prefix 66. */
static void add_evex(struct planes_jit_writer *writer, enum map map, unsigned to, unsigned from,
                     unsigned last) {
    add(writer, 0x62);
    add(writer, (~to >> 3 & 1) << 7 | (~last >> 4 & 1) << 6 | (~last >> 3 & 1) << 5 |
                    (~to >> 4 & 1) << 4 | map);
    add(writer, 1 << 7 /* 64-bit elements */ | (~from & 15) << 3 | 1 << 2 | 1);
    add(writer, writer->plane_bytes >> 5 << 5 /* 0: 128 bits, 1: 256, 2: 512 */ | (~from >> 4 & 1)
                                                                                      << 3);
}

static void add_vex(struct planes_jit_writer *writer, unsigned to, unsigned from, unsigned last) {
    unsigned operands = (~from & 15) << 3 | 1 << 2 /* 256 bits */ | 1;
    if (last < 8) {
        add(writer, 0xc5);
        add(writer, (~to >> 3 & 1) << 7 | operands);
    } else {
        add(writer, 0xc4);
        add(writer, (~to >> 3 & 1) << 7 | 1 << 6 | (~last >> 3 & 1) << 5 | MAP_0F);
        add(writer, operands);
    }
}

static void add_opcode(struct planes_jit_writer *writer, enum map map, unsigned opcode, unsigned to,
                       unsigned from, unsigned last) {
    if (writer->is_evex)
        add_evex(writer, map, to, from, last);
    else
        add_vex(writer, to, from, last);
    add(writer, opcode);
}

static void add_registers(struct planes_jit_writer *writer, enum map map, unsigned opcode,
                          unsigned to, unsigned from, unsigned last) {
    add_opcode(writer, map, opcode, to, from, last);
    add(writer, 3 << 6 | (to & 7) << 3 | (last & 7));
}

static void add_memory(struct planes_jit_writer *writer, enum map map, unsigned opcode, unsigned to,
                       unsigned from, enum planes_jit_base base, uint32_t plane) {
    uint32_t bytes = plane * writer->plane_bytes;
    uint32_t unit = writer->is_evex ? writer->plane_bytes : 1; /* of short offsets */
    bool is_near = bytes / unit < 128;
    add_opcode(writer, map, opcode, to, from, 0);
    add(writer, (is_near ? 1u : 2u) << 6 | (to & 7) << 3 | base);
    if (is_near)
        add(writer, bytes / unit);
    else
        for (int i = 0; i < 4; i++)
            add(writer, bytes >> 8 * i & 0xff);
}

void planes_jit_registers(struct planes_jit_writer *writer, enum planes_jit_opcode opcode,
                          unsigned to, unsigned from, unsigned last) {
    add_registers(writer, MAP_0F, opcode, to, from, last);
}

void planes_jit_memory(struct planes_jit_writer *writer, enum planes_jit_opcode opcode, unsigned to,
                       unsigned from, enum planes_jit_base base, uint32_t plane) {
    add_memory(writer, MAP_0F, opcode, to, from, base, plane);
}

void planes_jit_ternary(struct planes_jit_writer *writer, enum planes_jit_table table, unsigned to,
                        unsigned from, unsigned last) {
    add_registers(writer, MAP_0F3A, TERNARY, to, from, last);
    add(writer, table);
}

void planes_jit_ternary_memory(struct planes_jit_writer *writer, enum planes_jit_table table,
                               unsigned to, unsigned from, enum planes_jit_base base,
                               uint32_t plane) {
    add_memory(writer, MAP_0F3A, TERNARY, to, from, base, plane);
    add(writer, table);
}

void planes_jit_return(struct planes_jit_writer *writer) {
    add(writer, 0xc3);
}
