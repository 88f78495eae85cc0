/* Memory that runs out when asked to. The program's own malloc and the like, which every library of
 * the process uses, count calls and fail the Nth. Each trial runs in a process of its own,
 * that a signal ends if it hangs.
 *
 * A trial that counts also records from where memory was asked for: a site is one chain of calls.
 * Failing each site, its first and its last time, finds nearly all of what failing every call
 * finds, in a fraction of the time. Of more than FAILING_MOST such calls, evenly spaced ones are
 * taken. TREEBENCH_ALLOCATIONS=sites fails all of them, TREEBENCH_ALLOCATIONS=all every call.
 *
 * For test programs: static functions, once per program. Sanitizers bring their own malloc, so that
 * FAILING_WORKS is false there. */
#ifndef TESTS_MEMORY_FAILING_H
#define TESTS_MEMORY_FAILING_H

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/sanitizers.h"

#define FAILING_WORKS (!SANITIZERS)

enum { FAILING_FRAMES = 24, FAILING_SITES = 1 << 14, FAILING_MOST = 60, FAILING_SECONDS = 600 };

struct failing_site {
    uint64_t hash; /* of the chain of calls; 0: no site */
    long first, last;
    bool is_foreign;
};

/* What parent and child share. */
struct failing_state {
    atomic_bool is_armed;
    atomic_long calls;
    long first;      /* the call that fails; 0: none, sites are recorded */
    bool is_lasting; /* all later calls fail too */
    bool has_failed;
    int library; /* that asked for what failed last; FAILING_LIBRARIES: none of them */
    int n_frames;
    void *frames[FAILING_FRAMES];
    size_t n_sites;
    struct failing_site sites[FAILING_SITES];
};

static struct failing_state *failing;

/* --- who asks --------------------------------------------------------------------------------- */

/* Libraries that treebench calls. When memory runs out they may end the process, or return without
 * a status: see docs/doctor.md. */
static const char *const failing_libraries[] = {"libxgboost", "libgomp", "libpapi", "libpfm",
                                                "libdmlc"};
enum { FAILING_LIBRARIES = sizeof failing_libraries / sizeof *failing_libraries };

/* The number of the library that asked; FAILING_LIBRARIES if none of them did. */
static int failing_find_library(void *const *frames, int n_frames) {
    static const void *own;
    Dl_info info;
    if (!own && dladdr((const void *)&failing, &info))
        own = info.dli_fbase;
    for (int i = 3; i < n_frames; i++) {
        if (!dladdr(frames[i], &info))
            continue;
        if (info.dli_fbase == own)
            return FAILING_LIBRARIES;
        for (int k = 0; k < FAILING_LIBRARIES; k++)
            if (strstr(info.dli_fname, failing_libraries[k]))
                return k;
    }
    return FAILING_LIBRARIES;
}

static void failing_record_site(void *const *frames, int n_frames, long call) {
    uint64_t hash = 14695981039346656037U;
    for (int i = 3; i < n_frames; i++)
        hash = (hash ^ (uint64_t)(uintptr_t)frames[i]) * 1099511628211U;
    hash += hash == 0;
    for (size_t at = hash % FAILING_SITES, tries = 0; tries < FAILING_SITES;
         at = (at + 1) % FAILING_SITES, tries++) {
        struct failing_site *site = &failing->sites[at];
        if (site->hash == hash) {
            site->last = call;
            return;
        }
        if (!site->hash) {
            *site = (struct failing_site){.hash = hash,
                                          .first = call,
                                          .last = call,
                                          .is_foreign = failing_find_library(frames, n_frames) <
                                                        FAILING_LIBRARIES};
            failing->n_sites++;
            return;
        }
    }
}

static pthread_mutex_t failing_lock = PTHREAD_MUTEX_INITIALIZER;

/* Called by one that is called by malloc or the like: the frame 3 is who asked. */
static __attribute__((noinline)) void failing_look(long call) {
    void *frames[FAILING_FRAMES];
    int saved = errno;
    int n_frames = backtrace(frames, FAILING_FRAMES);
    pthread_mutex_lock(&failing_lock);
    if (!failing->first) {
        failing_record_site(frames, n_frames, call);
    } else {
        if (!failing->has_failed) {
            memcpy(failing->frames, frames, sizeof frames);
            failing->n_frames = n_frames;
            failing->has_failed = true;
        }
        int library = failing_find_library(frames, n_frames);
        failing->library = library < FAILING_LIBRARIES ? library : failing->library;
    }
    pthread_mutex_unlock(&failing_lock);
    errno = saved;
}

static _Thread_local bool failing_is_busy;

static __attribute__((noinline, unused)) bool failing_now(void) {
    if (!failing || !failing->is_armed || failing_is_busy)
        return false;
    long call = atomic_fetch_add(&failing->calls, 1) + 1;
    bool fails = failing->first &&
                 (call == failing->first || (failing->is_lasting && call > failing->first));
    if (failing->first && !fails)
        return false;
    failing_is_busy = true;
    failing_look(call);
    failing_is_busy = false;
    if (fails)
        errno = ENOMEM;
    return fails;
}

/* --- malloc and the like ---------------------------------------------------------------------- */
#define FAILING_PUBLIC __attribute__((visibility("default"), noinline))
#if FAILING_WORKS
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

FAILING_PUBLIC void *malloc(size_t size) {
    return failing_now() ? NULL : __libc_malloc(size);
}

FAILING_PUBLIC void *calloc(size_t count, size_t size) {
    return failing_now() ? NULL : __libc_calloc(count, size);
}

FAILING_PUBLIC void *realloc(void *memory, size_t size) {
    return failing_now() ? NULL : __libc_realloc(memory, size);
}

FAILING_PUBLIC void *memalign(size_t alignment, size_t size) {
    return failing_now() ? NULL : __libc_memalign(alignment, size);
}

FAILING_PUBLIC void *aligned_alloc(size_t alignment, size_t size) {
    return failing_now() ? NULL : __libc_memalign(alignment, size);
}

FAILING_PUBLIC int posix_memalign(void **memory, size_t alignment, size_t size) {
    void *got = failing_now() ? NULL : __libc_memalign(alignment, size);
    if (!got)
        return ENOMEM;
    *memory = got;
    return 0;
}

FAILING_PUBLIC void *mmap(void *address, size_t size, int protection, int flags, int file,
                          off_t offset) {
    if ((flags & MAP_ANONYMOUS) && failing_now())
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

/* A thread is a stack. */
FAILING_PUBLIC int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                  void *(*run)(void *), void *data) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = dlsym(RTLD_NEXT, "pthread_create");
    if (failing_now())
        return EAGAIN;
    failing_is_busy = true; /* what the system's allocates is a part of it */
    int result = create(thread, attributes, run, data);
    failing_is_busy = false;
    return result;
}
#endif

/* --- trials ----------------------------------------------------------------------------------- */

static void failing_setup(void) {
    void *frames[2];
    backtrace(frames, 2); /* loads what it needs */
    failing =
        mmap(NULL, sizeof *failing, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (failing == MAP_FAILED)
        abort();
}

struct trial_result {
    int state; /* of waitpid */
    long calls;
    bool has_failed;
    int library; /* as in failing_state */
};

static void failing_arm(void) {
    failing->calls = 0;
    failing->is_armed = true;
}

static void failing_disarm(void) {
    failing->is_armed = false;
}

/* cmocka handles them in the parent, and would go on with the tests here. */
static void failing_reset_signals(void) {
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS, SIGABRT};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        signal(numbers[i], SIG_DFL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
}

/* Runs a trial in a process of its own and waits. `run` arms when it is ready. */
static struct trial_result failing_try(long first, bool is_lasting, int (*run)(const void *),
                                       const void *data) {
    failing->is_armed = failing->has_failed = false;
    failing->library = FAILING_LIBRARIES;
    failing->first = first;
    failing->is_lasting = is_lasting;
    failing->n_frames = 0;
    if (!first) {
        memset(failing->sites, 0, sizeof failing->sites);
        failing->n_sites = 0;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        failing_reset_signals();
        alarm(FAILING_SECONDS);
        int status = run(data);
        failing_disarm();
        _exit(status);
    }
    struct trial_result result = {.state = -1};
    while (pid > 0 && waitpid(pid, &result.state, 0) < 0 && errno == EINTR)
        ;
    failing->is_armed = false;
    result.calls = failing->calls;
    result.has_failed = failing->has_failed;
    result.library = failing->library;
    return result;
}

static int failing_compare_calls(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static bool failing_wants(const char *which) {
    const char *wanted = getenv("TREEBENCH_ALLOCATIONS");
    return wanted && strcmp(wanted, which) == 0;
}

static bool failing_all(void) {
    return failing_wants("all");
}

static bool failing_is_thorough(void) {
    return getenv("TREEBENCH_ALLOCATIONS") != NULL;
}

static long *failing_list_calls(long n_calls, size_t *count) {
    size_t capacity = failing_all() ? (size_t)n_calls : 2 * failing->n_sites;
    long *calls = malloc((capacity + 1) * sizeof *calls);
    if (!calls)
        abort();
    *count = 0;
    for (long call = 1; failing_all() && call <= n_calls; call++)
        calls[(*count)++] = call;
    for (size_t i = 0; !failing_all() && i < FAILING_SITES; i++) {
        const struct failing_site *site = &failing->sites[i];
        if (!site->hash || site->is_foreign)
            continue;
        calls[(*count)++] = site->first;
        if (site->last != site->first)
            calls[(*count)++] = site->last;
    }
    qsort(calls, *count, sizeof *calls, failing_compare_calls);
    if (*count <= FAILING_MOST || failing_all() || failing_wants("sites"))
        return calls;
    for (size_t i = 0; i < FAILING_MOST; i++)
        calls[i] = calls[i * *count / FAILING_MOST];
    *count = FAILING_MOST;
    return calls;
}

/* After a trial that counted: the calls to fail, in their order; to be freed. `name` is of what was
 * tried. */
static long *failing_calls(const char *name, long n_calls, size_t *count) {
    long *calls = failing_list_calls(n_calls, count);
    if (failing_is_thorough())
        fprintf(stderr, "# %s: %ld calls, %zu sites, %zu to fail\n", name, n_calls,
                failing->n_sites, *count);
    return calls;
}

/* Prints the chain of calls that asked for what failed. */
static void failing_print(FILE *stream) {
    for (int i = 3; i < failing->n_frames; i++) {
        Dl_info info;
        if (!dladdr(failing->frames[i], &info))
            continue;
        unsigned long offset =
            (unsigned long)((char *)failing->frames[i] - (char *)info.dli_fbase) - 1;
        if (info.dli_sname || strstr(info.dli_fname, ".so")) {
            fprintf(stream, "#   %s (%s)\n", info.dli_sname ? info.dli_sname : "?", info.dli_fname);
            continue;
        }
        char command[600];
        snprintf(command, sizeof command, "addr2line -sfpe /proc/%ld/exe 0x%lx", (long)getpid(),
                 offset);
        FILE *pipe = popen(command, "r");
        char line[400];
        while (pipe && fgets(line, sizeof line, pipe))
            fprintf(stream, "#   %s", line);
        if (pipe)
            pclose(pipe);
        if (strstr(line, "treebench_main") || strstr(line, "failing_try"))
            break;
    }
}

#endif
