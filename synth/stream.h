/* Numbers of the random streams that are derived from one seed, so that trees, documents and probes
 * are independent of each other. Changing a number would change what existing seeds produce. */
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
    STREAM_THRESHOLDS,
    STREAM_LABELS
};

#endif
