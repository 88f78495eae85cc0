/* What is not reproduced: the file, the page about it, and whether one of them or a config has each
 * figure and table of the papers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/file.h"
#include "harness/papers/not_reproduced.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char file[] = "results/not-reproduced.json", page_path[] = "docs/not-reproduced.md";

/* How many figures and tables each paper has. */
static const struct {
    const char *name;
    unsigned figures, tables;
} papers[] = {{"asadi2012", 3, 4},
              {"asadi2014", 5, 4},
              {"buschjaeger2018", 4, 3},
              {"jin2016", 8, 10},
              {"lettich2018", 2, 7}};
enum { PAPERS = sizeof papers / sizeof *papers, NUMBER_MAX = 20 };

static struct not_reproduced_list read_list(const char *path, const cJSON *configs) {
    struct not_reproduced_list list = {.count = 0};
    struct error error;
    if (not_reproduced_read(path, configs, &list, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return list;
}

static char *read_page(void) {
    struct file_text page;
    assert_int_equal(file_read(page_path, &page, NULL), STATUS_OK);
    return page.data;
}

/* --- the page --------------------------------------------------------------------------------- */

/* Writes the heading of a paper, and the table of its entries. */
static char *expected_section(const struct not_reproduced_list *list, const char *paper) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fprintf(
        stream,
        "\n## %s\n\n| where | what is missing | why | what it would take |\n|---|---|---|---|\n",
        paper);
    for (size_t i = 0; i < list->count; i++) {
        const struct not_reproduced *entry = &list->entries[i];
        if (strcmp(entry->paper, paper) == 0)
            fprintf(stream, "| %s | %s | %s | %s |\n", entry->where, entry->what, entry->why,
                    entry->needs);
    }
    fputc('\n', stream);
    fclose(stream);
    return text;
}

static void the_page_has_the_tables_of_the_file(void **state) {
    (void)state;
    struct not_reproduced_list list = read_list(file, NULL);
    char *page = read_page();
    size_t of_papers = 0;
    for (size_t p = 0; p <= PAPERS; p++) {
        const char *paper = p < PAPERS ? papers[p].name : NOT_REPRODUCED_ALL;
        char *section = expected_section(&list, paper);
        if (!strstr(page, section))
            fail_msg("%s lacks this section:%s", page_path, section);
        free(section);
        for (size_t i = 0; i < list.count; i++)
            of_papers += strcmp(list.entries[i].paper, paper) == 0;
    }
    assert_int_equal(of_papers, list.count);
    not_reproduced_free(&list);
    free(page);
}

/* --- figures and tables ----------------------------------------------------------------------- */

/* The number of a figure or table: "3" or, up to three, "III". 0 for other words. */
static unsigned number_of(const char *word) {
    if (isdigit((unsigned char)*word))
        return (unsigned)strtoul(word, NULL, 10);
    return word[strspn(word, "I")] == '\0' ? (unsigned)strlen(word) : 0;
}

/* Returns whether "Figs. 3, 4, Table II" names this one. `kind` is "Fig" or "Table". */
static bool names(const char *where, const char *kind, unsigned number) {
    char copy[256], *rest = copy;
    bool is_kind = false, found = false;
    snprintf(copy, sizeof copy, "%s", where);
    for (char *word; (word = strtok_r(rest, " ,.", &rest));) {
        if (islower((unsigned char)word[strlen(word) - 1]))
            is_kind = strncmp(word, kind, strlen(kind)) == 0;
        else
            found |= is_kind && number_of(word) == number;
    }
    return found;
}

static bool list_names(const struct not_reproduced_list *list, const char *paper, const char *kind,
                       unsigned number) {
    bool found = false;
    for (size_t i = 0; i < list->count; i++)
        found |= strcmp(list->entries[i].paper, paper) == 0 &&
                 names(list->entries[i].where, kind, number);
    return found;
}

/* The page's last table has lines "| PAPER | WHICH | ...". */
static bool page_names(const char *page, const char *paper, const char *kind, unsigned number) {
    char begin[64];
    bool found = false;
    snprintf(begin, sizeof begin, "\n| %s | ", paper);
    for (const char *at = page; (at = strstr(at, begin));) {
        char which[256];
        at += strlen(begin);
        snprintf(which, sizeof which, "%.*s", (int)strcspn(at, "|"), at);
        found |= names(which, kind, number);
    }
    return found;
}

static bool has_config(const char *paper, const char *kind, unsigned number) {
    char path[128];
    snprintf(path, sizeof path, "configs/%s-%s%u.json", paper,
             strcmp(kind, "Fig") == 0 ? "fig" : "table", number);
    return access(path, R_OK) == 0;
}

static void check_kind(const struct not_reproduced_list *list, const char *page, const char *paper,
                       const char *kind, unsigned count) {
    for (unsigned number = 1; number <= NUMBER_MAX; number++) {
        bool is_named =
            list_names(list, paper, kind, number) || page_names(page, paper, kind, number);
        if (number <= count && !is_named && !has_config(paper, kind, number))
            fail_msg("%s has no config for %s %u, and %s does not name it", paper, kind, number,
                     page_path);
        if (number > count && is_named)
            fail_msg("%s has no %s %u, but %s names it", paper, kind, number, page_path);
    }
}

static void every_figure_and_table_has_a_config_or_is_named(void **state) {
    (void)state;
    struct not_reproduced_list list = read_list(file, NULL);
    char *page = read_page();
    assert_true(names("Figs. 3, 4, Tables I, III", "Fig", 4));
    assert_true(names("Figs. 3, 4, Tables I, III", "Table", 3));
    assert_false(names("Figs. 3, 4, Tables I, III", "Table", 4));
    for (size_t p = 0; p < PAPERS; p++) {
        check_kind(&list, page, papers[p].name, "Fig", papers[p].figures);
        check_kind(&list, page, papers[p].name, "Table", papers[p].tables);
    }
    not_reproduced_free(&list);
    free(page);
}

/* --- the report ------------------------------------------------------------------------------- */

static void a_run_has_the_entries_of_its_papers(void **state) {
    (void)state;
    cJSON *configs = cJSON_Parse("{\"buschjaeger2018-fig2\": \"0\"}");
    struct not_reproduced_list list = read_list(file, configs);
    bool has_all = false, has_imdb = false;
    for (size_t i = 0; i < list.count; i++) {
        bool is_all = strcmp(list.entries[i].paper, NOT_REPRODUCED_ALL) == 0;
        assert_true(is_all || strcmp(list.entries[i].paper, "buschjaeger2018") == 0);
        has_all |= is_all;
        has_imdb |= strcmp(list.entries[i].what, "the data set imdb") == 0;
    }
    assert_true(has_all && has_imdb);
    not_reproduced_free(&list);
    cJSON_Delete(configs);
}

static void a_report_has_a_line_per_entry(void **state) {
    (void)state;
    struct not_reproduced entries[] = {{"p2000", "Fig. 1", "its times", "no machine", "one"},
                                       {"p2000", "Table 2", "its \"data\"", "lost", "luck"}};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    not_reproduced_write(stream, &(struct not_reproduced_list){.count = 0});
    fflush(stream);
    assert_int_equal(size, 0);
    not_reproduced_write(stream, &(struct not_reproduced_list){.entries = entries, .count = 2});
    fclose(stream);
    assert_string_equal(text, "\n> **Not reproduced.** docs/not-reproduced.md describes what each "
                              "would take.\n>\n"
                              "> - p2000, Fig. 1: its times (no machine)\n"
                              "> - p2000, Table 2: its \"data\" (lost)\n");
    free(text);
}

static void expect_refused(const char *text, const char *message) {
    char path[] = "/tmp/treebench-not-reproduced-XXXXXX";
    int descriptor = mkstemp(path);
    assert_int_equal(write(descriptor, text, strlen(text)), strlen(text));
    close(descriptor);
    struct not_reproduced_list list = {.count = 0};
    struct error error;
    enum status status = not_reproduced_read(path, NULL, &list, &error);
    not_reproduced_free(&list);
    unlink(path);
    assert_int_equal(status, STATUS_INPUT);
    if (!strstr(error.text, message))
        fail_msg("%s", error.text);
}

static void wrong_files_are_refused(void **state) {
    (void)state;
    expect_refused("{}", ": expected an array of entries");
    expect_refused("[{\"paper\": \"p\", \"where\": \"Fig. 1\", \"what\": \"w\", \"why\": \"y\"}]",
                   ": entry 1: needs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_page_has_the_tables_of_the_file),
        cmocka_unit_test(every_figure_and_table_has_a_config_or_is_named),
        cmocka_unit_test(a_run_has_the_entries_of_its_papers),
        cmocka_unit_test(a_report_has_a_line_per_entry),
        cmocka_unit_test(wrong_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
