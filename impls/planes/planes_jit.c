#include "impls/planes/planes_jit_code.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

/* Rounds large sizes up to whole huge pages, so that the system can use huge pages. The processor
 * reads the whole code once per block of documents. With small pages, it would wait for an address
 * translation at every page. */
static size_t round_to_pages(size_t bytes) {
    size_t over = bytes % HUGE_PAGE;
    return bytes < HUGE_PAGE || over == 0 ? bytes : bytes + (HUGE_PAGE - over);
}

static uint8_t *map_code(size_t bytes) {
    uint8_t *code = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return NULL;
    (void)madvise(code, bytes, MADV_HUGEPAGE);
    return code;
}

static void add_tree(struct planes_jit_writer *writer, const struct ensemble *e, uint32_t t,
                     const uint32_t *tests) {
    struct split splits[PLANES_MAX_LEAVES];
    splits_find(e, t, splits);
    const struct planes_jit_tree tree = {.splits = splits,
                                         .left = e->left + e->tree_node[t],
                                         .right = e->right + e->tree_node[t],
                                         .tests = tests + e->tree_node[t],
                                         .n_nodes = ensemble_tree_nodes(e, t),
                                         .place = t % PLANES_BUNDLE};
    planes_jit_add_tree(writer, &tree);
}

static uint8_t *align(uint8_t *code, const uint8_t *begin) {
    size_t over = (size_t)(code - begin) % PLANES_LINE;
    return over ? code + (PLANES_LINE - over) : code;
}

static void add_bundles(const struct ensemble *ensemble, const uint32_t *tests,
                        struct planes_jit_writer writer, struct planes_model *model) {
    for (size_t i = 0; i < model->n_bundles; i++) {
        struct planes_bundle *bundle = &model->bundles[i];
        uint32_t t = (uint32_t)(bundle->trees - model->trees);
        bundle->code = writer.end;
        for (uint32_t end = t + (uint32_t)bundle->n_trees; t < end; t++)
            add_tree(&writer, ensemble, t, tests);
        planes_jit_return(&writer);
        bundle->code_bytes = (size_t)(writer.end - bundle->code);
        writer.end = align(writer.end, model->code);
    }
    model->bytes += (size_t)(writer.end - model->code);
}

/* An upper bound of the size of the code. The bound is never 0, because 0 bytes cannot be mapped.
 */
static size_t bound_bytes(const struct ensemble *ensemble, const struct planes_model *model) {
    return ensemble->n_nodes * PLANES_JIT_NODE_BYTES +
           model->n_trees * (size_t)PLANES_JIT_TREE_BYTES +
           (model->n_bundles + 1) * (size_t)(JIT_RETURN_BYTES + PLANES_LINE);
}

static enum status compile(const struct ensemble *ensemble, const uint32_t *tests,
                           const struct planes_shape *shape, struct planes_model *model,
                           struct error *error) {
    bool is_evex = shape->compiler == &planes_jit_evex;
    if (planes_model_planes(model) > PLANES_JIT_MAX_TESTS)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: the model has %zu different tests; the limit is %d. Use auto",
                         shape->impl, planes_model_planes(model), PLANES_JIT_MAX_TESTS);
    size_t bytes = round_to_pages(bound_bytes(ensemble, model));
    model->code = map_code(bytes);
    if (!model->code)
        return error_memory(error, "the trees as machine code");
    model->code_bytes = bytes;
    const struct planes_jit_writer writer = {model->code, is_evex, shape->plane_bytes};
    add_bundles(ensemble, tests, writer, model);
    if (mprotect(model->code, bytes, PROT_READ | PROT_EXEC))
        return error_set(error, STATUS_MACHINE,
                         "%s: the system does not run code that was written at run time (%s). "
                         "Use planes-avx2 or planes-avx512",
                         shape->impl, strerror(errno));
    return STATUS_OK;
}

static void free_code(struct planes_model *model) {
    if (model->code)
        munmap(model->code, model->code_bytes);
}

const struct planes_compiler planes_jit_vex = {compile, free_code};
const struct planes_compiler planes_jit_evex = {compile, free_code};
