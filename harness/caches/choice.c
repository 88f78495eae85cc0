#include "harness/caches/choice.h"

#include "harness/caches/predict.h"

#define MU_STANDARD 0.5
enum { UNKNOWN_DOCUMENTS = 1000 };

static bool lacks_sizes(const struct order_choice *choice) {
    return (order_has_d(choice->order) && !choice->d) || (order_has_s(choice->order) && !choice->s);
}

static void take_case(const struct blocking_problem *problem, struct order_choice *choice) {
    const struct blocking_workload *w = &problem->workload;
    if (choice->doc_level)
        choice->d = block_round_up(block_docs(&problem->machine, w, choice->doc_level, MU_STANDARD),
                                   problem->lanes, w->n_docs);
    if (choice->unit_level)
        choice->s = block_units(&problem->machine, w, choice->unit_level, MU_STANDARD);
}

static void take_prediction(const struct blocking_problem *problem, struct order_choice *choice) {
    struct plan plan = {.order = choice->order, .doc_block = choice->d, .unit_block = choice->s};
    predict_blocks(problem, &plan);
    choice->d = plan.doc_block;
    choice->s = plan.unit_block;
}

static void describe(const struct scorer *scorer, const struct matrix *documents,
                     const struct plan *plan, struct blocking_problem *problem) {
    struct blocking_machine machine;
    size_t rows = documents ? documents->n_rows : UNKNOWN_DOCUMENTS;
    size_t stride = documents ? documents->stride : scorer->n_features;
    blocking_machine_read(plan->threads, &machine);
    blocking_problem_of_scorer(scorer, plan->call && plan->call < rows ? plan->call : rows,
                               stride * sizeof(float), &machine, problem);
}

enum status order_choice_plan(const struct order_choice *choice, const struct scorer *scorer,
                              const struct matrix *documents, struct plan *plan,
                              struct error *error) {
    struct order_choice complete = *choice;
    if (lacks_sizes(choice)) {
        struct blocking_problem problem;
        describe(scorer, documents, plan, &problem);
        if (choice->doc_level || choice->unit_level)
            take_case(&problem, &complete);
        else
            take_prediction(&problem, &complete);
    }
    return order_plan(&complete, scorer, plan, error);
}
