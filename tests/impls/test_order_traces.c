/* The sequence in which each loop order visits units and documents: it is what the order's letters
 * say, jin2016's identities hold, and docs/blocking.md draws it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "impls/scorer.h"

#include <stdio.h>
#include <string.h>

enum { UNITS = 7, DOCS = 11, PAIRS_MAX = UNITS * DOCS };

struct trace {
    struct pair {
        size_t unit, doc;
    } pairs[PAIRS_MAX];
    size_t count;
};

static void trace_add(struct trace *trace, size_t unit, size_t doc) {
    assert_true(trace->count < PAIRS_MAX);
    trace->pairs[trace->count++] = (struct pair){unit, doc};
}

/* --- the trace of an order -------------------------------------------------------------------- */

/* A scorer that computes nothing. It visits units and documents as implementations of one lane do,
 * and records them in the batch's workspace. */
static void record(const struct scorer *scorer, struct span units, struct span docs,
                   const struct batch *batch) {
    (void)scorer;
    for (size_t unit = units.begin; unit < units.end; unit++)
        for (size_t doc = docs.begin; doc < docs.end; doc++)
            trace_add(batch->workspace, unit, doc);
}

static const struct impl recorder = {.name = "recorder", .score = record};

/* n documents and m units. DS takes its documents one by one. */
static struct trace trace_of(enum order order, size_t d, size_t s, size_t m, size_t n) {
    struct trace trace = {.count = 0};
    const struct scorer scorer = {.impl = &recorder, .n_units = m, .lanes = 1};
    const struct plan plan = {
        .order = order, .doc_block = order == ORDER_DS ? 1 : d, .unit_block = s};
    const struct batch batch = {.workspace = &trace};
    scorer_run(&scorer, &plan, n, &batch);
    return trace;
}

static void assert_same(const char *what, const struct trace *a, const struct trace *b) {
    assert_int_equal(a->count, UNITS * DOCS);
    assert_int_equal(b->count, UNITS * DOCS);
    for (size_t i = 0; i < a->count; i++)
        if (a->pairs[i].unit != b->pairs[i].unit || a->pairs[i].doc != b->pairs[i].doc)
            fail_msg("%s: visit %zu is of unit %zu and document %zu instead of %zu and %zu", what,
                     i, a->pairs[i].unit, a->pairs[i].doc, b->pairs[i].unit, b->pairs[i].doc);
}

/* --- what the letters say --------------------------------------------------------------------- */

/* Loops over the documents or units that the first letter names, and in each turn over what the
 * other letters name. The last D and the last S take one at a time. Those before take blocks. */
static void visit(const char *letters, size_t d, size_t s, struct span units, struct span docs,
                  struct trace *trace) {
    if (!*letters) {
        trace_add(trace, units.begin, docs.begin);
        return;
    }
    bool is_docs = *letters == 'D', is_last = !strchr(letters + 1, *letters);
    const struct span all = is_docs ? docs : units;
    size_t size = is_last ? 1 : is_docs ? d : s;
    for (size_t begin = all.begin; begin < all.end; begin += size) {
        struct span part = {begin, begin + size < all.end ? begin + size : all.end};
        visit(letters + 1, d, s, is_docs ? units : part, is_docs ? part : docs, trace);
    }
}

static void every_order_is_the_nest_of_its_letters(void **state) {
    (void)state;
    for (enum order order = ORDER_DS; order < ORDERS; order++)
        for (size_t d = 1; d <= DOCS + 1; d++)
            for (size_t s = 1; s <= UNITS + 1; s++) {
                const struct trace found = trace_of(order, order_has_d(order) ? d : 0,
                                                    order_has_s(order) ? s : 0, UNITS, DOCS);
                struct trace expected = {.count = 0};
                visit(order_name(order), d, s, (struct span){0, UNITS}, (struct span){0, DOCS},
                      &expected);
                assert_same(order_name(order), &found, &expected);
            }
}

/* --- identities ------------------------------------------------------------------------------- */

enum { ANY = 1000, ALL = 1001 };

/* `left` with its sizes visits in the sequence of `right` with its sizes. ANY: the same size on
 * both sides, whatever it is. ALL: all documents, or all units. */
static const struct identity {
    enum order left;
    size_t d, s;
    enum order right;
} identities[] = {
    {ORDER_DSD, 1, 0, ORDER_DS},       {ORDER_DSD, ALL, 0, ORDER_SD},
    {ORDER_SDS, 0, 1, ORDER_SD},       {ORDER_SDS, 0, ALL, ORDER_DS},
    {ORDER_DSDS, ANY, 1, ORDER_DSD},   {ORDER_DSDS, ANY, ALL, ORDER_DS},
    {ORDER_DSDS, 1, ANY, ORDER_DS},    {ORDER_DSDS, ALL, ANY, ORDER_SDS},
    {ORDER_SDSD, 1, ANY, ORDER_SDS},   {ORDER_SDSD, ALL, ANY, ORDER_SD},
    {ORDER_SDSD, ANY, 1, ORDER_SD},    {ORDER_SDSD, ANY, ALL, ORDER_DSD},
    {ORDER_DSSD, ANY, ANY, ORDER_DSD}, {ORDER_SDDS, ANY, ANY, ORDER_SDS},
};

static size_t size_of(size_t size, size_t any, size_t all) {
    return size == ANY ? any : size == ALL ? all : size;
}

static void check_identity(const struct identity *identity, size_t d, size_t s) {
    char what[64];
    const struct trace left = trace_of(identity->left, size_of(identity->d, d, DOCS),
                                       size_of(identity->s, s, UNITS), UNITS, DOCS);
    const struct trace right = trace_of(identity->right, order_has_d(identity->right) ? d : 0,
                                        order_has_s(identity->right) ? s : 0, UNITS, DOCS);
    snprintf(what, sizeof what, "%s and %s, d = %zu, s = %zu", order_name(identity->left),
             order_name(identity->right), d, s);
    assert_same(what, &left, &right);
}

static void the_identities_of_jin2016_hold(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof identities / sizeof *identities; i++)
        for (size_t d = 1; d <= DOCS + 1; d++)
            for (size_t s = 1; s <= UNITS + 1; s++)
                check_identity(&identities[i], d, s);
}

static void an_order_begins_anew_in_each_call(void **state) {
    (void)state;
    enum { CALL = 5 };
    struct trace found = {.count = 0}, expected = {.count = 0};
    const struct scorer scorer = {.impl = &recorder, .n_units = UNITS, .lanes = 1};
    const struct plan plan = {.order = ORDER_SDSD, .doc_block = 2, .unit_block = 3, .call = CALL};
    scorer_run(&scorer, &plan, DOCS, &(const struct batch){.workspace = &found});
    for (size_t begin = 0; begin < DOCS; begin += CALL)
        visit("SDSD", 2, 3, (struct span){0, UNITS},
              (struct span){begin, begin + CALL < DOCS ? begin + CALL : DOCS}, &expected);
    assert_same("calls", &found, &expected);
}

/* --- figure 1 --------------------------------------------------------------------------------- */

enum { SIDE = 6, SIZE = 3, PANEL_WIDTH = 2 + 3 * SIDE, PANELS_PER_LINE = 3, FIGURE_SIZE = 4096 };

/* When each document meets each unit: 1 is the first visit. */
struct panel {
    char title[PANEL_WIDTH + 1];
    unsigned visit[SIDE][SIDE]; /* [document][unit] */
};

static struct panel draw(enum order order) {
    struct panel panel = {.title = ""};
    bool has_d = order_has_d(order), has_s = order_has_s(order);
    const struct trace trace = trace_of(order, has_d ? SIZE : 0, has_s ? SIZE : 0, SIDE, SIDE);
    for (size_t i = 0; i < trace.count; i++)
        panel.visit[trace.pairs[i].doc][trace.pairs[i].unit] = (unsigned)i + 1;
    snprintf(panel.title, sizeof panel.title, "%s%s%s", order_name(order), has_d ? ", d = 3" : "",
             has_s ? ", s = 3" : "");
    return panel;
}

/* Writes line number `line` of a panel: the title, the names of the units, or a document. */
static void print_line(const struct panel *panel, int line, char text[static PANEL_WIDTH + 1]) {
    if (line == 0) {
        snprintf(text, PANEL_WIDTH + 1, "%s", panel->title);
        return;
    }
    int used = line == 1 ? snprintf(text, PANEL_WIDTH + 1, "  ")
                         : snprintf(text, PANEL_WIDTH + 1, "v%d", line - 1);
    for (int unit = 0; unit < SIDE; unit++)
        used += line == 1 ? snprintf(text + used, 4, " u%d", unit + 1)
                          : snprintf(text + used, 4, " %2u", panel->visit[line - 2][unit]);
}

static void print_figure(FILE *stream) {
    static const enum order drawn[] = {ORDER_DS, ORDER_DSD, ORDER_DSDS,
                                       ORDER_SD, ORDER_SDS, ORDER_SDSD};
    for (size_t first = 0; first < sizeof drawn / sizeof *drawn; first += PANELS_PER_LINE) {
        fprintf(stream, "%s", first ? "\n" : "");
        for (int line = 0; line < SIDE + 2; line++)
            for (size_t i = 0; i < PANELS_PER_LINE; i++) {
                char text[PANEL_WIDTH + 1];
                const struct panel panel = draw(drawn[first + i]);
                print_line(&panel, line, text);
                if (i + 1 < PANELS_PER_LINE)
                    fprintf(stream, "%-*s", PANEL_WIDTH + 4, text);
                else
                    fprintf(stream, "%s\n", text);
            }
    }
}

static void figure_1_is_drawn_from_the_traces(void **state) {
    (void)state;
    char figure[FIGURE_SIZE] = "";
    struct file_text page;
    struct error error = {""};
    FILE *stream = fmemopen(figure, sizeof figure, "w");
    assert_non_null(stream);
    print_figure(stream);
    assert_int_equal(fclose(stream), 0);
    if (file_read("docs/blocking.md", &page, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    if (!memmem(page.data, page.size, figure, strlen(figure)))
        fail_msg("docs/blocking.md lacks this figure:\n%s", figure);
    file_text_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_is_the_nest_of_its_letters),
        cmocka_unit_test(the_identities_of_jin2016_hold),
        cmocka_unit_test(an_order_begins_anew_in_each_call),
        cmocka_unit_test(figure_1_is_drawn_from_the_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
