#include "impls/planes/planes_jit_code.h"

#include <assert.h>

enum { NONE = 0xff, IN_MEMORY = 0xfe };

struct emitter {
    struct planes_jit_writer *writer;
    const struct planes_jit_tree *tree;
    uint32_t free;                     /* a bit for each register, set if the register is free */
    uint8_t where[PLANES_MAX_LEAVES];  /* where[c]: the register of L_c */
    uint16_t uses[PLANES_MAX_LEAVES];  /* uses[c]: remaining uses of L_c */
    uint16_t single[PLANES_CODE_BITS]; /* EVEX only: the c of an L_c that waits to be added to the
                                          bit's sum, because two are added at once; 0 if none */
    uint8_t sum[PLANES_CODE_BITS];     /* the register of the bit's sum, which is an XOR of planes
                                          L_c; NONE if there is no sum yet, or IN_MEMORY */
};

/* --- registers -------------------------------------------------------------------------------- */

static uint32_t place_of(const struct emitter *e, unsigned bit) {
    return e->tree->place * PLANES_CODE_BITS + bit;
}

static void store_bit(struct emitter *e, unsigned bit, unsigned from) {
    planes_jit_memory(e->writer, JIT_STORE, from, 0, JIT_BITS, place_of(e, bit));
}

/* Frees a register: moves a bit's sum to memory. Chooses the highest bit whose sum is in a
 * register, because high bits are used least. EVEX code has enough registers and never needs this.
 */
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

/* L_0 has every document. */
static bool is_every(uint32_t separator) {
    return separator == 0;
}

/* If a tree has n leaves, L_n has no documents. */
static bool is_empty(const struct emitter *e, uint32_t separator) {
    return separator > e->tree->n_nodes;
}

static void count_uses(struct emitter *e) {
    const struct planes_jit_tree *tree = e->tree;
    for (uint32_t i = 0; i < tree->n_nodes; i++) {
        const struct split *split = &tree->splits[i];
        e->uses[split->middle]++; /* for the sum of a bit of the codes */
        if (!is_every(split->first))
            e->uses[split->first]++;
        if (!is_empty(e, split->last))
            e->uses[split->last]++;
    }
}

/* Computes L_b | L_a & test by one ternary operation. The result overwrites L_b or L_a if that
 * plane has no uses left, or else a copy of L_b. */
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

/* Adds a separator to the sum of the bit of the codes to which it contributes. One ternary
 * operation adds two separators, so every other separator of a bit waits for the next one. */
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

/* Starts the sum of a bit with the first separator. The sum takes over the separator's register if
 * the separator has no uses left; otherwise it is a copy. */
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

/* Visits nodes depth first, the smaller subtree first, so that few separators are live at a time.
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
    if (planes_jit_add_oblivious(writer, tree))
        return;
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
