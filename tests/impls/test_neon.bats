#!/usr/bin/env bats
# Kernels for NEON on an emulated processor. (On a real one, test_exactness.c has them with all others.)

cross=aarch64-linux-gnu-gcc

setup() {
    [ "$(uname -m)" != aarch64 ] || skip "this is arm64: test_exactness runs it"
    for tool in "$cross" qemu-aarch64; do
        command -v "$tool" >/dev/null || skip "needs $tool (gcc-aarch64-linux-gnu, qemu-user)"
    done
}

@test "kernels for NEON agree with the reference bit for bit" {
    "$cross" -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow \
        -Wconversion -Werror -static -I. -o "$BATS_TEST_TMPDIR/check" \
        tests/impls/check_neon.c impls/quickscorer/vqs_neon.c impls/quickscorer/qs_model.c \
        impls/planes/planes.c impls/planes/planes_neon.c impls/planes/planes_model.c impls/planes/planes_scorer.c impls/planes/planes_trees.c impls/planes/planes_sets.c impls/planes/planes_xors.c impls/shared/sums_option.c \
        impls/shared/sorted_tests.c impls/shared/splits.c impls/shared/tau.c impls/plain/reference.c \
        models/ensemble*.c models/categories.c models/placing.c models/*.c synth/*.c datasets/matrix.c \
        base/cityhash.c base/cleanup.c base/cpu.c base/files/mapping.c base/memory.c base/number.c base/options.c base/random.c base/status.c -lm
    run qemu-aarch64 "$BATS_TEST_TMPDIR/check"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "vqs-neon: 10 forests
vqs-neon: 10 forests
planes: 20 forests
planes-neon: 20 forests" ]
}
