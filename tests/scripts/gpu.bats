#!/usr/bin/env bats
# scripts/gpu.sh, on PoCL: it checks, writes rows, and says what is missing.
bats_require_minimum_version 1.5.0

setup() {
    build=$(dirname "$TREEBENCH")
    export SCALE=smoke TABLE7=no OUT=$BATS_TEST_TMPDIR/out XDG_CACHE_HOME=$BATS_RUN_TMPDIR/cache
    unset TREEBENCH_DEVICE
}

@test "gpu.sh: a device that is missing is one line and exit status 4" {
    TREEBENCH_OPENCL=/nonexistent run --separate-stderr sh scripts/gpu.sh "$build" opencl
    [ "$status" -eq 4 ]
    grep -q "opencl: /nonexistent" <<<"$stderr"
    SCALE=huge run -2 sh scripts/gpu.sh "$build" opencl
    [ "$output" = "gpu.sh: SCALE must be smoke, quick or full" ]
}

@test "gpu.sh: rows of every size, with the times on the device" {
    "$TREEBENCH" list --device opencl >/dev/null 2>&1 || skip "needs an OpenCL device"
    sh scripts/gpu.sh "$build" opencl
    grep -q "GTX 1080" "$OUT/device.txt"
    for file in sizes:8 tau:2 threads:4 calls:4 host:6; do
        rows=$OUT/${file%:*}.csv
        [ "$(sed 1d "$rows" | wc -l)" -eq "${file#*:}" ]
        [ "$(grep -c '^schema,' "$rows")" -eq 1 ]
        run ! grep -E ',(wrong|failed),' "$rows"
    done
    # Every row names the device and has times on it.
    cat >"$OUT/check.awk" <<'AWK'
NR == 1 { n = csv_split($0, names); for (i = 1; i <= n; i++) at[names[i]] = i; next }
{
    csv_split($0, row)
    device = row[at["device_scoring_ns"]] + row[at["device_preparing_ns"]] + row[at["device_copying_ns"]]
    if (row[at["device"]] == "" || row[at["device_scoring_ns"]] <= 0 || device <= 0) bad = 1
}
END { exit bad || NR < 2 }
AWK
    awk -f scripts/csv.awk -f "$OUT/check.awk" "$OUT/sizes.csv"
}
