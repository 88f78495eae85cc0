#include "impls/planes/jit/planes_jit_code.h"

#include <assert.h>

enum { NONE = 0xff, IN_MEMORY = 0xfe };

struct emitter {
    struct planes_jit_writer *writer;
    const struct planes_jit_tree *tree;
    uint32_t free;                     /* registers, a bit each */
    uint8_t where[PLANES_MAX_LEAVES];  /* the register of L_c */
    uint16_t uses[PLANES_MAX_LEAVES];  /* remaining uses of L_c */
    uint16_t single[PLANES_CODE_BITS]; /* with EVEX, the c whose L_c waits for another
                                          to be XORed with; 0: none */
    uint8_t sum[PLANES_CODE_BITS];     /* the register of the others' XOR; NONE; IN_MEMORY */
};

/* --- registers -------------------------------------------------------------------------------- */

static uint32_t place_of(const struct emitter *e, unsigned bit) {
    return e->tree->place * PLANES_CODE_BITS + bit;
}

static void store_bit(struct emitter *e, unsigned bit, unsigned from) {
    planes_jit_memory(e->writer, JIT_STORE, from, 0, JIT_BITS, place_of(e, bit));
}

/* Frees the register of the sum that is used least: those of high bits. Never with ternary
 * operations, whose sums are in pairs and have registers enough. */
static void spill(struct emitter *e) {
    assert(!e->writer->is_evex);
    for (unsigned bit = PLANES_CODE_BITS; bit-- > 0;)
        if (e->sum[bit] < IN_MEMORY) {
            store_bit(e, bit, e->sum[bit]);
            e->free |= 1u << e->sum[bit];
            e->sum[bit] = IN_MEMORY;
            return;
        }
}

static unsigned take(struct emitter *e) {
    if (!e->free)
        spill(e);
    assert(e->free);
    unsigned number = (unsigned)__builtin_ctz(e->free);
    e->free &= e->free - 1;
    return number;
}

static void use(struct emitter *e, uint32_t separator) {
    if (--e->uses[separator] == 0)
        e->free |= 1u << e->where[separator];
}

/* --- a node ----------------------------------------------------------------------------------- */

static bool is_every(uint32_t separator) {
    return separator == 0;
}

static bool is_empty(const struct emitter *e, uint32_t separator) {
    return separator > e->tree->n_nodes;
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

/* L_b | L_a & test, where neither is known, by one operation: in the register of one that nobody
 * needs any more, or else in another. */
static unsigned add_ternary(struct emitter *e, uint32_t above, uint32_t below, uint32_t test) {
    unsigned a = e->where[above], b = e->where[below], to = b, from = a;
    enum planes_jit_table table = JIT_A_OR_B_AND_C;
    use(e, above);
    use(e, below);
    if (e->uses[below] == 0) {
        e->free &= ~(1u << b);
    } else if (e->uses[above] == 0) {
        e->free &= ~(1u << a);
        to = a, from = b, table = JIT_B_OR_A_AND_C;
    } else {
        to = take(e);
        planes_jit_registers(e->writer, JIT_LOAD, to, 0, b);
    }
    planes_jit_ternary_memory(e->writer, table, to, from, JIT_TESTS, test);
    return to;
}

/* Computes L (opcode) test. */
static unsigned add_binary(struct emitter *e, enum planes_jit_opcode opcode, uint32_t separator,
                           uint32_t test) {
    unsigned from = e->where[separator];
    use(e, separator);
    unsigned to = take(e);
    planes_jit_memory(e->writer, opcode, to, from, JIT_TESTS, test);
    return to;
}

/* Computes L_b | L_a & test by two operations. */
static unsigned add_and_or(struct emitter *e, uint32_t above, uint32_t below, uint32_t test) {
    unsigned to = add_binary(e, JIT_AND, above, test);
    planes_jit_registers(e->writer, JIT_OR, to, to, e->where[below]);
    use(e, below);
    return to;
}

static void add_separator(struct emitter *e, const struct split *split, uint32_t test) {
    bool every = is_every(split->first), empty = is_empty(e, split->last);
    unsigned to;
    if (every && empty) {
        to = take(e);
        planes_jit_memory(e->writer, JIT_LOAD, to, 0, JIT_TESTS, test);
    } else if (every) {
        to = add_binary(e, JIT_OR, split->last, test);
    } else if (empty) {
        to = add_binary(e, JIT_AND, split->first, test);
    } else if (e->writer->is_evex) {
        to = add_ternary(e, split->first, split->last, test);
    } else {
        to = add_and_or(e, split->first, split->last, test);
    }
    e->where[split->middle] = (uint8_t)to;
}

/* --- the codes' bits -------------------------------------------------------------------------- */

/* Adds two separators at once to their bit of the codes. */
static void add_pair(struct emitter *e, uint32_t separator) {
    unsigned bit = (unsigned)__builtin_ctz(separator);
    uint32_t other = e->single[bit];
    e->single[bit] = other ? 0 : (uint16_t)separator;
    if (!other)
        return;
    unsigned a = e->where[separator], b = e->where[other];
    if (e->sum[bit] == NONE) {
        e->sum[bit] = (uint8_t)take(e);
        planes_jit_registers(e->writer, JIT_XOR, e->sum[bit], a, b);
    } else {
        planes_jit_ternary(e->writer, JIT_A_XOR_B_XOR_C, e->sum[bit], a, b);
    }
    use(e, separator);
    use(e, other);
}

/* Starts the sum of a bit with its first separator: a copy, unless nothing else uses that register.
 */
static void begin_sum(struct emitter *e, unsigned bit, uint32_t separator) {
    unsigned from = e->where[separator];
    use(e, separator);
    if (e->uses[separator] == 0) {
        e->free &= ~(1u << from);
        e->sum[bit] = (uint8_t)from;
        return;
    }
    e->sum[bit] = (uint8_t)take(e);
    planes_jit_registers(e->writer, JIT_LOAD, e->sum[bit], 0, from);
}

static void add_in_memory(struct emitter *e, unsigned bit, uint32_t separator) {
    unsigned to = take(e);
    planes_jit_memory(e->writer, JIT_XOR, to, e->where[separator], JIT_BITS, place_of(e, bit));
    store_bit(e, bit, to);
    e->free |= 1u << to;
    use(e, separator);
}

static void add_one(struct emitter *e, uint32_t separator) {
    unsigned bit = (unsigned)__builtin_ctz(separator);
    if (e->sum[bit] == NONE) {
        begin_sum(e, bit, separator);
    } else if (e->sum[bit] == IN_MEMORY) {
        add_in_memory(e, bit, separator);
    } else {
        planes_jit_registers(e->writer, JIT_XOR, e->sum[bit], e->sum[bit], e->where[separator]);
        use(e, separator);
    }
}

static void finish_bit(struct emitter *e, unsigned bit) {
    unsigned sum = e->sum[bit];
    if (sum == IN_MEMORY)
        return;
    if (e->single[bit]) {
        unsigned single = e->where[e->single[bit]];
        if (sum == NONE)
            sum = single;
        else
            planes_jit_registers(e->writer, JIT_XOR, sum, sum, single);
    } else if (sum == NONE) {
        sum = take(e);
        planes_jit_registers(e->writer, JIT_XOR, sum, sum, sum);
    }
    store_bit(e, bit, sum);
}

/* --- a tree ----------------------------------------------------------------------------------- */

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
        uint32_t separator = tree->splits[node].middle;
        add_separator(e, &tree->splits[node], tree->tests[node]);
        if (e->writer->is_evex)
            add_pair(e, separator);
        else
            add_one(e, separator);
        int32_t left = tree->left[node], right = tree->right[node];
        bool left_first = count_leaves(tree, left) <= count_leaves(tree, right);
        open[n_open++] = left_first ? right : left;
        open[n_open++] = left_first ? left : right;
    }
}

void planes_jit_add_tree(struct planes_jit_writer *writer, const struct planes_jit_tree *tree) {
    unsigned n_registers = writer->is_evex ? JIT_EVEX_REGISTERS : JIT_VEX_REGISTERS;
    struct emitter e = {
        .writer = writer, .tree = tree, .free = (uint32_t)((1ull << n_registers) - 1)};
    memset(e.sum, NONE, sizeof e.sum);
    count_uses(&e);
    add_nodes(&e);
    unsigned n_bits = planes_code_bits((tree->n_nodes + PLANES_GROUP) / PLANES_GROUP);
    for (unsigned bit = 0; bit < n_bits; bit++)
        finish_bit(&e, bit);
}
