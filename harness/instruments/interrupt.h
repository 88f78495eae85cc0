/* Ctrl-C during a measurement: the command stops measuring and reports what it has. */
#ifndef HARNESS_INSTRUMENTS_INTERRUPT_H
#define HARNESS_INSTRUMENTS_INTERRUPT_H

#include <stdbool.h>

/* From now on, the first SIGINT does not end the program, but interrupt_asked() returns true. A
 * second SIGINT ends the program as before. Call this once there is something to report. Further
 * calls do nothing. If SIGINT was ignored, it stays ignored. */
void interrupt_defer(void);

/* Returns true if SIGINT has arrived after interrupt_defer. Loops of measurements check it between
 * rounds. */
bool interrupt_asked(void);

/* SIGINT ends the program again, as before interrupt_defer. interrupt_asked keeps its answer. */
void interrupt_end_deferral(void);

#endif
