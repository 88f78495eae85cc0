#include "harness/instruments/interrupt.h"

#include <signal.h>
#include <stddef.h>

static struct sigaction before; /* how SIGINT was handled before interrupt_defer */
static bool is_deferred;
static volatile sig_atomic_t asked;

static void remember(int number) {
    asked = 1;
    sigaction(number, &before, NULL);
}

void interrupt_defer(void) {
    const struct sigaction action = {.sa_handler = remember, .sa_flags = SA_RESTART};
    if (is_deferred || asked || sigaction(SIGINT, NULL, &before) != 0 ||
        before.sa_handler == SIG_IGN)
        return;
    is_deferred = sigaction(SIGINT, &action, NULL) == 0;
}

bool interrupt_asked(void) {
    return asked != 0;
}

void interrupt_end_deferral(void) {
    if (is_deferred)
        sigaction(SIGINT, &before, NULL);
    is_deferred = false;
}
