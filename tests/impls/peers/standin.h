/* Libraries that are not at hand, by stand-ins: compiled from a file of this folder, and looked for
 * where the user would say that the library is. For test programs. */
#ifndef TESTS_IMPLS_PEERS_STANDIN_H
#define TESTS_IMPLS_PEERS_STANDIN_H

#include "base/process.h"
#include "harness/measure/verify.h"
#include "tests/impls/forests.h"
#include "tests/impls/scratch.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct standin {
    const char *impl, *source, *variable; /* "lightgbm", "fake_lightgbm.c", "TREEBENCH_LIGHTGBM" */
};

/* Compiles the stand-in into a file of the scratch folder, and points at it. */
static inline void standin_use(const struct standin *standin, const char *file, const char *flag) {
    char path[512], source[512], message[512];
    snprintf(path, sizeof path, "%s/%s", scratch_folder, file);
    snprintf(source, sizeof source, "tests/impls/peers/%s", standin->source);
    const char *const argv[] = {"cc", "-shared", "-fPIC", flag, "-o", path, source, NULL};
    struct process process;
    int exit_status = 1;
    assert_int_equal(process_start(argv, NULL, 0, &process, NULL), STATUS_OK);
    process_finish(&process, message, sizeof message, &exit_status);
    if (exit_status)
        fail_msg("%s", message);
    assert_int_equal(setenv(standin->variable, path, 1), 0);
}

/* Whether it reaches the leaves of the reference. */
static inline struct verification standin_check_leaves(const struct standin *standin,
                                                       const struct ensemble *ensemble) {
    struct verifier *verifier;
    struct verification found;
    struct error error;
    assert_int_equal(verifier_create(ensemble, NULL, &verifier, NULL), STATUS_OK);
    if (verifier_check_leaves(verifier, standin->impl, &found, &error))
        fail_msg("%s", error.text);
    verifier_free(verifier);
    return found;
}

/* What the library's int fake_n_alive(void) says. */
static inline int standin_n_alive(const struct standin *standin) {
    void *handle = dlopen(getenv(standin->variable), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(handle);
    int (*count)(void);
    *(void **)&count = dlsym(handle, "fake_n_alive");
    assert_non_null(count);
    int n = count();
    dlclose(handle);
    return n;
}

static inline struct scorer *standin_build(const struct standin *standin,
                                           const struct ensemble *ensemble) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    if (scorer_build(standin->impl, ensemble, &scorer, &error))
        fail_msg("%s", error.text);
    return scorer;
}

/* Frees the ensemble. */
static inline void standin_refuses(const struct standin *standin, struct ensemble *ensemble,
                                   enum status status, const char *text) {
    struct scorer *scorer = NULL;
    struct error error = {""};
    assert_int_equal(scorer_build(standin->impl, ensemble, &scorer, &error), status);
    assert_null(scorer);
    if (!strstr(error.text, text))
        fail_msg("'%s' does not contain '%s'", error.text, text);
    ensemble_free(ensemble);
}

/* The library is not there, and the text is part of why. */
static inline void standin_is_not_found(const struct standin *standin, const char *text) {
    char where[1024];
    const struct impl *impl = impl_find(standin->impl, NULL);
    assert_int_equal(impl->find(where, sizeof where), STATUS_MACHINE);
    assert_false(impl_is_here(impl));
    if (!strstr(where, text))
        fail_msg("'%s' does not contain '%s'", where, text);
    standin_refuses(standin, stumps(), STATUS_MACHINE, text);
}

static inline void standin_is_found(const struct standin *standin) {
    char where[1024];
    const struct impl *impl = impl_find(standin->impl, NULL);
    assert_int_equal(impl->find(where, sizeof where), STATUS_OK);
    const char *path = getenv(standin->variable), *found = strstr(where, path);
    assert_non_null(found);
    assert_string_equal(found, path);
    assert_true(impl_is_here(impl));
}

#endif
