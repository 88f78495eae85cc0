#include "impls/planes_jit_code.h"

#include <assert.h>
#include <stdbool.h>

/* --- instructions ------------------------------------------------------------------------------
 * EVEX-coded, 512 bits: 62 and three bytes of prefix, an opcode, ModRM, and what follows it. In the
 * prefix, register numbers and "vvvv" are inverted. */

enum memory_base { TESTS = 7 /* rdi */, BITS = 6 /* rsi */ };
enum { MAP_0F = 1, MAP_0F3A = 3 };
enum { LOAD = 0x6f, STORE = 0x7f, AND = 0xdb, OR = 0xeb, XOR = 0xef, TERNARY = 0x25 };

/* Of TERNARY: bit 4 a + 2 b + c is the result for bits a (destination), b and c. */
enum { A_OR_B_AND_C = 0xf8, B_OR_A_AND_C = 0xec, A_XOR_B_XOR_C = 0x96 };

static uint8_t *add_prefix(uint8_t *code, unsigned map, unsigned opcode, unsigned to, unsigned from,
                           unsigned last) {
    *code++ = 0x62;
    *code++ = (uint8_t)((~to >> 3 & 1) << 7 | (~last >> 4 & 1) << 6 | (~last >> 3 & 1) << 5 |
                        (~to >> 4 & 1) << 4 | map);
    *code++ = (uint8_t)(1 << 7 /* 64-bit elements */ | (~from & 15) << 3 | 1 << 2 | 1 /* 66 */);
    *code++ = (uint8_t)(2 << 5 /* 512 bits */ | (~from >> 4 & 1) << 3);
    *code++ = (uint8_t)opcode;
    return code;
}

/* to = from (opcode) last; moves have no `from`, which is 0 then. */
static uint8_t *add_registers(uint8_t *code, unsigned map, unsigned opcode, unsigned to,
                              unsigned from, unsigned last) {
    code = add_prefix(code, map, opcode, to, from, last);
    *code++ = (uint8_t)(3 << 6 | (to & 7) << 3 | (last & 7));
    return code;
}

/* The same, the last operand a plane in memory. */
static uint8_t *add_memory(uint8_t *code, unsigned map, unsigned opcode, unsigned to, unsigned from,
                           enum memory_base base, uint32_t plane) {
    code = add_prefix(code, map, opcode, to, from, 0);
    if (plane < 128) { /* one byte, in planes */
        *code++ = (uint8_t)(1 << 6 | (to & 7) << 3 | base);
        *code++ = (uint8_t)plane;
        return code;
    }
    *code++ = (uint8_t)(2 << 6 | (to & 7) << 3 | base);
    for (int i = 0; i < 4; i++)
        *code++ = (uint8_t)((plane * PLANES_JIT_PLANE) >> 8 * i);
    return code;
}

/* --- a tree ------------------------------------------------------------------------------------
 */

enum { NONE = 0xff };

struct emitter {
    uint8_t *code;
    const struct planes_jit_tree *tree;
    uint32_t free;                     /* registers, a bit each */
    uint8_t where[PLANES_MAX_LEAVES];  /* the register of L_c */
    uint16_t uses[PLANES_MAX_LEAVES];  /* of L_c that are to come */
    uint16_t single[PLANES_CODE_BITS]; /* the c whose L_c waits for another, to be XORed; 0: none */
    uint8_t sum[PLANES_CODE_BITS];     /* the register of the others' XOR; NONE */
};

static bool is_every(uint32_t separator) {
    return separator == 0;
}

static bool is_empty(const struct emitter *e, uint32_t separator) {
    return separator > e->tree->n_nodes;
}

static unsigned take(struct emitter *e) {
    assert(e->free);
    unsigned number = (unsigned)__builtin_ctz(e->free);
    e->free &= e->free - 1;
    return number;
}

static void use(struct emitter *e, uint32_t separator) {
    if (--e->uses[separator] == 0)
        e->free |= 1u << e->where[separator];
}

static void count_uses(struct emitter *e) {
    const struct planes_jit_tree *tree = e->tree;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct split *split = &tree->splits[i];
        e->uses[split->middle]++; /* the XOR */
        if (!is_every(split->first))
            e->uses[split->first]++;
        if (!is_empty(e, split->last))
            e->uses[split->last]++;
    }
}

/* L_b | L_a & test, where neither is known: in the register of one that nobody needs any more, or
 * else in another. */
static unsigned add_ternary(struct emitter *e, uint32_t above, uint32_t below, uint32_t test) {
    unsigned a = e->where[above], b = e->where[below], to = b, from = a, table = A_OR_B_AND_C;
    use(e, above);
    use(e, below);
    if (e->uses[below] == 0) {
        e->free &= ~(1u << b);
    } else if (e->uses[above] == 0) {
        e->free &= ~(1u << a);
        to = a, from = b, table = B_OR_A_AND_C;
    } else {
        to = take(e);
        e->code = add_registers(e->code, MAP_0F, LOAD, to, 0, b);
    }
    e->code = add_memory(e->code, MAP_0F3A, TERNARY, to, from, TESTS, test);
    *e->code++ = (uint8_t)table;
    return to;
}

static unsigned add_binary(struct emitter *e, unsigned opcode, uint32_t separator, uint32_t test) {
    unsigned from = e->where[separator];
    use(e, separator);
    unsigned to = take(e);
    e->code = add_memory(e->code, MAP_0F, opcode, to, from, TESTS, test);
    return to;
}

static void add_separator(struct emitter *e, const struct split *split, uint32_t test) {
    bool every = is_every(split->first), empty = is_empty(e, split->last);
    unsigned to;
    if (every && empty) {
        to = take(e);
        e->code = add_memory(e->code, MAP_0F, LOAD, to, 0, TESTS, test);
    } else if (every) {
        to = add_binary(e, OR, split->last, test);
    } else if (empty) {
        to = add_binary(e, AND, split->first, test);
    } else {
        to = add_ternary(e, split->first, split->last, test);
    }
    e->where[split->middle] = (uint8_t)to;
}

/* To the code's bit that L_c belongs to, two at once. */
static void add_to_bit(struct emitter *e, uint32_t separator) {
    unsigned bit = (unsigned)__builtin_ctz(separator);
    uint32_t other = e->single[bit];
    e->single[bit] = other ? 0 : (uint16_t)separator;
    if (!other)
        return;
    unsigned a = e->where[separator], b = e->where[other];
    if (e->sum[bit] == NONE) {
        e->sum[bit] = (uint8_t)take(e);
        e->code = add_registers(e->code, MAP_0F, XOR, e->sum[bit], a, b);
    } else {
        e->code = add_registers(e->code, MAP_0F3A, TERNARY, e->sum[bit], a, b);
        *e->code++ = A_XOR_B_XOR_C;
    }
    use(e, separator);
    use(e, other);
}

/* A plane of the codes' bits to memory. */
static void add_store(struct emitter *e, unsigned bit) {
    unsigned sum = e->sum[bit];
    if (e->single[bit]) {
        unsigned single = e->where[e->single[bit]];
        if (sum == NONE)
            sum = single;
        else
            e->code = add_registers(e->code, MAP_0F, XOR, sum, sum, single);
    } else if (sum == NONE) {
        sum = take(e);
        e->code = add_registers(e->code, MAP_0F, XOR, sum, sum, sum);
    }
    uint32_t plane = e->tree->place * PLANES_CODE_BITS + bit;
    e->code = add_memory(e->code, MAP_0F, STORE, sum, 0, BITS, plane);
}

static uint32_t count_leaves(const struct planes_jit_tree *tree, int32_t child) {
    return child < 0 ? 1 : tree->splits[child].last - tree->splits[child].first;
}

/* Depth first, the smaller subtree first: open nodes are the larger siblings of those on the way.
 */
static void add_nodes(struct emitter *e) {
    const struct planes_jit_tree *tree = e->tree;
    int32_t open[PLANES_MAX_LEAVES];
    size_t n_open = 0;
    open[n_open++] = tree->n_nodes ? 0 : -1;
    while (n_open) {
        int32_t node = open[--n_open];
        if (node < 0)
            continue;
        add_separator(e, &tree->splits[node], tree->tests[node]);
        add_to_bit(e, tree->splits[node].middle);
        int32_t left = tree->left[node], right = tree->right[node];
        bool left_first = count_leaves(tree, left) <= count_leaves(tree, right);
        open[n_open++] = left_first ? right : left;
        open[n_open++] = left_first ? left : right;
    }
}

uint8_t *planes_jit_add_tree(uint8_t *code, const struct planes_jit_tree *tree) {
    struct emitter e = {.code = code, .tree = tree, .free = UINT32_MAX};
    memset(e.sum, NONE, sizeof e.sum);
    count_uses(&e);
    add_nodes(&e);
    unsigned n_bits = planes_code_bits((tree->n_nodes + PLANES_GROUP) / PLANES_GROUP);
    for (unsigned bit = 0; bit < n_bits; bit++)
        add_store(&e, bit);
    return e.code;
}

uint8_t *planes_jit_add_return(uint8_t *code) {
    *code++ = 0xc3;
    return code;
}
