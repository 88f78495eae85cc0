#include "harness/counting/counted_pass.h"

#include "base/order.h"
#include "datasets/data.h"
#include "harness/counting/step.h"
#include "impls/variant.h"
#include "models/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_BYTES ((size_t)32 << 20) /* of documents */
enum { STEP = 64 };
_Static_assert((int)COUNTED_TEXT_SIZE == (int)STEP_OUTPUT_SIZE, "the output is copied");

static const char *const names[COUNTED_FILES] = {"model.json", "documents.cache", "profile"};

static void refuse(struct counts *counts, const char *reason) {
    *counts = (struct counts){.source = "none"};
    snprintf(counts->reason, sizeof counts->reason, "%.*s", (int)sizeof counts->reason - 1, reason);
}

/* --- the workload ----------------------------------------------------------------------------- */

size_t counted_pass_documents(size_t n_rows, size_t stride, size_t n_trees, size_t most_pairs) {
    size_t most = smaller(most_pairs / (n_trees ? n_trees : 1),
                          MOST_BYTES / ((stride ? stride : 1) * sizeof(float)));
    most = most > STEP ? most - most % STEP : STEP;
    return smaller(n_rows, most);
}

/* Picks the documents of the warm-up, then the documents to count. Both sets are spread evenly over
 * all documents. They must represent all documents, but the documents of one query are alike. */
static enum status pick_documents(const struct counted_pass *pass, const struct matrix *documents,
                                  struct matrix **picked, struct error *error) {
    size_t counted = pass->documents, rows = documents->n_rows;
    size_t n = smaller(rows, 2 * counted), warming = n - counted;
    enum status status = matrix_create(n, documents->n_features, picked, error);
    for (size_t i = 0; i < n && !status; i++) {
        size_t half_steps = i < warming ? 2 * i + 1 : 2 * (i - warming);
        memcpy(matrix_row(*picked, i), matrix_row(documents, half_steps * rows / (2 * counted)),
               documents->n_features * sizeof(float));
    }
    return status;
}

static enum status write_workload(const struct counted_pass *pass, const struct ensemble *ensemble,
                                  const struct matrix *documents, struct error *error) {
    enum status status = model_write(ensemble, pass->folder.files[COUNTED_MODEL], NULL, error);
    if (status)
        return status;
    struct matrix *picked = NULL;
    status = pick_documents(pass, documents, &picked, error);
    if (!status)
        status = data_write(picked, pass->folder.files[COUNTED_DOCUMENTS], NULL, error);
    matrix_free(picked);
    return status;
}

void counted_pass_begin(struct counted_pass *pass, const struct pass_counter *counter,
                        const struct ensemble *ensemble, const struct matrix *documents) {
    struct error error;
    *pass = (struct counted_pass){
        .counter = counter,
        .documents = counted_pass_documents(documents->n_rows, documents->stride, ensemble->n_trees,
                                            counter->most_pairs)};
    enum status status = counter->check ? counter->check(&error) : STATUS_OK;
    if (!status)
        status = temporary_folder_make(NULL, names, COUNTED_FILES, &pass->folder, &error);
    if (!status)
        status = write_workload(pass, ensemble, documents, &error);
    if (status)
        snprintf(pass->reason, sizeof pass->reason, "%.*s", (int)sizeof pass->reason - 1,
                 error.text);
}

void counted_pass_end(struct counted_pass *pass) {
    temporary_folder_remove(&pass->folder);
}

/* --- the command ------------------------------------------------------------------------------ */

/* The only environment variables that the counted program gets. The program itself or codegen's
 * compiler reads them, or the sanitizers of a test build. */
static const char *const passed_on[] = {"PATH", "HOME", "XDG_CACHE_HOME", "TREEBENCH_CC",
                                        "ASAN_OPTIONS"};
enum { PASSED_ON = sizeof passed_on / sizeof *passed_on };
_Static_assert((int)PASSED_ON < (int)COUNTED_ENVIRONMENT_MAX, "the list ends with NULL");

static bool copy_environment(struct counted_command *command) {
    size_t count = 0;
    for (size_t i = 0; i < PASSED_ON; i++) {
        const char *value = getenv(passed_on[i]);
        if (value && asprintf(&command->environment[count++], "%s=%s", passed_on[i], value) < 0) {
            command->environment[count - 1] = NULL;
            return false;
        }
    }
    return true;
}

/* Returns how many documents each call scores. The blocks of a variant with an order of its own are
 * no calls. */
static size_t documents_per_call(const char *variant, const struct plan *plan) {
    struct variant parsed;
    bool is_ordered = variant_parse(variant, &parsed, NULL) == STATUS_OK && parsed.order.is_given;
    return is_ordered ? plan->call : plan->doc_block;
}

enum status counted_command_make(const struct counted_pass *pass, const char *variant,
                                 const struct plan *plan, struct counted_command *command,
                                 struct error *error) {
    *command = (struct counted_command){.program = ""};
    ssize_t length = readlink("/proc/self/exe", command->program, COUNTED_PATH_SIZE - 1);
    command->program[length > 0 ? length : 0] = '\0';
    command->profile = pass->folder.files[COUNTED_PROFILE];
    snprintf(command->counted, sizeof command->counted, "%zu", pass->documents);
    size_t call = documents_per_call(variant, plan);
    snprintf(command->block, sizeof command->block, "%zu", call ? call : pass->documents);
    const char *const arguments[COUNTED_ARGUMENTS_MAX] = {command->program,
                                                          "pass",
                                                          "--model",
                                                          pass->folder.files[COUNTED_MODEL],
                                                          "--data",
                                                          pass->folder.files[COUNTED_DOCUMENTS],
                                                          "--documents",
                                                          command->counted,
                                                          "--block",
                                                          command->block,
                                                          "--impl",
                                                          variant,
                                                          plan->team ? "--team"
                                                                     : pass->counter->option};
    memcpy(command->arguments, arguments, sizeof arguments);
    return copy_environment(command) ? STATUS_OK : error_memory(error, "the environment");
}

void counted_command_free(struct counted_command *command) {
    for (size_t i = 0; i < PASSED_ON; i++)
        free(command->environment[i]);
}

/* --- counting --------------------------------------------------------------------------------- */

/* Keeps only the last line of `text`. `treebench pass` printed that line; lines before it may be
 * warnings of valgrind. */
static void keep_last_line(char *text) {
    size_t length = strlen(text);
    while (length > 0 && text[length - 1] == '\n')
        text[--length] = '\0';
    const char *last = strrchr(text, '\n');
    if (last)
        memmove(text, last + 1, strlen(last));
}

/* Fails if the counted variant is not the one that was timed. They can differ, because valgrind's
 * processor lacks some features and an implementation may use those that it finds. */
static enum status check_same(const struct counted_pass *pass, const struct scorer *scorer,
                              char *text, struct error *error) {
    char expected[COUNTED_TEXT_SIZE];
    keep_last_line(text);
    snprintf(expected, sizeof expected, "%zu documents, %u lanes, %zu bytes", pass->documents,
             scorer->lanes, scorer->bytes);
    return strcmp(text, expected) == 0
               ? STATUS_OK
               : error_set(error, STATUS_MACHINE, "%s: %.100s there, %.100s here",
                           pass->counter->otherwise, text, expected);
}

void counted_pass_count(const struct counted_pass *pass, const char *variant,
                        const struct scorer *scorer, const struct plan *plan,
                        const struct simulated_caches *caches, struct counts *counts) {
    struct error error;
    struct counted_command command;
    if (pass->reason[0]) {
        refuse(counts, pass->reason);
        return;
    }
    *counts = (struct counts){.documents = pass->documents};
    snprintf(counts->source, sizeof counts->source, "%s", pass->counter->source);
    snprintf(counts->reason, sizeof counts->reason, "%s", pass->counter->lacks);
    enum status status = counted_command_make(pass, variant, plan, &command, &error);
    if (!status)
        status = pass->counter->count(&command, scorer, caches, counts, &error);
    if (!status)
        status = check_same(pass, scorer, command.output, &error);
    if (status)
        refuse(counts, error.text);
    counted_command_free(&command);
}

/* --- single steps ----------------------------------------------------------------------------- */

static enum status count_steps(struct counted_command *command, const struct scorer *scorer,
                               const struct simulated_caches *caches, struct counts *counts,
                               struct error *error) {
    struct step_counts counted;
    const struct step_request request = {command->arguments,
                                         (const char *const *)command->environment, STEP_LIMIT};
    (void)scorer;
    (void)caches;
    enum status status = step_count(&request, &counted, error);
    if (status)
        return status;
    memcpy(command->output, counted.output, sizeof counted.output);
    counts->values[COUNTER_INSTRUCTIONS] =
        (struct counter_value){.valid = true, .value = counted.instructions[0]};
    return STATUS_OK;
}

const struct pass_counter count_by_step = {.source = "step",
                                           .most_pairs = (size_t)1 << 13,
                                           .option = "--step", /* marks the pass */
                                           .lacks = "single steps count only instructions",
                                           .otherwise = "the counted program scored otherwise",
                                           .count = count_steps};
