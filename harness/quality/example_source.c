#include "harness/quality/example_source.h"

enum { CLASSES = 251 };

struct example {
    FILE *stream;
    bool is_float;
    uint32_t split, leaf; /* their numbers */
};

/* Each split has a feature of its own. Otherwise compilers would merge comparisons. */
static void write_test(struct example *e) {
    uint32_t split = e->split++;
    fprintf(e->stream, "if (x[%u] <= %u%s)", split, 1000 + split, e->is_float ? ".5f" : "");
}

/* Values of neighbouring leaves differ by more than one, so that compilers do not compute them from
 * the result of a comparison. */
static void write_leaf(struct example *e) {
    fprintf(e->stream, "return %u;\n", 1 + e->leaf++ * 37 % CLASSES);
}

static void write_node(struct example *e, uint32_t n_splits) {
    if (n_splits == 0) {
        write_leaf(e);
        return;
    }
    uint32_t n_left = (n_splits - 1) / 2;
    write_test(e);
    fputs(" {\n", e->stream);
    write_node(e, n_left);
    fputs("} else {\n", e->stream);
    write_node(e, n_splits - 1 - n_left);
    fputs("}\n", e->stream);
}

static void begin(struct example *e) {
    fprintf(e->stream, "unsigned tree(const %s *x) {\n", e->is_float ? "float" : "int");
}

void example_write_tree(FILE *stream, uint32_t n_splits, bool is_float) {
    struct example example = {.stream = stream, .is_float = is_float};
    begin(&example);
    write_node(&example, n_splits);
    fputs("}\n", stream);
}

/* Without braces, because compilers limit how deep they nest. */
void example_write_chain(FILE *stream, uint32_t n_splits, bool is_float) {
    struct example example = {.stream = stream, .is_float = is_float};
    begin(&example);
    for (uint32_t i = 0; i < n_splits; i++) {
        write_test(&example);
        fputc('\n', stream);
    }
    write_leaf(&example);
    write_leaf(&example);
    fputs("}\n", stream);
}
