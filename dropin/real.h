/* The library that a drop-in library stands before, if the process can have it.
 *
 * A variable of the environment may name its file. Otherwise it is the library that the program is
 * linked with or, if there is none, the one that the loader finds. Nothing is loaded before the
 * first call that needs it. Any number of threads may call these functions at once. */
#ifndef DROPIN_REAL_H
#define DROPIN_REAL_H

#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* The first members are set by its owner, the others are 0. */
struct real_library {
    const char *title;    /* "LightGBM" */
    const char *variable; /* "TREEBENCH_LIGHTGBM" */
    const char *files[3]; /* names that the loader searches for, in this order; NULL if fewer */
    const char *probe;    /* a function that every version has */
    pthread_once_t once;  /* PTHREAD_ONCE_INIT */
    void (*find)(void);   /* calls real_open for this library */
    void *handle;         /* of dlopen; NULL if it is absent */
    struct error why;     /* why it is absent */
};

/* A function of the library, and where it is once it was found. */
struct real_call {
    const char *name;
    _Atomic(void *) address;
};

/* Searches for the library. Only `find` of a library calls it. */
void real_open(struct real_library *library);

bool real_is_here(struct real_library *library);

/* Sets *function, a pointer to a function, to the library's function. If the library or the
 * function is missing, sets the error: which call is not served, and what to do. */
enum status real_find(struct real_library *library, struct real_call *call, void *function,
                      struct error *error);

#endif
