#include "harness/latency/crew.h"

#include "base/cpu.h"
#include "harness/instruments/timer.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { WARM_CALLS = 32 };

/* The threads begin together, when the last one is ready. */
struct crew {
    const struct crew_calls *calls;
    atomic_size_t ready;
    atomic_bool begins, is_off; /* is_off: not all threads started */
};

struct place {
    struct crew *crew;
    struct crew_member *member;
    pthread_t thread;
};

static void call(const struct crew_calls *calls, struct crew_member *member) {
    const struct matrix *documents = calls->documents;
    tb_score(member->context, matrix_row(documents, member->row), calls->block,
             documents->n_features, documents->stride, member->scores, NULL);
    member->last_row = member->row;
    member->row += calls->block;
    if (member->row + calls->block > documents->n_rows)
        member->row = 0;
}

static void score_for_a_while(const struct crew_calls *calls, struct crew_member *member) {
    uint64_t begin = timer_wall_ns();
    do {
        for (size_t done = 0; done < 256; done += calls->block, member->documents += calls->block)
            call(calls, member);
        member->elapsed_ns = (double)(timer_wall_ns() - begin);
    } while (member->elapsed_ns < calls->least_ns);
}

static void *work(void *argument) {
    struct place *place = argument;
    struct crew_member *member = place->member;
    struct crew *crew = place->crew;
    if (member->core >= 0)
        cpu_pin(member->core);
    for (size_t i = 0; i < WARM_CALLS; i++)
        call(crew->calls, member);
    atomic_fetch_add(&crew->ready, 1);
    while (!atomic_load(&crew->begins))
        sched_yield();
    if (!atomic_load(&crew->is_off))
        score_for_a_while(crew->calls, member);
    return NULL;
}

/* Each member's rate counts for the time in which it scored, because the last calls do not end at
 * the same time. */
static double time_of_all(const struct crew_member *members, size_t n) {
    double rate = 0;
    for (size_t i = 0; i < n; i++)
        rate += (double)members[i].documents / members[i].elapsed_ns;
    return 1 / rate;
}

double crew_run(const struct crew_calls *calls, struct crew_member *members, size_t n) {
    struct crew crew = {.calls = calls};
    struct place *places = calloc(n, sizeof *places);
    size_t started = 0;
    for (; places && started < n; started++) {
        members[started].documents = 0;
        places[started] = (struct place){.crew = &crew, .member = &members[started]};
        if (pthread_create(&places[started].thread, NULL, work, &places[started]))
            break;
    }
    while (atomic_load(&crew.ready) < started)
        sched_yield();
    atomic_store(&crew.is_off, started < n);
    atomic_store(&crew.begins, true);
    for (size_t i = 0; i < started; i++)
        pthread_join(places[i].thread, NULL);
    free(places);
    return started == n ? time_of_all(members, n) : (double)NAN;
}
