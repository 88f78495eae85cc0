/* The parsing of a command's options: what is set, what is refused, and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "harness/cli/shared/command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What a parse of the example's options came to. */
struct outcome {
    const char *model, *impl;
    bool resume;
    int colour; /* 0: not given */
    int64_t depth;
    double share, pause;
    struct flag_texts variants;
    struct flag_integers sizes;
    int status;
    bool ends;
    char output[4096]; /* of the stream that was watched */
};

static const char *const colours[] = {"red", "green", "blue", NULL};
static const struct flag example_flags[] = {
    {"model", "FILE", "the model", SETS_TEXT(outcome, model)},
    {"impl", "SPEC", "how to score", SETS_TEXT(outcome, impl)},
    {"resume", NULL, "go on", SETS_SWITCH(outcome, resume)},
    {"colour", NULL, "of the bicycle shed, which has been discussed for many hours already",
     SETS_CHOICE(outcome, colour, colours)},
    {"depth", "N", "how deep", SETS_INTEGER(outcome, depth, 0, 20)},
    {"share", "X", "how much", SETS_REAL(outcome, share, 0, 1)},
    {"pause", "TIME", "how long", SETS_TIME(outcome, pause, 1, 1000000000)},
    {"variant", "V", "one more", SETS_TEXTS(outcome, variants)},
    {"size", "N,N,...", "sizes", SETS_INTEGERS(outcome, sizes, 1, 100)},
    {"an-option-with-a-long-name", "FILE", "at its right", SETS_TEXT(outcome, impl)},
    {0}};

static const struct flag required_flags[] = {
    {"model", "FILE", "the model", SETS_TEXT(outcome, model), .required = true},
    {"resume", NULL, "go on", SETS_SWITCH(outcome, resume)},
    {0}};

static const struct command example = {
    .name = "example",
    .summary = "shows options",
    .details = "Example:\n  treebench example --model FILE",
    .flags = example_flags,
};

static const struct command requires_model = {
    .name = "example",
    .summary = "shows options",
    .details = "",
    .flags = required_flags,
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

static struct outcome parse_watching(FILE *stream, const struct command *command,
                                     const char *const *arguments) {
    struct outcome outcome = {.impl = "vpred", .depth = 7};
    char *argv[ARGUMENTS_MAX] = {(char *)(uintptr_t) "example"};
    int argc = 1;
    for (; arguments[argc - 1]; argc++)
        argv[argc] = (char *)(uintptr_t)arguments[argc - 1];

    FILE *capture = tmpfile();
    assert_non_null(capture);
    int saved = begin_capture(stream, capture);
    struct parsed parsed = command_parse(command, argc, argv, &outcome);
    outcome.status = parsed.exit_status;
    outcome.ends = parsed.ends;
    end_capture(stream, capture, saved, outcome.output, sizeof outcome.output);
    return outcome;
}

#define PARSE_AS(command, ...)                                                                     \
    parse_watching(stderr, command, (const char *const[]){__VA_ARGS__, NULL})
#define PARSE(...) PARSE_AS(&example, __VA_ARGS__)

static void assert_refused(const struct outcome *outcome, const char *words) {
    assert_int_equal(outcome->status, EXIT_USAGE);
    assert_true(outcome->ends);
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
    assert_true(outcome.resume);
    assert_string_equal(outcome.output, "");
}

static void what_is_not_given_is_left_alone(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--model=");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_string_equal(outcome.model, "");
    assert_string_equal(outcome.impl, "vpred");
    assert_false(outcome.resume);
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
    struct outcome outcome = parse_watching(stderr, &example, arguments);
    assert_refused(&outcome, "--variant is given more than 64 times");
}

static void operands_are_refused(void **state) {
    (void)state;
    struct outcome outcome = PARSE("a.json");
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
    struct outcome outcome = PARSE_AS(&requires_model, "--resume");
    assert_refused(&outcome, "--model FILE is required");
    outcome = PARSE_AS(&requires_model, "--resume", "--model=");
    assert_refused(&outcome, "--model FILE is required");
    outcome = PARSE_AS(&requires_model, "--resume", "--model=m");
    assert_int_equal(outcome.status, EXIT_DONE);
}

static void help_shows_every_option(void **state) {
    (void)state;
    const char *const arguments[] = {"--model", "m", "--help", "--nonsense", NULL};
    struct outcome outcome = parse_watching(stdout, &example, arguments);
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_true(outcome.ends);
    assert_non_null(strstr(outcome.output, "usage: treebench example"));
    assert_non_null(strstr(outcome.output, "\n  --model FILE    the model\n"));
    assert_non_null(strstr(outcome.output, "\n  --resume        go on\n"));
    assert_non_null(strstr(outcome.output, "\n  --help          print this help\n"));
    assert_non_null(strstr(outcome.output, "\n  --an-option-with-a-long-name FILE\n"
                                           "                  at its right\n"));
    assert_non_null(
        strstr(outcome.output,
               "\n  --colour red|green|blue\n"
               "                  of the bicycle shed, which has been discussed for many hours\n"
               "                  already\n"));
    assert_non_null(strstr(outcome.output, "treebench example --model FILE\n"));
}

static void integers_are_checked(void **state) {
    (void)state;
    static const char *const wrong[] = {"",   "x",  "1x", "1.5", "-3",
                                        "21", " 1", "1 ", "1,2", "99999999999999999999"};
    struct outcome outcome = PARSE("--depth", "20");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_int_equal(outcome.depth, 20);
    outcome = PARSE("--depth=0");
    assert_int_equal(outcome.depth, 0);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        outcome = PARSE("--depth", wrong[i]);
        assert_refused(&outcome, "--depth: '");
        assert_refused(&outcome, "is not an integer from 0 to 20");
        assert_int_equal(outcome.depth, 7);
    }
}

static void times_have_units(void **state) {
    (void)state;
    static const struct {
        const char *typed;
        double ns;
    } times[] = {{"2000", 2000}, {"7ns", 7}, {"100us", 1e5}, {"0.5ms", 5e5}, {"1s", 1e9}};
    static const char *const mistakes[] = {"1m", "0us", "2s", "ms", "1us2", "-1us", "nan", ""};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        assert_true(PARSE("--pause", times[i].typed).pause == times[i].ns);
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        struct outcome outcome = PARSE("--pause", mistakes[i]);
        assert_refused(&outcome, "' is not a time from 1 to 1000000000 ns, such as 2000, 100us or");
    }
}

static void real_numbers_are_checked(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "x", "0.5x", "-0.1", "1.01", "nan", "inf"};
    struct outcome outcome = PARSE("--share", "0.25");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_true(outcome.share == 0.25);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        outcome = PARSE("--share", wrong[i]);
        assert_refused(&outcome, "is not a number from 0 to 1");
    }
}

static void choices_are_numbered_from_1(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--resume");
    assert_int_equal(outcome.colour, 0);
    outcome = PARSE("--colour", "red");
    assert_int_equal(outcome.colour, 1);
    outcome = PARSE("--colour=blue");
    assert_int_equal(outcome.colour, 3);
    outcome = PARSE("--colour", "gren");
    assert_refused(&outcome,
                   "--colour: 'gren' is not one of red, green, blue: did you mean 'green'?");
    outcome = PARSE("--colour", "umber");
    assert_refused(&outcome, "--colour: 'umber' is not one of red, green, blue;");
    outcome = PARSE("--colour");
    assert_refused(&outcome, "--colour needs an argument: --colour red|green|blue");
}

static void integers_are_listed_with_commas_or_again(void **state) {
    (void)state;
    struct outcome outcome = PARSE("--size", "3,100", "--size=1");
    assert_int_equal(outcome.status, EXIT_DONE);
    assert_int_equal(outcome.sizes.count, 3);
    assert_int_equal(outcome.sizes.items[0], 3);
    assert_int_equal(outcome.sizes.items[1], 100);
    assert_int_equal(outcome.sizes.items[2], 1);
    static const char *const wrong[] = {"", ",", "1,", ",1", "1,101", "1;2", "0"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        outcome = PARSE("--size", wrong[i]);
        assert_refused(&outcome, "is not an integer from 1 to 100");
    }
    outcome = PARSE("--size=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17");
    assert_refused(&outcome, "--size: more than 16 numbers");
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
        cmocka_unit_test(operands_are_refused),
        cmocka_unit_test(mistakes_are_one_line),
        cmocka_unit_test(a_required_option_is_asked_for),
        cmocka_unit_test(help_shows_every_option),
        cmocka_unit_test(integers_are_checked),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(real_numbers_are_checked),
        cmocka_unit_test(choices_are_numbered_from_1),
        cmocka_unit_test(integers_are_listed_with_commas_or_again),
        cmocka_unit_test(the_nearest_name_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
