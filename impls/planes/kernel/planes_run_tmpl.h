/* Bit planes: runs all steps for blocks of documents.
 *
 * The includer defines the same names as for planes_block_tmpl.h, and:
 *
 *   void kernel_make_codes(kernel_vec bits[8], size_t n_docs, int part, uint8_t *codes)
 *       turns the planes of the codes' bits, of which it gets one register each, into codes
 *
 * Before this file, the includer includes the templates that define these names:
 *
 *   kernel_test_documents                      in planes_tests_tmpl.h
 *   kernel_split_leaves, kernel_find_bits      in planes_nodes_tmpl.h, or
 * jit/planes_jit_nodes_tmpl.h struct kernel_work, struct kernel_adding, kernel_add_values,
 * kernel_flush, kernel_prefetch_values                     in planes_doubles_tmpl.h, or
 * planes_floats_tmpl.h
 */

/* --- a tree ----------------------------------------------------------------------------------- */

static void kernel_find_codes(const struct kernel_block *block, const struct planes_tree *tree,
                              size_t n_docs, uint8_t *codes) {
    for (int part = 0; part < kernel_count_parts(n_docs); part++) {
        kernel_vec bits[8];
        kernel_find_bits(bits, block->exits + tree->first_slot, tree->n_groups, part);
        kernel_make_codes(bits, n_docs, part, codes);
    }
}

/* --- sums ------------------------------------------------------------------------------------- */

static void kernel_read_column(const struct kernel_adding *adding) {
    const double *scores = adding->column.scores + adding->column.output;
    for (size_t doc = 0; doc < adding->column.n_docs; doc++)
        adding->column.block->column[kernel_place_of(adding->column.n_docs, doc)] =
            scores[doc * adding->column.n_outputs];
    for (size_t doc = adding->column.n_docs; doc < kernel_round_up(adding->column.n_docs); doc++)
        adding->column.block->column[kernel_place_of(adding->column.n_docs, doc)] = 0;
}

static void kernel_write_column(struct kernel_adding *adding) {
    kernel_flush(adding);
    double *scores = adding->column.scores + adding->column.output;
    for (size_t doc = 0; doc < adding->column.n_docs; doc++)
        scores[doc * adding->column.n_outputs] =
            adding->column.block->column[kernel_place_of(adding->column.n_docs, doc)];
}

static void kernel_turn_to_output(struct kernel_adding *adding, uint32_t output) {
    if (output == adding->column.output)
        return;
    kernel_write_column(adding);
    adding->column.output = output;
    kernel_read_column(adding);
}

static void kernel_add_bundle(const struct planes_bundle *bundle, struct kernel_adding *adding) {
    const struct planes_tree *trees = bundle->trees;
    for (size_t begin = 0, end; begin < bundle->n_trees; begin = end) {
        for (end = begin + 1; end < bundle->n_trees && trees[end].output == trees[begin].output;)
            end++;
        kernel_turn_to_output(adding, trees[begin].output);
        kernel_add_values(bundle, begin, end, adding);
    }
}

/* --- blocks of documents ---------------------------------------------------------------------- */

static inline struct kernel_plane *kernel_tests_of(struct kernel_block *block) {
    return (struct kernel_plane *)((struct kernel_work *)block + 1);
}

static void kernel_score_bundle(const struct planes_bundle *bundle, struct kernel_adding *adding) {
    struct kernel_block *block = adding->column.block;
    kernel_split_leaves(block, bundle, adding->column.n_docs);
    for (size_t t = 0; t < bundle->n_trees; t++)
        kernel_find_codes(block, &bundle->trees[t], adding->column.n_docs, block->codes[t]);
    kernel_add_bundle(bundle, adding);
}

/* Prefetches a bundle. If there are many trees, the caches do not hold all bundles from one block
 * of documents to the next. */
PLANES_INLINE void kernel_prefetch_bundle(const struct planes_bundle *bundle) {
    planes_prefetch(bundle->inputs, bundle->n_nodes * sizeof *bundle->inputs);
    planes_prefetch(bundle->separators, bundle->n_nodes * sizeof *bundle->separators);
    planes_prefetch_code(bundle->code, bundle->code_bytes);
    kernel_prefetch_values(bundle);
}

static struct kernel_block *kernel_block_of(const struct planes_view *view, void *workspace,
                                            size_t block) {
    return (struct kernel_block *)((char *)workspace + block * view->block_bytes);
}

/* Scores all blocks with one bundle before the next bundle, so that each bundle is loaded from
 * memory only once for all these blocks. */
static void kernel_score_bundles(const struct planes_view *view, struct kernel_adding *adding,
                                 size_t n_blocks) {
    for (size_t i = 0; i < view->n_bundles; i++) {
        if (i + 1 < view->n_bundles)
            kernel_prefetch_bundle(&view->bundles[i + 1]);
        for (size_t block = 0; block < n_blocks; block++)
            kernel_score_bundle(&view->bundles[i], &adding[block]);
    }
}

static void kernel_begin_block(const struct planes_view *view, const float *x, size_t stride,
                               const struct kernel_adding *adding) {
    struct kernel_block *block = adding->column.block;
    memset(&block->exits[PLANES_SLOT_ALL], 0xff, sizeof(struct kernel_plane));
    memset(&block->exits[PLANES_SLOT_NONE], 0, sizeof(struct kernel_plane));
    kernel_test_documents(view, block, x, stride, adding->column.n_docs);
    kernel_read_column(adding);
}

/* Adds the leaf values to the scores of n documents. The workspace has view->block_bytes for each
 * block: a struct kernel_work, then a plane for each test. */
static void kernel_run(const struct planes_view *view, const float *x, size_t stride, size_t n,
                       double *scores, void *workspace) {
    struct kernel_adding adding[PLANES_BLOCKS];
    memset(adding, 0, sizeof adding);
    for (size_t doc = 0; doc < n;) {
        size_t n_blocks = 0;
        for (; n_blocks < view->n_blocks && doc < n; n_blocks++, doc += KERNEL_BLOCK) {
            struct kernel_adding *begun = &adding[n_blocks];
            begun->column.scores = scores + doc * view->n_outputs;
            begun->column.block = kernel_block_of(view, workspace, n_blocks);
            begun->column.n_docs = n - doc < KERNEL_BLOCK ? n - doc : (size_t)KERNEL_BLOCK;
            begun->column.n_outputs = view->n_outputs;
            begun->column.output = 0;
            begun->column.in_chain = view->in_chain;
            kernel_begin_block(view, x + doc * stride, stride, begun);
        }
        kernel_score_bundles(view, adding, n_blocks);
        for (size_t block = 0; block < n_blocks; block++)
            kernel_write_column(&adding[block]);
    }
}
