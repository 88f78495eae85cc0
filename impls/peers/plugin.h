/* Peers that users bring along: shared libraries that export a struct treebench_peer. */
#ifndef IMPLS_PEERS_PLUGIN_H
#define IMPLS_PEERS_PLUGIN_H

#include "impls/impl.h"

/* Reads "./x.so,option=value,...", asks the library in a process of its own what it is, and adds an
 * implementation to the registry, which is named as the peer names itself. Two options are
 * treebench's: model=FILE, and seconds=N for the time limit of everything that is done in such a
 * process. All others are passed to the peer.
 *
 * If the library cannot be used, the implementation is named as its file, and building it fails
 * with the reason. STATUS_INPUT only if the text is wrong. */
enum status plugin_add(const char *text, struct error *error);

/* How long a process may take in which the peer is tried. */
unsigned plugin_seconds(const struct impl *impl);

/* Makes later builds fail with this reason, because the peer crashed or hung. */
void plugin_give_up(const struct impl *impl, const char *reason);

/* Has the peer a model of its own, so that it cannot score others? */
bool plugin_has_model(const struct impl *impl);

#endif
