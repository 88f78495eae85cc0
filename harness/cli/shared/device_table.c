#include "harness/cli/shared/device_table.h"

#include "devices/device.h"
#include "harness/cli/shared/terminal.h"

#include <inttypes.h>
#include <stdio.h>

/* lettich2018 Table 6: a GeForce GTX 1080. */
static const struct device_facts paper = {.units = 20,
                                          .threads_per_unit = 2048,
                                          .threads_per_block = 1024,
                                          .shared_per_unit = 96 << 10,
                                          .shared_per_block = 48 << 10,
                                          .l2_bytes = 2 << 20,
                                          .memory_bytes = (size_t)8 << 30};

static void print_line(const char *what, uint64_t here, uint64_t there) {
    printf("  %-30s %12" PRIu64 " %12" PRIu64 "\n", what, here, there);
}

static void print_facts(const struct device_facts *facts) {
    char text[512];
    printf("\nDevice:\n");
    snprintf(text, sizeof text, "%s, %s, %s", facts->spec, facts->name, facts->driver);
    printf("  ");
    wrap_print(stdout, text, 2, WRAP_TABLE);
    printf("  %-30s %12s %12s\n", "", "here", "GTX 1080");
    print_line("units", facts->units, paper.units);
    print_line("threads per unit", facts->threads_per_unit, paper.threads_per_unit);
    print_line("threads per block", facts->threads_per_block, paper.threads_per_block);
    print_line("KiB shared memory per unit", facts->shared_per_unit >> 10,
               paper.shared_per_unit >> 10);
    print_line("KiB shared memory per block", facts->shared_per_block >> 10,
               paper.shared_per_block >> 10);
    print_line("KiB L2 cache", facts->l2_bytes >> 10, paper.l2_bytes >> 10);
    print_line("MiB memory", facts->memory_bytes >> 20, paper.memory_bytes >> 20);
    printf("  The GTX 1080 is lettich2018's GPU (Table 6).\n");
    if (*facts->assumed) {
        snprintf(text, sizeof text,
                 "The driver does not report these, so the GTX 1080's are assumed: %s.",
                 facts->assumed);
        printf("  ");
        wrap_print(stdout, text, 2, WRAP_TABLE);
    }
}

enum status device_table_print(const char *name, struct error *error) {
    struct device *device;
    enum status status = device_open(name, &device, error);
    if (status)
        return status;
    print_facts(device_facts(device));
    device_close(device);
    return STATUS_OK;
}
