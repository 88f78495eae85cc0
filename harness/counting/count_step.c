#include "harness/counting/counted_pass.h"

#include "harness/counting/step.h"

#include <stdio.h>
#include <string.h>

void count_step_begin(struct counted_pass *pass, const struct ensemble *ensemble,
                      const struct matrix *documents) {
    counted_pass_begin(pass, ensemble, documents, COUNT_STEP_PAIRS);
}

/* Makes the command mark the pass. */
static void add_option(struct counted_command *command, const char *option) {
    size_t count = 0;
    while (command->arguments[count])
        count++;
    command->arguments[count] = option;
}

static enum status run_steps(const struct counted_pass *pass, const char *variant,
                             const struct plan *plan, struct step_counts *counted,
                             struct error *error) {
    struct counted_command command;
    enum status status = counted_command_make(pass, variant, plan, &command, error);
    if (!status) {
        add_option(&command, "--step");
        const struct step_request request = {command.arguments,
                                             (const char *const *)command.environment, STEP_LIMIT};
        status = step_count(&request, counted, error);
    }
    counted_command_free(&command);
    return status;
}

static enum status count(const struct counted_pass *pass, const char *variant,
                         const struct scorer *scorer, const struct plan *plan, uint64_t *value,
                         struct error *error) {
    struct step_counts counted;
    char expected[COUNTED_TEXT_SIZE];
    enum status status = run_steps(pass, variant, plan, &counted, error);
    if (status)
        return status;
    if (!counted_pass_is_of(pass, scorer, counted.output, expected))
        return error_set(error, STATUS_MACHINE,
                         "the counted program scored otherwise: %.100s there, %.100s here",
                         counted.output, expected);
    *value = counted.instructions[0];
    return STATUS_OK;
}

void count_step(const struct counted_pass *pass, const char *variant, const struct scorer *scorer,
                const struct plan *plan, struct counts *counts) {
    struct error error;
    struct counter_value *instructions = &counts->values[COUNTER_INSTRUCTIONS];
    *counts = (struct counts){.source = "none"};
    if (pass->reason[0]) {
        counts_refuse(counts, pass->reason);
    } else if (count(pass, variant, scorer, plan, &instructions->value, &error) != STATUS_OK) {
        counts_refuse(counts, error.text);
    } else {
        instructions->valid = true;
        strcpy(counts->source, "step");
        strcpy(counts->reason, "single steps count only instructions");
        counts->documents = pass->documents;
    }
}
