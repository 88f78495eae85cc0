/* What operands of tables, figures and claims refer to in a panel. */
#include "base/number.h"
#include "harness/artefacts/panels.h"
#include "impls/order.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void panel_variant(const struct panel *panel, const char *operand, char *variant, size_t size) {
    static const char own[] = "v=panel";
    size_t length = strcspn(operand, "@");
    bool asks = length >= sizeof own - 1 &&
                strncmp(operand + length - (sizeof own - 1), own, sizeof own - 1) == 0;
    if (asks && panel->v > 0)
        snprintf(variant, size, "%.*sv=%" PRIu32, (int)(length - (sizeof own - 1)), operand,
                 panel->v);
    else
        snprintf(variant, size, "%.*s", (int)length, operand);
}

/* Returns the number of threads that the text ("16", or "all" for the largest) selects among the
 * first n of the panel's numbers, or 0 if it selects none of them. A panel that lists no numbers
 * has only the number 1. */
static uint32_t named_threads(const struct panel *panel, size_t n, const char *text,
                              size_t length) {
    uint32_t wanted;
    if (length == 3 && strncmp(text, "all", 3) == 0)
        return n > 0 ? panel->threads[n - 1] : 0;
    if (number_parse_u32(text, text + length, &wanted) != text + length)
        return 0;
    if (panel->n_threads == 0 && wanted == 1)
        return 1;
    for (size_t i = 0; i < n; i++)
        if (panel->threads[i] == wanted)
            return wanted;
    return 0;
}

/* Returns the number of threads that an operand with "@" selects among the first n of the panel's
 * numbers, or 0 if it selects none of them. Sets *parallel to the word after "/", which states what
 * the threads share, or to "". */
static uint32_t operand_threads(const struct panel *panel, size_t n, const char *operand,
                                const char **parallel) {
    const char *name = strchr(operand, '@') + 1;
    size_t length = strcspn(name, "/");
    enum parallel found;
    *parallel = name[length] ? name + length + 1 : "";
    if (name[length] && !parallel_find(*parallel, &found))
        return 0;
    return named_threads(panel, n, name, length);
}

bool panel_operand_point(const struct panel *panel, const struct point *point, const char *operand,
                         struct point *at) {
    const char *parallel = "";
    *at = *point;
    if (strchr(operand, '@'))
        at->threads = operand_threads(panel, panel->n_threads_here, operand, &parallel);
    if (*parallel)
        snprintf(at->parallel, sizeof at->parallel, "%s", parallel);
    point_default_barrier(at);
    return at->threads > 0;
}

bool panel_knows_threads(const struct panel *panel, const char *operand) {
    const char *parallel;
    return !strchr(operand, '@') ||
           operand_threads(panel, panel->n_threads, operand, &parallel) > 0;
}
