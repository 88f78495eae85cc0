/* The file that says which points a map has is refused with one line, or read into a grid whose
 * axes grow. */
#include "harness/tuning/map.h"
#include "tests/fuzz/own_folder.h"

static void check_axis(const struct map_axis *axis) {
    fuzz_expect(axis->count >= 1 && axis->count <= MAP_AXIS_MAX && axis->values[0] >= 1);
    for (size_t i = 1; i < axis->count; i++)
        fuzz_expect(axis->values[i - 1] < axis->values[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[512];
    struct map_grid grid;
    struct error error = {""};
    snprintf(path, sizeof path, "%s/map.json", fuzz_folder());
    fuzz_write(path, data, size);
    if (map_read(path, "s", &grid, &error)) {
        fuzz_expect_line(error.text, path);
        return 0;
    }
    check_axis(&grid.features);
    check_axis(&grid.leaves);
    check_axis(&grid.trees);
    check_axis(&grid.calls);
    fuzz_expect(grid.documents >= grid.calls.values[grid.calls.count - 1]);
    fuzz_expect(map_points(&grid) <= (size_t)MAP_AXIS_MAX * MAP_AXIS_MAX * MAP_AXIS_MAX * 16);
    return 0;
}
