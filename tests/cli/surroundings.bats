#!/usr/bin/env bats
# What surrounds the program must not change what it does: names of folders, the user's settings of
# gnuplot, closed streams, links in shared folders, signals.
load common

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return 1
    small_runs
    "$TREEBENCH" run --scale smoke --only asadi2014-fig3 --out run >told
    make_inputs
    make_stump
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    ln -s "$BATS_FILE_TMPDIR"/{run,model.json,data.txt,stump.xml} .
}

copy_run() {
    mkdir -- "$1"
    cp run/rows.jsonl run/manifest.json -- "./$1"
}

# A compiler that never ends, and tells the number of a process that it started.
make_slow_compiler() {
    cat >compiler <<'SH'
#!/bin/sh
[ "$1" = --version ] && exit 0
sleep 600 &
echo $! >"$0.child"
wait
SH
    chmod +x compiler
}

wait_for() {
    for _ in $(seq 600); do
        if "$@"; then return 0; fi
        sleep 0.1
    done
    return 1
}

has_ended() {
    state=$(ps -o stat= -p "$1") || return 0
    [[ $state == Z* ]]
}

# --- gnuplot -------------------------------------------------------------------------------------

@test "no name of a run's folder is a command to gnuplot" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    for name in '< touch X; echo ' '| touch X; cat ' '`touch X`' "it's" '@home' '$(touch X)' 'a"b'; do
        copy_run "$name"
        treebench report --run "$name"
        show
        [ "$status" -ne 2 ] && [ "$status" -ne 4 ]
        [ -s "./$name/asadi2014-fig3.svg" ] && [ -s "./$name/asadi2014-fig3.png" ]
        [ ! -e X ]
    done
}

@test "figures do not depend on the user's settings of gnuplot" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    copy_run plain
    treebench report --run plain
    copy_run changed
    mkdir home
    echo 'set title "mine"; set xlabel "mine"; set border 15; set key font ",30"' >home/.gnuplot
    HOME=$PWD/home GNUTERM=dumb GNUPLOT_DEFAULT_GDFONT=mine treebench report --run changed
    cmp {plain,changed}/asadi2014-fig3.svg
    cmp {plain,changed}/asadi2014-fig3.png
}

# --- streams -------------------------------------------------------------------------------------

@test "a closed stream is not the store" {
    export TREEBENCH_CC=false # something to say, of every cell
    "$TREEBENCH" run --scale smoke --only asadi2014-fig2 --out closed >told 2>&- || [ $? -eq 4 ]
    [ "$(grep -c '^{"' closed/rows.jsonl)" -eq "$(wc -l <closed/rows.jsonl)" ]
    treebench report --run closed
    show
    [ "$status" -ne 2 ]
}

@test "a closed stream fails, as before" {
    run bash -c '"$0" info --model - <&-' "$TREEBENCH"
    [ "$status" -eq 2 ] && [[ $output == "treebench: -: cannot "* ]]
    run --separate-stderr bash -c '"$0" list >&-' "$TREEBENCH"
    [ "$status" -eq 2 ] && [[ $stderr == "treebench: standard output: "* ]]
}

# --- files that are not whole yet ----------------------------------------------------------------

@test "a link under the name that a temporary file might have is not followed" {
    echo mine >victim
    # The program has the number of the shell.
    # shellcheck disable=SC2016 # for that shell
    run sh -c 'ln -s victim "out.json.tmp.$$"
        exec "$0" convert --model stump.xml --out out.json' "$TREEBENCH"
    [ "$status" -eq 0 ]
    [ "$(cat victim)" = mine ]
    [ -s out.json ] && [ ! -L out.json ]
}

@test "a signal leaves no temporary file and no compiler, and is what ended the program" {
    make_slow_compiler
    export XDG_CACHE_HOME=$PWD/cache TREEBENCH_CC=$PWD/compiler
    for signal in INT:130 TERM:143 HUP:129; do
        rm -f compiler.child
        env --default-signal "$TREEBENCH" score --model model.json --data data.txt \
            --impl codegen >scores 2>said 3>&- &
        program=$!
        wait_for test -s compiler.child
        child=$(cat compiler.child)
        ls cache/treebench/*.tmp.*
        kill -s "${signal%:*}" "$program"
        code=0
        wait "$program" || code=$?
        [ "$code" -eq "${signal#*:}" ]
        [ -z "$(ls cache/treebench)" ]
        wait_for has_ended "$child"
    done
}

@test "a signal that was ignored stays ignored" {
    make_slow_compiler
    export XDG_CACHE_HOME=$PWD/cache TREEBENCH_CC=$PWD/compiler
    env --ignore-signal=HUP "$TREEBENCH" score --model model.json --data data.txt --impl codegen \
        >scores 2>said 3>&- &
    program=$!
    wait_for test -s compiler.child
    kill -s HUP "$program"
    kill -s TERM "$program"
    code=0
    wait "$program" || code=$?
    [ "$code" -eq 143 ]
}

@test "a cache that is truncated while it is read is told in one line" {
    treebench convert --data data.txt --out data.cache
    printf '#!/bin/sh\n[ "$1" = --version ] || : >data.cache\nexec cc "$@"\n' >compiler
    chmod +x compiler
    XDG_CACHE_HOME=$PWD/cache TREEBENCH_CC=$PWD/compiler \
        treebench score --model model.json --data data.cache --impl codegen
    is_mistake "data.cache: the file was truncated while it was being read"
}

# --- files that are not regular ------------------------------------------------------------------

@test "a store that is a FIFO is refused, and nobody waits" {
    mkdir fifo
    mkfifo fifo/rows.jsonl
    cp run/manifest.json fifo
    for command in "report --run fifo" "run --scale smoke --only asadi2014-fig3 --out fifo --resume"; do
        # shellcheck disable=SC2086 # words
        run --separate-stderr timeout 60 "$TREEBENCH" $command
        is_mistake "not a regular file"
        [[ $stderr == *"fifo/rows.jsonl: "* ]]
    done
    rm fifo/rows.jsonl fifo/manifest.json
    cp run/rows.jsonl fifo
    mkfifo fifo/manifest.json
    run --separate-stderr timeout 60 "$TREEBENCH" report --run fifo
    is_mistake "fifo/manifest.json: is not a regular file"
}

@test "documents and models may come from a pipe" {
    mkfifo documents model
    "$TREEBENCH" score --model model.json --data data.txt >expected
    for _ in 1 2 3 4 5; do
        cat data.txt >documents &
        cat model.json >model &
        timeout 60 "$TREEBENCH" score --model model --data documents >scores
        cmp scores expected
    done
    timeout 60 "$TREEBENCH" score --model model.json --data <(cat data.txt) >scores
    cmp scores expected
}

# --- memory --------------------------------------------------------------------------------------

@test "a small model of millions of features takes little memory" {
    (ulimit -v 600000 && "$TREEBENCH" --version >version) || skip "the program itself reserves more"
    echo '{"format": "treebench", "version": 1, "features": 16000000, "outputs": 1, "base": [0],
 "trees": [{"output": 0, "feature": [15999999], "threshold": [0.5], "left": [-1], "right": [-2],
 "value": [1,2]}]}' >wide.json
    { # 10,000 stumps of features all over
        echo '{"format": "treebench", "version": 1, "features": 16000000, "outputs": 1, "base": [0], "trees": ['
        seq 1 10000 | awk '{
            printf "%s", (NR > 1 ? "," : "")
            printf "{\"output\":0,\"feature\":[%d],\"threshold\":[0.5],", $1 * 1037389 % 16000000
            print "\"left\":[-1],\"right\":[-2],\"value\":[1,2]}" }'
        echo ']}'
    } >many.json
    for model in wide many; do
        (
            ulimit -v 600000
            OMP_NUM_THREADS=1 "$TREEBENCH" verify --model "$model.json" --impl struct >"$model.told"
            "$TREEBENCH" export --model "$model.json" --out "$model"
        )
        grep -q "agree with treebench's reference on 0 documents and [0-9]* probes$" "$model.told"
        make -s -C "$model" test CFLAGS=-O0
    done
}

@test "surroundings: a report needs no large stack" {
    ! grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || skip "sanitizers need a larger stack"
    copy_run small
    run --separate-stderr bash -c 'ulimit -s 64; exec "$TREEBENCH" report --run small --html page.html'
    show
    [ "$status" -le 3 ]
    [[ $output == *"report: small/report.md; page: page.html" ]]
}
