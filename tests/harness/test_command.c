/* The parsing of a command's options: what is set, what is refused, and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "harness/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command example = {
    .name = "example",
    .summary = "shows options",
    .details = "Example:\n  treebench example --model FILE",
};

/* What a parse of the example's options came to. */
struct outcome {
    const char *model, *impl, *resume;
    struct flag_list variants, operands;
    int status;
    bool done;
    char output[4096]; /* of the stream that was watched */
};

/* Sends a stream into a temporary file while the parse runs. */
static int begin_capture(FILE *stream, FILE *capture) {
    fflush(stream);
    int saved = dup(fileno(stream));
    assert_true(saved >= 0);
    assert_true(dup2(fileno(capture), fileno(stream)) >= 0);
    return saved;
}

static void end_capture(FILE *stream, FILE *capture, int saved, char *text, size_t size) {
    fflush(stream);
    dup2(saved, fileno(stream));
    close(saved);
    rewind(capture);
    text[fread(text, 1, size - 1, capture)] = '\0';
    fclose(capture);
}

enum { ARGUMENTS_MAX = 80 };

enum wish { PLAIN, OPERANDS_WANTED, MODEL_REQUIRED };

static struct outcome parse_watching(FILE *stream, enum wish wish, const char *const *arguments) {
    struct outcome outcome = {.impl = "vpred"};
    struct flag flags[] = {
        {.name = "model", .argument = "FILE", .help = "the model", .value = &outcome.model},
        {.name = "impl", .argument = "SPEC", .help = "how to score", .value = &outcome.impl},
        {.name = "resume", .help = "go on", .value = &outcome.resume},
        {.name = "variant", .argument = "V", .help = "one more", .list = &outcome.variants},
        {0}};
    char *argv[ARGUMENTS_MAX] = {(char *)(uintptr_t) "example"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];

    FILE *capture = tmpfile();
    assert_non_null(capture);
    int saved = begin_capture(stream, capture);
    outcome.status =
        command_parse(&example, flags, argc, argv,
                      wish == OPERANDS_WANTED ? &outcome.operands : NULL, &outcome.done);
    if (outcome.status == EXIT_DONE && wish == MODEL_REQUIRED)
        outcome.status = command_require(&example, flags, "model");
    end_capture(stream, capture, saved, outcome.output, sizeof outcome.output);
    return outcome;
}

#define PARSE_AS(wish, ...) parse_watching(stderr, wish, (const char *const[]){__VA_ARGS__, NULL})
#define PARSE(...) PARSE_AS(PLAIN, __VA_ARGS__)

static void assert_refused(const struct outcome *outcome, const char *words) {
    assert_int_equal(outcome->status, EXIT_USAGE);
    assert_false(outcome->done);
    const char *start = "treebench: example: ";
    assert_int_equal(strncmp(outcome->output, start, strlen(start)), 0);
    if (!strstr(outcome->output, words))
        fail_msg("'%s' is not in: %s", words, outcome->output);
    assert_ptr_equal(strchr(outcome->output, '\n'), outcome->output + strlen(outcome->output) - 1);
}

static void values_are_set(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--model", "a.json", "--impl=pred,x=y", "--resume");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_string_equal(outcome.model, "a.json");
    assert_string_equal(outcome.impl, "pred,x=y");
    assert_string_equal(outcome.resume, "");
    assert_string_equal(outcome.output, "");
}

static void what_is_not_given_is_left_alone(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--model=");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_string_equal(outcome.model, "");
    assert_string_equal(outcome.impl, "vpred");
    assert_null(outcome.resume);
}

static void dash_is_an_argument(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--model", "-");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_string_equal(outcome.model, "-");
}

static void lists_collect_every_occurrence(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--variant", "a,v=1", "--variant=b");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_int_equal(outcome.variants.count, 2);
    assert_string_equal(outcome.variants.items[0], "a,v=1");
    assert_string_equal(outcome.variants.items[1], "b");
}

static void a_full_list_is_refused(void **state) {
    (void)state;
    const char *arguments[FLAG_LIST_MAX + 2] = {NULL};
    for (size_t i = 0; i < FLAG_LIST_MAX + 1; i++)
        arguments[i] = "--variant=a";
    struct outcome outcome = parse_watching(stderr, PLAIN, arguments);
    assert_refused(&outcome, "more than 64 variant");
}

static void operands_only_where_they_are_wanted(void **state) {
    (void)state;
    struct outcome outcome = PARSE_AS(OPERANDS_WANTED, "a", "--model", "m", "--", "--b");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_int_equal(outcome.operands.count, 2);
    assert_string_equal(outcome.operands.items[1], "--b");
    outcome = PARSE("a.json");
    assert_refused(&outcome, "'a.json'");
}

static void mistakes_are_one_line(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--modle", "a.json");
    assert_refused(&outcome, "did you mean '--model'");
    outcome = PARSE("--zzzzzzzz");
    assert_refused(&outcome, "unknown option '--zzzzzzzz'");
    assert_null(strstr(outcome.output, "did you mean"));
    outcome = PARSE("-m", "a.json");
    assert_refused(&outcome, "unknown option '-m'");
    outcome = PARSE("--model");
    assert_refused(&outcome, "--model FILE");
    outcome = PARSE("--model", "--resume");
    assert_refused(&outcome, "--model FILE");
    outcome = PARSE("--resume=yes");
    assert_refused(&outcome, "takes no argument");
    outcome = PARSE("--model=a", "--model=a");
    assert_refused(&outcome, "twice");
    outcome = PARSE("--resume", "--resume");
    assert_refused(&outcome, "twice");
}

static void a_required_option_is_asked_for(void **state) {
    (void)state;
    struct outcome outcome = PARSE_AS(MODEL_REQUIRED, "--resume");
    assert_refused(&outcome, "--model FILE is missing: the model");
    outcome = PARSE_AS(MODEL_REQUIRED, "--resume", "--model=");
    assert_refused(&outcome, "--model FILE is missing");
    outcome = PARSE_AS(MODEL_REQUIRED, "--resume", "--model=m");
    assert_int_equal(outcome.status, EXIT_DONE);
}

static void help_shows_every_option(void **state) {
    (void)state;
    const char *const arguments[] = {"--model", "m", "--help", "--nonsense", NULL};
    struct outcome outcome = parse_watching(stdout, PLAIN, arguments);
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_true(outcome.done);
    assert_non_null(strstr(outcome.output, "usage: treebench example"));
    assert_non_null(strstr(outcome.output, "  --model FILE  the model\n"));
    assert_non_null(strstr(outcome.output, "  --resume      go on\n"));
    assert_non_null(strstr(outcome.output, "  --help        print this\n"));
    assert_non_null(strstr(outcome.output, "treebench example --model FILE\n"));
}

static void integers_are_checked(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "", "x", "1x", "1.5", "-3", "21", " 1", "1 ", "99999999999999999999"};
    struct error error;
    long long value = 7;
    assert_int_equal(command_integer("depth", "20", 0, 20, &value, &error), STATUS_OK);
    assert_int_equal(value, 20);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(command_integer("depth", wrong[i], 0, 20, &value, &error), STATUS_INPUT);
        assert_non_null(strstr(error.text, "--depth"));
        assert_non_null(strstr(error.text, "0 to 20"));
        assert_int_equal(value, 20);
    }
}

static void the_nearest_name_is_found(void **state) {
    (void)state;
    static const char *const names[] = {"score", "synth", "list"};
    assert_string_equal(nearest_name("scoer", names, 3), "score");
    assert_string_equal(nearest_name("lst", names, 3), "list");
    assert_string_equal(nearest_name("synt", names, 3), "synth");
    assert_null(nearest_name("measurement", names, 3));
    assert_null(nearest_name("score", names, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_set),
        cmocka_unit_test(what_is_not_given_is_left_alone),
        cmocka_unit_test(dash_is_an_argument),
        cmocka_unit_test(lists_collect_every_occurrence),
        cmocka_unit_test(a_full_list_is_refused),
        cmocka_unit_test(operands_only_where_they_are_wanted),
        cmocka_unit_test(mistakes_are_one_line),
        cmocka_unit_test(a_required_option_is_asked_for),
        cmocka_unit_test(help_shows_every_option),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(the_nearest_name_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
