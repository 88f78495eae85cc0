/* A peer that does what its option `do` says. It scores models without trees: 0 for each document.
 * -DABI=2 makes one for another version of the header, -DFUNCTION=other one without the function,
 * -DLOADING=abort() one that crashes when it is loaded, -DNAME one with another name. */
#include "impls/peers/treebench_peer.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef ABI
#define ABI TREEBENCH_PEER_ABI
#endif
#ifndef FUNCTION
#define FUNCTION treebench_peer
#endif
#ifndef NAME
#define NAME "bad"
#endif
#ifndef LOADING
#define LOADING (void)0
#endif

static char what[32];
static pid_t opened_by;

static int is(const char *word) {
    return strcmp(what, word) == 0;
}

static void *open_model(const char *path, const char *options) {
    (void)path;
    snprintf(what, sizeof what, "%s", strncmp(options, "do=", 3) == 0 ? options + 3 : "");
    opened_by = getpid();
    if (is("open-crash"))
        abort();
    return is("open-error") ? NULL : &opened_by;
}

static uint32_t n_features(const void *model) {
    (void)model;
    return is("wide") ? 1000 : 1;
}

static uint32_t n_outputs(const void *model) {
    (void)model;
    return 1;
}

/* Tells the test which process this is. */
static void write_id(void) {
    FILE *file = fopen("peer.pid", "w");
    if (file) {
        fprintf(file, "%d\n", (int)getpid());
        fclose(file);
    }
}

static int score(const void *model, const double *rows, size_t stride, size_t n_rows,
                 double *scores) {
    (void)model, (void)rows, (void)stride;
    if (is("crash"))
        raise(SIGSEGV);
    if (is("exit"))
        _exit(3);
    if (is("leave-child") && fork() == 0) {
        write_id();
        strcpy(what, "hang");
    } else if (is("leave-child")) {
        while (access("peer.pid", R_OK))
            usleep(1000);
        abort();
    }
    if (is("ignore-term")) {
        signal(SIGTERM, SIG_IGN);
        write_id();
        strcpy(what, "hang");
    }
    while (is("hang"))
        pause();
    memset(scores, 0, n_rows * sizeof *scores);
    return is("fail");
}

static void close_model(void *model) {
    (void)model;
}

static const char *last_error(void) {
    return "this peer opens nothing";
}

const struct treebench_peer *FUNCTION(void);
const struct treebench_peer *FUNCTION(void) {
    static const struct treebench_peer peer = {.abi = ABI,
                                               .name = NAME,
                                               .formats = "treebench",
                                               .open = open_model,
                                               .n_features = n_features,
                                               .n_outputs = n_outputs,
                                               .score_doubles = score,
                                               .close = close_model,
                                               .last_error = last_error};
    LOADING;
    return &peer;
}
