#include "impls/variant.h"

#include <stdio.h>
#include <string.h>

/* The limit for the sizes of blocks. Larger blocks would be the same as all documents or units. */
#define BLOCK_MOST (1L << 40)

/* --- choices ---------------------------------------------------------------------------------- */

static enum status refuse_size(const struct order_choice *choice, const char *of, const char *size,
                               struct error *error) {
    return error_set(error, STATUS_INPUT, "order %s has no blocks of %s: leave out %s",
                     order_name(choice->order), of, size);
}

/* Reads a level: 1 to 4. Returns 0 for other characters. */
static unsigned level_of(char digit) {
    return digit >= '1' && digit <= '4' ? (unsigned)(digit - '0') : 0;
}

/* Reads "DSD2", "SDS1", "DSD2S1" or "SDS2D1". In the last two, the block that is named first needs
 * no lower level than the other. */
static bool parse_case(const char *name, struct order_choice *choice) {
    bool docs_first = strncmp(name, "DSD", 3) == 0;
    if (!docs_first && strncmp(name, "SDS", 3) != 0)
        return false;
    unsigned first = level_of(name[3]), second = 0;
    if (first && name[4] == (docs_first ? 'S' : 'D'))
        second = level_of(name[5]);
    if (!first || name[second ? 6 : 4] != '\0' || second > first)
        return false;
    *choice = (struct order_choice){.is_given = true,
                                    .order = docs_first ? second ? ORDER_DSDS : ORDER_DSD
                                             : second   ? ORDER_SDSD
                                                        : ORDER_SDS,
                                    .doc_level = docs_first ? first : second,
                                    .unit_level = docs_first ? second : first};
    return true;
}

enum status order_choice_parse(const char *name, const char *option, struct order_choice *choice,
                               struct error *error) {
    char names[96] = "";
    for (enum order order = ORDER_DS; order < ORDERS; order++)
        if (strcmp(order_name(order), name) == 0) {
            *choice = (struct order_choice){.is_given = true, .order = order};
            return STATUS_OK;
        }
    if (parse_case(name, choice))
        return STATUS_OK;
    for (size_t i = 0, used = 0; i < ORDERS; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 order_names[i]);
    return error_set(error, STATUS_INPUT, "%s%s: must be one of %s, or a case such as DSD2S1",
                     option, name, names);
}

enum status order_choice_check(const struct order_choice *choice, const char *d, const char *s,
                               struct error *error) {
    if (!choice->is_given && (choice->d || choice->s))
        return error_set(error, STATUS_INPUT, "%s has no effect without an order",
                         choice->d ? d : s);
    if (!choice->is_given)
        return STATUS_OK;
    if (choice->d && !order_has_d(choice->order))
        return refuse_size(choice, "documents", d, error);
    if (choice->s && !order_has_s(choice->order))
        return refuse_size(choice, "units", s, error);
    if ((choice->d || choice->s) && (choice->doc_level || choice->unit_level))
        return error_set(error, STATUS_INPUT,
                         "a range case such as DSD2 chooses its sizes: leave out %s",
                         choice->d ? d : s);
    return STATUS_OK;
}

enum status order_plan(const struct order_choice *choice, const struct scorer *scorer,
                       struct plan *plan, struct error *error) {
    if (scorer->lanes == 0 && choice->order != ORDER_SD && choice->order != ORDER_DSD)
        return error_set(error, STATUS_UNSUPPORTED,
                         "%s: a library scores whole calls of documents, so it has only the orders "
                         "SD and DSD",
                         scorer->impl->name);
    plan->order = choice->order;
    plan->doc_block = choice->order == ORDER_DS ? scorer->lanes : choice->d;
    plan->unit_block = choice->s;
    return STATUS_OK;
}

/* --- variants --------------------------------------------------------------------------------- */

static enum status read_order(const struct options *options, struct order_choice *choice,
                              struct error *error) {
    const char *name = options_get(options, "order");
    *choice = (struct order_choice){.is_given = false};
    return name ? order_choice_parse(name, "order=", choice, error) : STATUS_OK;
}

static enum status read_choice(const struct options *options, struct order_choice *choice,
                               struct error *error) {
    long d = 0, s = 0;
    enum status status = read_order(options, choice, error);
    if (!status)
        status = options_integer(options, "d", 1, BLOCK_MOST, 0, &d, error);
    if (!status)
        status = options_integer(options, "s", 1, BLOCK_MOST, 0, &s, error);
    choice->d = (size_t)d;
    choice->s = (size_t)s;
    return status ? status : order_choice_check(choice, "d=N", "s=N", error);
}

static bool belongs_to_order(const struct option_pair *pair) {
    return strcmp(pair->name, "order") == 0 || strcmp(pair->name, "d") == 0 ||
           strcmp(pair->name, "s") == 0;
}

static bool has_order(const struct options *options) {
    for (size_t i = 0; i < options->count; i++)
        if (belongs_to_order(&options->pairs[i]))
            return true;
    return false;
}

/* Removes the options that belong to the order. */
static void drop_order(struct options *options) {
    size_t kept = 0;
    for (size_t i = 0; i < options->count; i++)
        if (!belongs_to_order(&options->pairs[i]))
            options->pairs[kept++] = options->pairs[i];
    options->count = kept;
}

/* Writes "name" or "name,key=value,...". Returns false if `to` is too small. */
static bool write_text(const char *name, const struct options *options,
                       char to[static VARIANT_SPEC_SIZE]) {
    char pairs[OPTIONS_MAX * 2 * OPTION_TEXT_SIZE], text[OPTION_TEXT_SIZE + sizeof pairs + 2];
    options_format(options, pairs, sizeof pairs);
    int size = snprintf(text, sizeof text, "%s%s%s", name, options->count ? "," : "", pairs);
    if (size >= VARIANT_SPEC_SIZE)
        return false;
    memcpy(to, text, (size_t)size + 1);
    return true;
}

static enum status refuse_length(const char *text, struct error *error) {
    return error_set(error, STATUS_INPUT, "'%.*s...': longer than %d characters", VARIANT_SPEC_SIZE,
                     text, VARIANT_SPEC_SIZE - 1);
}

enum status variant_parse(const char *text, struct variant *variant, struct error *error) {
    char name[OPTION_TEXT_SIZE];
    struct options options;
    struct error reason;
    *variant = (struct variant){.order = {.is_given = false}};
    enum status status = options_parse(text, name, &options, error);
    if (status)
        return status;
    if (!has_order(&options)) /* stays as it was typed */
        return snprintf(variant->spec, VARIANT_SPEC_SIZE, "%s", text) < VARIANT_SPEC_SIZE
                   ? STATUS_OK
                   : refuse_length(text, error);
    status = read_choice(&options, &variant->order, &reason);
    if (status) {
        variant->order = (struct order_choice){.is_given = false};
        return error_set(error, status, "%s: %s", text, reason.text);
    }
    drop_order(&options);
    return write_text(name, &options, variant->spec) ? STATUS_OK : refuse_length(text, error);
}

enum { ORDER_TEXT = 32 };

/* Writes "DSD", or "DSD2S1" for a range case. */
static void write_order(const struct order_choice *choice, char text[static ORDER_TEXT]) {
    bool docs_first = choice->order == ORDER_DSD || choice->order == ORDER_DSDS;
    unsigned first = docs_first ? choice->doc_level : choice->unit_level;
    unsigned second = docs_first ? choice->unit_level : choice->doc_level;
    if (!first)
        snprintf(text, ORDER_TEXT, "%s", order_name(choice->order));
    else if (!second)
        snprintf(text, ORDER_TEXT, "%.3s%u", order_name(choice->order), first);
    else
        snprintf(text, ORDER_TEXT, "%.3s%u%c%u", order_name(choice->order), first,
                 docs_first ? 'S' : 'D', second);
}

void variant_add_order(const char *text, const struct order_choice *choice,
                       char to[static VARIANT_SPEC_SIZE]) {
    char longer[2 * VARIANT_SPEC_SIZE], name[OPTION_TEXT_SIZE];
    char order[ORDER_TEXT];
    struct options options;
    snprintf(to, VARIANT_SPEC_SIZE, "%s", text);
    if (!choice->is_given || options_parse(text, name, &options, NULL) != STATUS_OK ||
        has_order(&options))
        return;
    write_order(choice, order);
    size_t used =
        (size_t)snprintf(longer, sizeof longer, "%.*s,order=%s", VARIANT_SPEC_SIZE, text, order);
    if (choice->d)
        used += (size_t)snprintf(longer + used, sizeof longer - used, ",d=%zu", choice->d);
    if (choice->s)
        snprintf(longer + used, sizeof longer - used, ",s=%zu", choice->s);
    if (options_parse(longer, name, &options, NULL) == STATUS_OK)
        write_text(name, &options, to);
}
