/* The streams that a seed is derived into, so that trees, documents and probes made from one seed
 * are independent of each other. Their values are part of what "the same seed" means. */
#ifndef SYNTH_STREAM_H
#define SYNTH_STREAM_H

enum {
    STREAM_TREES = 1,
    STREAM_SHUFFLE,
    STREAM_DOCUMENTS,
    STREAM_TARGETS,
    STREAM_PROBES,
    STREAM_FEATURES,
    STREAM_GROWTH,
    STREAM_THRESHOLDS
};

#endif
