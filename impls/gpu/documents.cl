/* Turns documents into columns of keys: columns[feature * stride + document], from
 * rows[document * n_features + feature]. Each block turns a tile of 32 documents and 32 features, so
 * that both sides are accessed along rows of memory.
 *
 * Blocks: documents / 32, features / 32. Threads: a multiple of 32. Shared: 32 * 33 uint. */
KERNEL make_columns(const GLOBAL uint *rows, GLOBAL int *columns, uint n_documents, uint n_features,
                    uint stride SHARED_ARGUMENT) {
    USE_SHARED;
    SHARED uint *tile = (SHARED uint *)shared;
    uint lane = THREAD % WARP, first = THREAD / WARP, step = THREADS / WARP;
    uint document = BLOCK * 32, feature = BLOCK_Y * 32;
    for (uint i = first; i < 32; i += step)
        if (document + i < n_documents && feature + lane < n_features)
            tile[i * 33 + lane] = rows[(size_t)(document + i) * n_features + feature + lane];
    BARRIER;
    for (uint i = first; i < 32; i += step)
        if (document + lane < n_documents && feature + i < n_features)
            columns[(size_t)(feature + i) * stride + document + lane] =
                float_key(tile[lane * 33 + i]);
}
