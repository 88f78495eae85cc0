/* Counts the instructions of parts of a program exactly, without hardware counters and with every
 * instruction set. The program runs as a child process under ptrace. It runs freely up to a region
 * that it has marked, and one instruction at a time within the region. A step takes about 20 us on
 * a virtual machine. For x86-64 and arm64.
 *
 * The same program with the same input gives the same counts if the marked code does not depend on
 * addresses. The code should have run once before it is counted: then nothing is bound or chosen
 * (IFUNC) within the region. */
#ifndef HARNESS_COUNTING_STEP_H
#define HARNESS_COUNTING_STEP_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

/* --- in the program that is counted ----------------------------------------------------------- */

/* Calls work(argument). If step_count started this program, the instructions of the call are
 * counted as the next region. Otherwise the call costs a few system calls more. The stack of `work`
 * begins at a multiple of 4096 bytes. Not for programs that handle or block SIGURG, which marks
 * the regions. */
void step_region(void (*work)(void *), void *argument);

/* --- in the program that counts --------------------------------------------------------------- */

enum { STEP_REGIONS_MAX = 16, STEP_OUTPUT_SIZE = 4096 };
/* value of the SIGURG with which a program marks its regions */
enum { STEP_MARK = 0x7374657 };

/* A limit of instructions for callers without a limit of their own: minutes. */
#define STEP_LIMIT ((uint64_t)4 << 20)

struct step_request {
    const char *const *argv;        /* ends with NULL; argv[0] is a path (PATH is not searched) */
    const char *const *environment; /* "NAME=value", ends with NULL; step_count adds LD_BIND_NOW */
    uint64_t limit;                 /* instructions of all regions together */
};

struct step_counts {
    size_t n_regions;
    uint64_t instructions[STEP_REGIONS_MAX]; /* of each region, without those of its marks */
    char output[STEP_OUTPUT_SIZE];           /* beginning of the program's stdout and stderr */
};

/* Runs the program and counts each of its regions. An instruction that the processor repeats (rep
 * movsb) counts as one, and so does a system call. Only the thread that main() runs in is counted.
 * STATUS_MACHINE, with the remedy, if the system does not allow ptrace. STATUS_UNSUPPORTED on other
 * architectures. Other errors: the program failed or marked no region, the limit was reached, a
 * signal arrived within a region, or the user asked to stop (instruments/interrupt.h). */
enum status step_count(const struct step_request *request, struct step_counts *counts,
                       struct error *error);

#endif
