#include "harness/judge/run_claims.h"

#include "base/memory.h"

#include <stdlib.h>

enum status run_claims_add(struct run_claims *run, const struct artefact *artefact,
                           struct claim_result *claims, size_t count, struct error *error) {
    if (!memory_grow((void **)&run->list, &run->capacity, run->count, sizeof *run->list)) {
        free(claims);
        return error_memory(error, "the claims of a run");
    }
    struct judged_artefact *added = &run->list[run->count++];
    *added = (struct judged_artefact){.claims = claims, .count = count};
    snprintf(added->name, sizeof added->name, "%s", artefact->name);
    snprintf(added->title, sizeof added->title, "%s", artefact->title);
    for (size_t i = 0; i < count; i++)
        run->verdicts[claims[i].verdict]++;
    return STATUS_OK;
}

void run_claims_free(struct run_claims *run) {
    for (size_t i = 0; i < run->count; i++)
        free(run->list[i].claims);
    free(run->list);
}

static void tell_of(const struct run_claims *run, enum verdict verdict, run_claims_function *tell,
                    void *context) {
    for (size_t i = 0; i < run->count; i++)
        for (size_t k = 0; k < run->list[i].count; k++)
            if (run->list[i].claims[k].verdict == verdict)
                tell(context, run->list[i].name, &run->list[i].claims[k]);
}

void run_claims_each(const struct run_claims *run, run_claims_function *tell, void *context) {
    for (enum verdict v = 0; v < VERDICTS; v++)
        tell_of(run, v, tell, context);
}

void run_claims_describe(const struct run_claims *run, char text[RUN_CLAIMS_TALLY_SIZE]) {
    size_t used = 0;
    for (enum verdict v = 0; v < VERDICTS; v++)
        used += (size_t)snprintf(text + used, RUN_CLAIMS_TALLY_SIZE - used, "%s%zu %s",
                                 v ? ", " : "", run->verdicts[v], verdict_names[v]);
}

static void write_artefact(FILE *stream, const struct judged_artefact *artefact) {
    fprintf(stream, "| [%s](%s.md) |", artefact->name, artefact->name);
    for (enum verdict v = 0; v < VERDICTS; v++) {
        size_t n = 0;
        for (size_t i = 0; i < artefact->count; i++)
            n += artefact->claims[i].verdict == v;
        fprintf(stream, " %zu |", n);
    }
    fprintf(stream, " %s |\n", artefact->title);
}

static void write_claim(void *context, const char *artefact, const struct claim_result *claim) {
    fprintf(context, "- [%s](%s.md): %s (%s)\n", artefact, artefact, claim->words, claim->measured);
}

void run_claims_write(FILE *stream, const struct run_claims *run) {
    fputs("\n| artefact |", stream);
    for (enum verdict v = 0; v < VERDICTS; v++)
        fprintf(stream, " %s |", verdict_names[v]);
    fputs(" title |\n|---|", stream);
    for (enum verdict v = 0; v < VERDICTS; v++)
        fputs("---:|", stream);
    fputs("---|\n", stream);
    for (size_t i = 0; i < run->count; i++)
        write_artefact(stream, &run->list[i]);
    for (enum verdict v = 0; v < VERDICTS; v++) {
        if (run->verdicts[v] == 0)
            continue;
        fprintf(stream, "\n## Claims %s: %zu\n\n", verdict_names[v], run->verdicts[v]);
        tell_of(run, v, write_claim, stream);
    }
}
