# What the tests of the command line share. Each file makes a small model and documents of its own.
bats_require_minimum_version 1.5.0
: "${TREEBENCH:?is the path of the program; scripts/test.sh sets it}"
# No compiled models and no times from other runs.
export XDG_CACHE_HOME=$BATS_RUN_TMPDIR/cache

make_inputs() {
    cd "$BATS_FILE_TMPDIR" || return 1
    "$TREEBENCH" synth --depth 4 --features 8 --trees 3 --documents 500 --seed 3 \
        --model model.json --data data.txt
}

# stump.xml, one tree of three features: x0 <= 0.5 ? 10 : (x2 <= 1.5 ? 20 : 30).
make_stump() {
    cat >stump.xml <<'XML'
<Ensemble>
<Tree leaves="3" weight="1.0">
<SplitFeatures>0 2</SplitFeatures>
<LeftChildren>-1 -2</LeftChildren>
<RightChildren>1 -3</RightChildren>
<Thresholds>0 0</Thresholds>
<OriginalThresholds>0.5 1.5</OriginalThresholds>
<LeafOutputs>10 20 30</LeafOutputs>
</Tree>
</Ensemble>
XML
}

# Does what `run --separate-stderr "$TREEBENCH"` does, but starts no other process. Drops the lines of
# progress, which only slow machines show.
treebench() {
    local said=$BATS_TEST_TMPDIR/stderr-of-treebench line
    output=$("$TREEBENCH" "$@" 2>"$said") && status=0 || status=$?
    IFS=$'\n' read -d '' -r -a lines <<<"$output" || true
    stderr='' stderr_lines=()
    [ -s "$said" ] || return 0
    while IFS= read -r line || [ -n "$line" ]; do
        [[ $line != "treebench: ["+([0-9])/+([0-9])"] "* ]] || continue
        stderr+=$line$'\n'
        [ -z "$line" ] || stderr_lines+=("$line")
    done <"$said"
    while [[ $stderr == *$'\n' ]]; do stderr=${stderr%$'\n'}; done
}

# Output that BATS shows when the test fails.
show() {
    echo "status $status"
    echo "stdout: $output"
    echo "stderr: $stderr"
}

succeeds() {
    show
    [ "$status" -eq 0 ] && [ -z "$stderr" ]
}

# Exit status 2, nothing on stdout, and exactly one line on stderr, which holds the given words.
is_mistake() {
    show
    [ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] || return 1
    [[ $stderr == "treebench: "*"$1"* ]]
}

# From here on, runs of scale smoke are smaller: of fewer documents and rounds, and not cold.
small_runs() {
    project=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
    small=$BATS_FILE_TMPDIR/small
    mkdir -p "$small/build"
    cp -r "$project/configs" "$small"
    ln -s "$project/plots" "$project/results" "$small"
    cp "$TREEBENCH" "$(dirname "$TREEBENCH")/flags" "$small/build"
    sed -i 's/"passes": "cold",//; /^    "smoke"/,/^    }/ { s/"rounds": [0-9]*/"rounds": 2/
        /"documents"/ s/\([^0-9a-z]\)[0-9]\{4,\}/\1512/g }' "$small"/configs/*.json
    export TREEBENCH=$small/build/treebench
}

# Tests that measure for so many seconds take a tenth of them.
fast_clock() {
    cc -shared -fPIC -D_GNU_SOURCE -o "$BATS_FILE_TMPDIR/fast_clock.so" "$BATS_TEST_DIRNAME/../fast_clock.c"
    export LD_PRELOAD=$BATS_FILE_TMPDIR/fast_clock.so
}

# --threads takes no more than there are cores.
needs_two_cores() {
    [ "$(nproc)" -ge 2 ] || skip "needs two cores"
}

# The names of the implementations of a kind that run here (true) or not (false).
implementations() {
    "$TREEBENCH" list --json |
        sed -n 's/^  {"name":"\([^"]*\)".*"kind":"'"$1"'".*"runs_here":'"$2"'.*/\1/p'
}

# Programs of `make san` fail at their end in a process that is traced, unless leaks are not sought.
allow_tracing() {
    export ASAN_OPTIONS=detect_leaks=0
}
