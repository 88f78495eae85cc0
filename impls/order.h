/* Loop orders, the same for all implementations.
 *
 * jin2016 names the orders. D stands for documents, and S for scorers, which are units here. The
 * first letter is the outermost loop. d is the size of a block of documents, and s is the size of a
 * block of units. The last block of either kind may be smaller.
 *
 *   order       loops, outermost first
 *   DS          documents; units
 *   SD          units; documents
 *   DSD(d)      blocks of documents; all units; documents of the block
 *   SDS(s)      blocks of units; all documents; units of the block
 *   DSDS(d, s)  blocks of documents; blocks of units; documents of the block; units of the block
 *   SDSD(s, d)  blocks of units; blocks of documents; units of the block; documents of the block
 *   DSSD(d, s)  blocks of documents; blocks of units; units of the block; documents of the block
 *   SDDS(s, d)  blocks of units; blocks of documents; documents of the block; units of the block
 *
 * DSSD visits documents and units in the sequence of DSD(d), and SDDS in that of SDS(s). If the
 * innermost loop of an order is over units, it scores a step of scorer->lanes documents at a time.
 * In every order, a document meets the units in ascending order. docs/blocking.md has a drawing. */
#ifndef IMPLS_ORDER_H
#define IMPLS_ORDER_H

#include "impls/impl.h"

enum order {
    ORDER_DS,
    ORDER_SD,
    ORDER_DSD,
    ORDER_SDS,
    ORDER_DSDS,
    ORDER_SDSD,
    ORDER_DSSD,
    ORDER_SDDS,
    ORDERS /* the number of orders */
};

extern const char *const order_names[ORDERS + 1]; /* "DS", ...; ended by NULL */
const char *order_name(enum order order);

/* Do the blocks of documents (d) or of units (s) matter to this order? */
bool order_has_d(enum order order);
bool order_has_s(enum order order);

enum parallel {
    PARALLEL_DOCUMENTS, /* the threads divide the documents, for high throughput */
    PARALLEL_TREES,     /* the threads divide the units, for low latency */
    PARALLEL_BOTH
};

/* "documents", "trees" or "both": what threads share, indexed by enum parallel, ended by NULL */
extern const char *const parallel_names[];

/* Finds what the name stands for. Returns false if the name is unknown. */
bool parallel_find(const char *name, enum parallel *parallel);

struct plan {
    enum order order;
    /* Documents (d) and units (s) per block; 0: all of them. DS and SD have blocks here too, for
     * callers who hand over the documents a few at a time: DS then does what DSSD does, and SD what
     * SDSD does. DS with doc_block = lanes is jin2016's DS. */
    size_t doc_block, unit_block;
    size_t call;      /* documents per call: the order begins anew after each call; 0: all */
    unsigned threads; /* 0 means 1; more than one thread needs impls/runner.h */
    enum parallel parallel;
    /* one thread runs the code of several threads over documents, so that it can be counted */
    bool team;
};

/* The documents per block if nobody asked for an order: few enough to stay in a cache while all
 * trees score them, and a multiple of the scorer's lanes. 0 for devices, which get all documents at
 * once. */
size_t order_usual_block(const struct scorer *scorer);

/* How many documents each call of `score` gets if there are n_docs; some calls get fewer. At least
 * 1. */
size_t order_documents_of_score(const struct plan *plan, const struct scorer *scorer,
                                size_t n_docs);

/* Adds the leaf values of the units in `units` to the scores of the documents in `docs`. */
void order_run(const struct scorer *scorer, const struct plan *plan, struct span units,
               struct span docs, const struct batch *batch);

#endif
