/* Makes the kernels for one number of lanes.
 *
 * The includer defines:
 *
 *   uint32_t pred_step(const void *nodes, const float *x, uint32_t i, bool any_nan_left)
 *       the child of node i to which the document x goes
 *
 * One of the macros PRED_KERNELS_BY_... then defines two tables, `const struct pred_kernels
 * NAME[2]`: [0] for ensembles whose nodes all send NaN right, [1] for other ensembles.
 *
 * The unrolled loops are plain loops with a constant count in an always-inlined function.
 * scripts/check-kernels.sh checks in the object files that the compiler did unroll them. */
#ifndef IMPLS_PLAIN_PRED_TMPL_H
#define IMPLS_PLAIN_PRED_TMPL_H

#include "impls/plain/pred_scorer.h"

#include <stdbool.h>

#define PRED_INLINE static inline __attribute__((always_inline))
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PRED_SANITIZED
#endif
#endif
/* Sanitizers add checks to every step. If the loops were unrolled too, compilers would take minutes
 * and gigabytes of memory. */
#if defined(__SANITIZE_ADDRESS__) || defined(PRED_SANITIZED)
#define PRED_UNROLL
#define PRED_NO_UNROLL
#elif defined(__clang__)
#define PRED_UNROLL _Pragma("clang loop unroll(full)")
#define PRED_NO_UNROLL _Pragma("clang loop unroll(disable)")
#else
#define PRED_UNROLL _Pragma("GCC unroll 64")
#define PRED_NO_UNROLL _Pragma("GCC unroll 1")
#endif

enum { PRED_MAX_LANES = 64 };

/* Takes each lane one level down, one lane after the other. While the loads of one document are
 * under way, the processor works on the next documents. */
PRED_INLINE void pred_level(const void *nodes, const float *x, size_t stride, unsigned lanes,
                            bool any_nan_left, uint32_t *i) {
    PRED_UNROLL
    for (unsigned lane = 0; lane < lanes; lane++)
        i[lane] = pred_step(nodes, x + lane * stride, i[lane], any_nan_left);
}

/* A whole kernel. `lanes`, `unrolled`, `block` and `any_nan_left` are constants. The first
 * `unrolled` levels are straight-line code. If `block` is not 0, a loop over blocks of that many
 * levels follows, and then a loop over single levels. */
PRED_INLINE void pred_walk(const struct pred_tree *tree, const float *x, size_t stride,
                           size_t n_docs, double *scores, size_t n_outputs, unsigned lanes,
                           unsigned unrolled, unsigned block, bool any_nan_left) {
    const void *nodes = tree->nodes;
    const double *value = tree->value;
    uint32_t first_leaf = tree->first_leaf;
    PRED_NO_UNROLL
    for (size_t doc = 0; doc < n_docs; doc += lanes) {
        uint32_t i[PRED_MAX_LANES];
        PRED_UNROLL
        for (unsigned lane = 0; lane < lanes; lane++)
            i[lane] = 0;
        PRED_UNROLL
        for (unsigned level = 0; level < unrolled; level++)
            pred_level(nodes, x, stride, lanes, any_nan_left, i);
        uint32_t rest = block ? tree->depth - unrolled : 0;
        PRED_NO_UNROLL
        for (; block && rest >= block; rest -= block) {
            PRED_UNROLL
            for (unsigned level = 0; level < block; level++)
                pred_level(nodes, x, stride, lanes, any_nan_left, i);
        }
        PRED_NO_UNROLL
        for (; rest; rest--)
            pred_level(nodes, x, stride, lanes, any_nan_left, i);
        PRED_UNROLL
        for (unsigned lane = 0; lane < lanes; lane++)
            scores[lane * n_outputs] += value[i[lane] - first_leaf];
        x += lanes * stride;
        scores += lanes * n_outputs;
    }
}

/* Names such as walk_8_lanes_11_levels appear in profiles, and scripts/check-kernels.sh searches
 * for them. */
#define PRED_KERNEL(name, lanes, unrolled, block, any_nan_left)                                    \
    static void name(const struct pred_tree *tree, const float *x, size_t stride, size_t n_docs,   \
                     double *scores, size_t n_outputs) {                                           \
        pred_walk(tree, x, stride, n_docs, scores, n_outputs, lanes, unrolled, block,              \
                  any_nan_left);                                                                   \
    }

#define PRED_DEPTHS(apply, ...)                                                                    \
    apply(0, __VA_ARGS__) apply(1, __VA_ARGS__) apply(2, __VA_ARGS__) apply(3, __VA_ARGS__)        \
        apply(4, __VA_ARGS__) apply(5, __VA_ARGS__) apply(6, __VA_ARGS__) apply(7, __VA_ARGS__)    \
            apply(8, __VA_ARGS__) apply(9, __VA_ARGS__) apply(10, __VA_ARGS__)                     \
                apply(11, __VA_ARGS__) apply(12, __VA_ARGS__)

#define PRED_UNROLLED(depth, lanes, side, any_nan_left)                                            \
    PRED_KERNEL(walk_##lanes##_lanes_##depth##_levels##side, lanes, depth, 0, any_nan_left)
#define PRED_UNROLLED_NAME(depth, lanes, side) walk_##lanes##_lanes_##depth##_levels##side,
#define PRED_ANY_DEPTH_NAME(depth, lanes, side) walk_##lanes##_lanes##side,

#define PRED_TABLE(by_depth_name, lanes, side)                                                     \
    { lanes, {PRED_DEPTHS(by_depth_name, lanes, side)}, walk_##lanes##_lanes##side }
#define PRED_ANY_DEPTH(lanes, block)                                                               \
    PRED_KERNEL(walk_##lanes##_lanes, lanes, 0, block, false)                                      \
    PRED_KERNEL(walk_##lanes##_lanes_nan, lanes, 0, block, true)

/* One kernel for each depth up to PRED_UNROLLED_DEPTH, as in the paper. One kernel, with blocks of
 * four levels, for all deeper trees. */
#define PRED_KERNELS_BY_DEPTH(linkage, name, lanes)                                                \
    PRED_DEPTHS(PRED_UNROLLED, lanes, , false)                                                     \
    PRED_DEPTHS(PRED_UNROLLED, lanes, _nan, true)                                                  \
    PRED_ANY_DEPTH(lanes, 4)                                                                       \
    linkage const struct pred_kernels name[2] = {PRED_TABLE(PRED_UNROLLED_NAME, lanes, ),          \
                                                 PRED_TABLE(PRED_UNROLLED_NAME, lanes, _nan)};

/* If all nodes send NaN right, the kernels are those of PRED_KERNELS_BY_DEPTH. Other ensembles,
 * which the paper does not treat, have one kernel for all depths, with blocks of four levels. A
 * kernel for each depth would more than double the time to compile. A level has the same
 * instructions in both forms. The loop adds only one predicted jump per block or single level,
 * compared with 75 (v = 4) or 165 (v = 8) instructions per level. */
#define PRED_KERNELS_BY_DEPTH_OR_BLOCK(linkage, name, lanes)                                       \
    PRED_DEPTHS(PRED_UNROLLED, lanes, , false)                                                     \
    PRED_ANY_DEPTH(lanes, 4)                                                                       \
    linkage const struct pred_kernels name[2] = {PRED_TABLE(PRED_UNROLLED_NAME, lanes, ),          \
                                                 PRED_TABLE(PRED_ANY_DEPTH_NAME, lanes, _nan)};

/* One kernel for all depths: the lanes of a level are unrolled, and the levels are a loop. One
 * level of 16 lanes is as much straight-line code as 16 levels of one lane. If the levels were
 * unrolled too, the kernel would not fit in the processor's micro-op cache (docs/floors.md). */
#define PRED_KERNELS_BY_LEVEL(linkage, name, lanes)                                                \
    PRED_ANY_DEPTH(lanes, 1)                                                                       \
    linkage const struct pred_kernels name[2] = {PRED_TABLE(PRED_ANY_DEPTH_NAME, lanes, ),         \
                                                 PRED_TABLE(PRED_ANY_DEPTH_NAME, lanes, _nan)};

/* Requires PRED_KERNELS_BY_LEVEL for the same lanes. If all nodes send NaN right, there is one
 * kernel for each depth up to PRED_UNROLLED_DEPTH. Deeper trees and other ensembles use the kernels
 * of PRED_KERNELS_BY_LEVEL. */
#define PRED_KERNELS_UNROLLED(linkage, name, lanes)                                                \
    PRED_DEPTHS(PRED_UNROLLED, lanes, , false)                                                     \
    linkage const struct pred_kernels name[2] = {PRED_TABLE(PRED_UNROLLED_NAME, lanes, ),          \
                                                 PRED_TABLE(PRED_ANY_DEPTH_NAME, lanes, _nan)};

#endif
