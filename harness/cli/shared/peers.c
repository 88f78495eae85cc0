#include "harness/cli/shared/peers.h"

#include "harness/measure/measure.h"
#include "impls/peers/plugin.h"

#include <stdio.h>
#include <string.h>

static enum status add_named(const struct impl *impl, struct specs *specs, struct error *error) {
    struct spec spec = {.is_named = true};
    snprintf(spec.text, sizeof spec.text, "%s", impl->name);
    return specs_add(specs, &spec, error);
}

enum status peers_add(const struct flag_texts *typed, struct error *error) {
    enum status status = STATUS_OK;
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
        if (all[i]->trial_seconds)
            status = add_named(all[i], specs, error);
    return status;
}

int row_exit_status(const struct row *row, bool is_named) {
    if (row->status == ROW_WRONG)
        return EXIT_CHECK;
    if (row->status == ROW_FAILED)
        return EXIT_USAGE;
    return row->status == ROW_UNSUPPORTED && is_named ? EXIT_MACHINE : EXIT_DONE;
}

void peers_tell(const struct row *row, struct peers_told *told) {
    const struct impl *impl = impl_find(row->impl, NULL);
    if (row->status == ROW_OK || strcmp(row->reason, MEASURE_NO_TIME) == 0 || !impl ||
        !impl->trial_seconds)
        return;
    for (size_t i = 0; i < told->count; i++)
        if (strcmp(told->names[i], impl->name) == 0)
            return;
    told->names[told->count++] = impl->name;
    int caused = row_exit_status(row, true);
    if (told->exit_status == EXIT_DONE || caused < told->exit_status)
        told->exit_status = caused;
    command_note("%s: %s: %s", impl->name, row_status_names[row->status], row->reason);
}
