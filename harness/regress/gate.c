#include "harness/regress/gate.h"

#include "harness/instruments/interrupt.h"
#include "harness/instruments/timer.h"
#include "harness/regress/layouts.h"

#include <stdio.h>

const char *const gate_verdict_names[] = {"same code",  "none",      "faster",
                                          "regression", "layout",    "unclear",
                                          "refused",    "one-sided", "failed"};

struct gate {
    const struct gate_request *request;
    struct gate_cell *cells;
    size_t n_cells, n_timed;
    uint64_t begin_ns, pairs;
};

static size_t count_open(const struct gate *gate) {
    size_t count = 0;
    for (size_t i = 0; i < gate->n_cells; i++)
        count += gate->cells[i].is_open;
    return count;
}

static bool is_time_up(const struct gate *gate) {
    double spent = (double)(timer_wall_ns() - gate->begin_ns) / 1e9;
    return spent > gate->request->seconds || interrupt_asked();
}

void gate_close(struct gate_cell *cell, enum gate_verdict verdict, const char *reason) {
    cell->is_open = false;
    cell->verdict = verdict;
    snprintf(cell->reason, sizeof cell->reason, "%.*s", (int)sizeof cell->reason - 1, reason);
}

static enum status measure_pair(const struct gate_request *request, const struct gate_cell *cell,
                                uint64_t seed, struct pair *pair, struct error *error) {
    if (!cell->workload)
        return pair_of_commands(request->commands, request->metric, seed, pair, error);
    return pair_of_libraries(request->libraries, cell->workload, cell->impl, seed, pair, error);
}

static void judge(const struct gate *gate, struct gate_cell *cell) {
    static const enum gate_verdict verdicts[] = {[SEQUENTIAL_NONE] = GATE_NONE,
                                                 [SEQUENTIAL_FASTER] = GATE_FASTER,
                                                 [SEQUENTIAL_REGRESSION] = GATE_REGRESSION,
                                                 [SEQUENTIAL_UNCLEAR] = GATE_UNCLEAR};
    const struct sequential_rule rule = {gate->request->margin, gate->request->tolerance,
                                         gate->request->alarms / (double)gate->n_timed};
    struct sequential_state state = sequential_judge(cell->logs, cell->pairs, &rule);
    cell->ratio = state.ratio;
    if (state.verdict != SEQUENTIAL_OPEN)
        gate_close(cell, verdicts[state.verdict],
                   state.verdict == SEQUENTIAL_UNCLEAR ? "noise: no verdict after 80 pairs" : "");
}

static void take_pair(struct gate *gate, struct gate_cell *cell) {
    struct pair pair;
    struct error error;
    uint64_t begin = timer_wall_ns();
    enum status status =
        measure_pair(gate->request, cell, gate->request->seed + gate->pairs++, &pair, &error);
    cell->seconds += (double)(timer_wall_ns() - begin) / 1e9;
    if (status) {
        gate_close(cell, status == STATUS_UNSUPPORTED ? GATE_REFUSED : GATE_FAILED, error.text);
        return;
    }
    cell->logs[cell->pairs] = pair.log_ratio;
    for (size_t side = 0; side < PAIR_SIDES; side++)
        cell->values[side][cell->pairs] = pair.value[side];
    cell->pairs++;
    judge(gate, cell);
}

static void show(const struct gate *gate, const struct gate_cell *cell) {
    char text[192];
    if (!gate->request->progress)
        return;
    snprintf(text, sizeof text, "%zu of %zu open; %s, %zu pairs", count_open(gate), gate->n_timed,
             cell->workload ? cell->impl : "commands", cell->pairs);
    progress_note(gate->request->progress, text);
}

/* Takes a pair of each open cell in turn, so that a drift of the machine affects all alike. */
static void take_all(struct gate *gate) {
    while (count_open(gate) > 0 && !is_time_up(gate))
        for (size_t i = 0; i < gate->n_cells && !is_time_up(gate); i++)
            if (gate->cells[i].is_open) {
                take_pair(gate, &gate->cells[i]);
                show(gate, &gate->cells[i]);
            }
    for (size_t i = 0; i < gate->n_cells; i++)
        if (gate->cells[i].is_open)
            gate_close(&gate->cells[i], GATE_UNCLEAR,
                       interrupt_asked() ? "interrupted" : "the time is over: allow more minutes");
}

enum status gate_run(const struct gate_request *request, struct gate_cell *cells, size_t n_cells,
                     struct error *error) {
    struct gate gate = {
        .request = request, .cells = cells, .n_cells = n_cells, .begin_ns = timer_wall_ns()};
    gate.n_timed = count_open(&gate);
    if (gate.n_timed == 0)
        return STATUS_OK;
    take_all(&gate);
    return request->relink ? layouts_check(request, cells, n_cells, gate.n_timed, error)
                           : STATUS_OK;
}

enum gate_verdict gate_overall(const struct gate_cell *cells, size_t n_cells) {
    static const enum gate_verdict order[] = {GATE_FAILED, GATE_REGRESSION, GATE_UNCLEAR};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < n_cells; i++)
            if (cells[i].verdict == order[k])
                return order[k];
    return GATE_NONE;
}
