#include "base/files/mapping.h"

#include "base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAPPINGS_MAX = 64, EXIT_STATUS = 2 };

/* Slots are atomic because signal handlers must not take locks. The thread that sets a slot's
 * `begin` owns the slot. The thread or handler that swaps out the slot's message owns the message.
 * Mappings beyond MAPPINGS_MAX get no slot, so a fault in one of them ends the program without a
 * message. */
static struct {
    _Atomic uintptr_t begin;
    atomic_size_t size;
    _Atomic(char *) message;
} mappings[MAPPINGS_MAX];

static bool add(void *bytes, size_t size, const char *name) {
    char *message;
    if (asprintf(&message, "treebench: %s: the file was truncated while it was being read\n",
                 name) < 0)
        return false;
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uintptr_t none = 0;
        if (!atomic_compare_exchange_strong(&mappings[i].begin, &none, (uintptr_t)bytes))
            continue;
        atomic_store(&mappings[i].size, size);
        atomic_store(&mappings[i].message, message);
        return true;
    }
    free(message);
    return true;
}

void *mapping_open(int file, size_t size, const char *name) {
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return NULL;
    if (add(bytes, size, name))
        return bytes;
    munmap(bytes, size);
    errno = ENOMEM;
    return NULL;
}

void mapping_close(void *bytes, size_t size) {
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        if (atomic_load(&mappings[i].begin) != (uintptr_t)bytes)
            continue;
        free(atomic_exchange(&mappings[i].message, NULL));
        atomic_store(&mappings[i].begin, 0);
        break;
    }
    munmap(bytes, size);
}

static void explain(int number, siginfo_t *info, void *context) {
    (void)context;
    uintptr_t at = (uintptr_t)info->si_addr;
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uintptr_t begin = atomic_load(&mappings[i].begin);
        if (!begin || at < begin || at - begin >= atomic_load(&mappings[i].size))
            continue;
        cleanup_run();
        const char *message = atomic_exchange(&mappings[i].message, NULL);
        ssize_t written = message ? write(STDERR_FILENO, message, strlen(message)) : 0;
        (void)written;
        _exit(EXIT_STATUS);
    }
    signal(number, SIG_DFL); /* the fault is in other memory: the repeated access will end the
                                program */
}

void mapping_on_signals(void) {
    struct sigaction action = {.sa_sigaction = explain, .sa_flags = SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}
