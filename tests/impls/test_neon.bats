#!/usr/bin/env bats
# Kernels for NEON on an emulated processor. (On a real one, test_exactness.c has them with all others.)

cross=aarch64-linux-gnu-gcc

setup() {
    [ "$(uname -m)" != aarch64 ] || skip "this is arm64: test_exactness runs it"
    for tool in "$cross" qemu-aarch64; do
        command -v "$tool" >/dev/null || skip "needs $tool (gcc-aarch64-linux-gnu, qemu-user)"
    done
}

# Whole rooms are compiled, and the linker drops what the check does not reach, so that no list of
# sources has to follow the code. Headers of libraries for this machine (cJSON) serve the compiler.
@test "kernels for NEON agree with the reference bit for bit" {
    planes=$(find impls/planes -maxdepth 1 -name '*.c' ! -name '*_avx2.c' ! -name '*_vbmi.c')
    ranks="impls/walks/rank_columns.c impls/walks/rank_bytes_model.c impls/walks/rank_paths_model.c
        impls/walks/rank_levels_model.c impls/walks/rank_paths_neon.c impls/walks/rank_levels_neon.c"
    # shellcheck disable=SC2086 # lists of files
    "$cross" -std=c11 -D_GNU_SOURCE -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow \
        -Wconversion -Werror -static -ffunction-sections -fdata-sections -Wl,--gc-sections \
        -I. -idirafter /usr/include -o "$BATS_TEST_TMPDIR/check" tests/impls/check_neon.c \
        impls/quickscorer/vqs_neon.c impls/quickscorer/qs_*.c $planes $ranks impls/shared/*.c \
        impls/plain/reference.c models/*.c synth/*.c datasets/matrix.c base/*.c base/files/*.c -lm
    run qemu-aarch64 "$BATS_TEST_TMPDIR/check"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$output" = "vqs-neon: 12 forests
vqs-neon: 12 forests
planes: 24 forests
planes-neon: 24 forests
rank-paths-neon: 18 forests
rank-levels-neon: 6 forests" ]
}
