/* The values of --peer: libraries that users bring along (docs/peers.md). */
#ifndef HARNESS_CLI_SHARED_PEERS_H
#define HARNESS_CLI_SHARED_PEERS_H

#include "harness/cli/shared/specs.h"
#include "harness/rows/row.h"

#define PEER_FLAG(request, member)                                                                 \
    {                                                                                              \
        "peer", "FILE", "also a library of your own: ./x.so,option=value; may be repeated",        \
            SETS_TEXTS(request, member)                                                            \
    }
#define PEER_HELP                                                                                  \
    "--peer adds a library that exports a struct treebench_peer, named as it names itself. It is " \
    "first tried in a process of its own: one that crashes, hangs or gives other scores is left "  \
    "out with the reason. Exit status 1: it gave wrong scores. 2: it crashed or did not answer. "  \
    "4: it cannot run here. Its options model=FILE (a model in its own format) and seconds=N "     \
    "(its "                                                                                        \
    "limit, 60) are treebench's. See docs/peers.md."

/* Adds the peers to the registry. From now on, standard output is standard error, because peers may
 * print, and results must be alone on standard output. */
enum status peers_add(const struct flag_texts *typed, struct error *error);

/* Adds the peers to the registry, expands the values of --impl for what is installed, and appends
 * the peers as named. The caller frees the list even after an error. */
enum status peers_expand(const struct flag_texts *peers, const struct flag_texts *impls,
                         struct specs *specs, struct error *error);

/* Gives standard output back. Call it when all is measured, before results are printed. */
void peers_end_output(void);

/* Is this the row of a peer? */
bool peers_has(const struct row *row);

/* What a run that names no implementations reports of its peers at its end. */
struct peers_told {
    const char *names[IMPL_ADDED_MAX]; /* of peers that were left out; owned by rows */
    size_t count;
    int exit_status;
};

/* If a peer was left out in this row, prints the reason, once for each peer, and sets the exit
 * status. */
void peers_tell(const struct row *row, struct peers_told *told);

#endif
