#!/usr/bin/env bats
# Implementations for GPUs on the command line. PoCL, if it is installed, is the device.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
    unset TREEBENCH_DEVICE
}

needs_device() {
    "$TREEBENCH" list --device opencl | grep -q '^ *found: opencl:' || skip "needs an OpenCL device"
}

@test "without --device, an implementation for GPUs is not here" {
    treebench score --model model.json --data data.txt --impl qs-gpu
    [ "$status" -eq 4 ]
    [[ $stderr == "treebench: qs-gpu: no device is named. Name one with --device cuda or --device opencl" ]]
    treebench compare --model model.json --data data.txt --impl 'qs*' --rounds 2
    succeeds
    run ! grep qs-gpu <<<"$output"
}

@test "a driver that is missing is one line and exit status 4" {
    export TREEBENCH_OPENCL=/nonexistent/libOpenCL.so
    for command in score verify compare; do
        treebench "$command" --model model.json --data data.txt --impl qs-gpu --device opencl
        [ "$status" -eq 4 ]
        grep -q "opencl: /nonexistent/libOpenCL.so: .*Install ocl-icd-libopencl1" <<<"$stderr"
    done
    treebench score --model model.json --data data.txt --impl qs-gpu --device cuda
    [ "$status" -eq 4 ] || [ "$status" -eq 0 ]
    [[ $status -eq 0 || ${#stderr_lines[@]} -eq 1 ]]
}

@test "--device: a mistake is one line" {
    for command in score verify compare; do
        treebench "$command" --model model.json --data data.txt --impl qs-gpu --device opencl:x
        is_mistake "--device: no device 'opencl:x': name cuda or opencl"
    done
    treebench score --model model.json --data data.txt --impl qs --device opencl
    is_mistake "--device has no effect on qs"
}

@test "score, verify and compare on a device" {
    needs_device
    treebench score --model model.json --data data.txt --impl reference --out reference.scores
    treebench score --model model.json --data data.txt --impl qs-gpu --device opencl --out gpu.scores
    succeeds
    paste reference.scores gpu.scores |
        awk '{d = $1 - $2; if (d > 1e-12 || d < -1e-12) exit 1; n++} END {if (n != 500) exit 1}'
    treebench verify --model model.json --data data.txt --impl qs-gpu --device opencl
    succeeds
    [[ ${lines[-1]} == "all 6 implementations agree with "* ]]
    treebench compare --model model.json --data data.txt --impl qs-gpu --rounds 2 --device opencl
    succeeds
    grep -qE "^qs-gpu +[0-9.]+ " <<<"$output"
    grep -q "wall" <<<"$output"
    treebench list --device opencl
    grep -q "^ *found: opencl:[0-9]*, " <<<"$output"
    grep -qE "^  threads per block +[0-9]+ +1024$" <<<"$output"
    grep -qE "^  KiB L2 cache +[0-9]+ +2048$" <<<"$output"
}

@test "tune: the implementations of a named device are rivals, and nothing is stored" {
    needs_device
    # The driver keeps what it compiles: tune's seconds are not for its compiler on busy cores.
    treebench compare --model model.json --data data.txt --block 500 --rounds 2 --device opencl \
        --impl planes-gpu --impl walk-gpu
    succeeds
    treebench tune --model model.json --data data.txt --batch 500 --seconds 8 --device opencl
    [ "$status" -eq 0 ]
    grep -qE '^ +500 .*of qs-gpu; .*of planes-gpu; .*of walk-gpu' <<<"$output"
    [ "$stderr" = "treebench: the times were not stored for auto: auto needs CPU times, and with a device these are wall times" ]
    treebench tune --model model.json --data data.txt --batch 500 --seconds 1 --fresh
    run ! grep -e -gpu <<<"$output"
}
