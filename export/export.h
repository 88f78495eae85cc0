/* A model as a C99 program of its own: see docs/export.md. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/status.h"
#include "models/ensemble.h"

#include <stdbool.h>

enum { EXPORT_NAME_SIZE = 64 };

/* What was exported. */
struct export_choice {
    const char *impl; /* "planes" or "struct-plus" */
    struct error why; /* not planes, where nothing else was asked for; "" otherwise */
};

struct export_request {
    const struct ensemble *ensemble;
    const char *model;  /* the file's name, for the comments */
    const char *name;   /* what the program's names begin with: an identifier */
    bool is_named;      /* by the user, not after the model's file */
    const char *impl;   /* "planes", "struct-plus", or NULL: planes where it can */
    const char *folder; /* made where it does not exist */
};

/* Writes NAME.c, NAME.h, NAME_test.c, NAME_bench.c and Makefile, all or none of them. Refuses to
 * write over files that are not an earlier export's. */
enum status export_write(const struct export_request *request, struct export_choice *choice,
                         struct error *error);

/* The name for a model's file: its characters up to the first dot, behind "model_" where a header
 * of the system has that name. */
void export_name(const char *path, char name[static EXPORT_NAME_SIZE]);

/* Is it an identifier of less than EXPORT_NAME_SIZE characters, and no header of the system? */
enum status export_check_name(const char *name, struct error *error);

#endif
