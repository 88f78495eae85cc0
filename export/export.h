/* Writes a model as a standalone C99 program. See docs/export.md. */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "base/status.h"
#include "impls/impl.h"
#include "models/ensemble.h"

#include <stdbool.h>

enum { EXPORT_NAME_SIZE = 64, EXPORT_KERNELS = 2 };

/* What was exported. */
struct export_choice {
    const char *impl; /* "planes and rank-bytes", one of both, the plain walk, or the request's */
    size_t bytes; /* IMPL_BLOCKS: about, of code and constants; IMPL_FRAMES: of tables; others: 0 */
    /* why not planes and why not rank-bytes, if the request left the choice open; "" otherwise */
    struct error why[EXPORT_KERNELS];
};

struct export_request {
    const struct ensemble *ensemble;
    const char *model; /* path of the model's file, for comments and errors */
    const char *name;  /* prefix of all names in the program: an identifier */
    bool is_named;     /* true if the user gave the name, false if it comes from the model's file */
    const struct impl *impl; /* one of export_impls; NULL: planes and rank-bytes if possible */
    size_t max_bytes;        /* export_is_small: most bytes of code or tables; 0: no limit */
    const char *folder;      /* created if it does not exist */
};

/* The names of the implementations that can be exported, by their forms; then NULL. */
const char *const *export_impls(void);

/* Is the form for machines without vector units? NULL: no. */
bool export_is_small(const struct impl *impl);

/* Writes NAME.c, NAME.h, NAME_test.c, NAME_bench.c and Makefile. A failure while writing leaves no
 * file. Only files of an earlier export are overwritten. */
enum status export_write(const struct export_request *request, struct export_choice *choice,
                         struct error *error);

/* Makes an identifier from the path of a model: the file's name up to the first dot. If that is not
 * an identifier or a system header has that name, "model" is put before it. */
void export_name(const char *path, char name[static EXPORT_NAME_SIZE]);

/* Checks that the name is an identifier of fewer than EXPORT_NAME_SIZE characters and not the name
 * of a system header. */
enum status export_check_name(const char *name, struct error *error);

#endif
