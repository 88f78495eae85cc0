/* treebench_peer.h: brings any scorer of tree ensembles into a run of treebench, beside its own.
 *
 * A peer is a shared library with one function, treebench_peer:
 *
 *     static const struct treebench_peer peer = {.abi = TREEBENCH_PEER_ABI, .name = "mine", ...};
 *     const struct treebench_peer *treebench_peer(void) { return &peer; }
 *
 *     cc -O2 -shared -fPIC -o mine.so mine.c
 *     treebench compare --peer ./mine.so --model m.txt --data d.txt
 *
 * docs/peers.md is the guide, and examples/peer_*.c are whole peers. C99 and C++.
 *
 * Scores are raw: sums of leaf values, before a sigmoid or the like. A document has the values of
 * its features as float32. NaN is a missing value. A double that is made of such a float32 must
 * take the same path. */
#ifndef TREEBENCH_PEER_H
#define TREEBENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. treebench refuses peers of other versions. */
#define TREEBENCH_PEER_ABI 1

/* In what type leaf values are added. It decides how much scores may differ by rounding. */
enum treebench_peer_sums { TREEBENCH_PEER_DOUBLE, TREEBENCH_PEER_FLOAT };

struct treebench_peer {
    uint32_t abi;  /* TREEBENCH_PEER_ABI */
    uint32_t sums; /* an enum treebench_peer_sums */

    /* The name in tables, at most 31 characters: a to z, 0 to 9, '-', '_' and '.'. */
    const char *name;
    const char *version; /* for people, such as "QLeaf 1.2"; NULL or "": unknown */

    /* The formats that `open` reads, separated by spaces, the preferred one first: lightgbm (text),
     * xgboost (JSON), onnx, treebench (JSON). treebench writes the model in the first one that can
     * hold it, with base scores of 0. NULL or "": none of these; then the user must name a file in
     * the peer's own format by model=FILE, whose scores include base scores. */
    const char *formats;

    /* Opens a model. treebench forks and opens each model in the child first. Threads that are
     * still there from an earlier model are not in the child, so end them in `close`. `options` has
     * the user's "option=value,option=value", or "". The file may be gone when `open` returns.
     * NULL: failed. */
    void *(*open)(const char *path, const char *options);

    uint32_t (*n_features)(const void *model); /* a document must have at least so many */
    uint32_t (*n_outputs)(const void *model);  /* scores per document */

    /* Uses n threads of its own in each call of `score`. NULL: it always uses one. treebench asks
     * for 1 after `open`, because its own threads divide the documents. Returns 0 if it does. */
    int (*threads)(void *model, unsigned n);

    /* Scores n_rows documents: feature f of document i is rows[i * stride + f], and its output k
     * goes to scores[i * n_outputs + k]. Several threads may call it at once for the same model.
     * Returns 0, or another number if it fails.
     *
     * One of the two may be NULL. treebench has floats, and calls score_floats if it can.
     * Otherwise it converts the rows in each call, which is part of the measured time. */
    int (*score_floats)(const void *model, const float *rows, size_t stride, size_t n_rows,
                        double *scores);
    int (*score_doubles)(const void *model, const double *rows, size_t stride, size_t n_rows,
                         double *scores);

    void (*close)(void *model);

    /* Why the calling thread's last call failed: one line for the user. */
    const char *(*last_error)(void);
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct treebench_peer *
treebench_peer(void); /* NULL if the peer cannot run here */

#ifdef __cplusplus
}
#endif
#endif
