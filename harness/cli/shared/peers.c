#include "harness/cli/shared/peers.h"

#include "harness/cli/shared/measured.h"
#include "harness/measure/measure.h"
#include "impls/peers/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- standard output -------------------------------------------------------------------------- */

static int results = -1; /* the command's standard output, while standard error has its place */

static enum status divert_output(struct error *error) {
    fflush(stdout);
    results = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (results >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return STATUS_OK;
    return error_set(error, STATUS_MACHINE, "--peer: standard output: %s", strerror(errno));
}

void peers_end_output(void) {
    if (results < 0)
        return;
    fflush(stdout);
    dup2(results, STDOUT_FILENO);
    close(results);
    results = -1;
}

/* --- adding ----------------------------------------------------------------------------------- */

enum status peers_add(const struct flag_texts *typed, struct error *error) {
    enum status status = typed->count ? divert_output(error) : STATUS_OK;
    for (size_t i = 0; i < typed->count && !status; i++)
        status = plugin_add(typed->items[i], error);
    return status;
}

enum status peers_expand(const struct flag_texts *peers, const struct flag_texts *impls,
                         struct specs *specs, struct error *error) {
    size_t count;
    *specs = (struct specs){.count = 0};
    enum status status = peers_add(peers, error);
    if (!status)
        status = specs_expand(impls, impl_is_here, specs, error);
    const struct impl *const *all = impl_all(&count);
    for (size_t i = 0; i < count && !status; i++)
        if (all[i]->roles & IMPL_PEER)
            status = specs_add_name(specs, all[i]->name, true, error);
    return status;
}

/* --- telling ---------------------------------------------------------------------------------- */

bool peers_has(const struct row *row) {
    const struct impl *impl = impl_find(row->impl, NULL);
    return impl && (impl->roles & IMPL_PEER);
}

void peers_tell(const struct row *row, struct peers_told *told) {
    if (!peers_has(row) || row->status == ROW_OK || strcmp(row->reason, MEASURE_NO_TIME) == 0)
        return;
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->names[i], row->impl) == 0)
            return;
    told->names[told->count++] = row->impl;
    told->exit_status = worse_exit_status(told->exit_status, row_exit_status(row, true));
    command_note("%s: %s: %s", row->impl, row_status_names[row->status], row->reason);
}
