/* The side of step.h that runs in the program that is counted. */
#include "harness/counting/step.h"

#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Alignments of vectors, lines and pages then do not depend on the size of the environment. */
enum { STACK_STEP = 4096 };

/* The tracer sees a signal that the program ignores, and SIGURG is ignored by default. Therefore a
 * mark is harmless if there is no tracer. */
__attribute__((noinline)) static void mark(void) {
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_value.sival_int = STEP_MARK;
    syscall(SYS_rt_tgsigqueueinfo, info.si_pid, syscall(SYS_gettid), SIGURG, &info);
}

static void nothing(void *argument) {
    (void)argument;
}

/* The tracer counts what lies between the first and the second mark, and between the second and the
 * third. It subtracts the first count, which is that of `nothing`, from the second. Both go through
 * the same instructions except those of `work`, because the compiler cannot know what is called. */
__attribute__((noinline)) static void mark_calls(void (*work)(void *), void *argument) {
    void (*volatile calls[])(void *) = {nothing, work, nothing};
    for (volatile unsigned i = 0; i < 3; i++) {
        mark();
        calls[i](argument);
    }
}

void step_region(void (*work)(void *), void *argument) {
    char here;
    volatile char skipped[(uintptr_t)&here % STACK_STEP + 1];
    skipped[0] = 0;
    mark_calls(work, argument);
    (void)skipped[0]; /* this read prevents the call above from being a tail call */
}
