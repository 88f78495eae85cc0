#!/usr/bin/env bats
# --peer: libraries that users bring along, good ones and bad ones. No time is asserted.
load common

build() {
    project=$BATS_TEST_DIRNAME/../..
    cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -O1 -shared -fPIC -I"$project" \
        -I"$project/impls/peers" "$@"
}

setup_file() {
    make_inputs
    cd "$BATS_FILE_TMPDIR" || return 1
    project=$BATS_TEST_DIRNAME/../..
    build "$project/examples/peer_walk.c" -o walk.so
    build "$project/examples/peer_lightgbm.c" -o lgb.so -ldl
    bad=$BATS_TEST_DIRNAME/bad_peer.c
    build "$bad" -o bad.so
    build -DABI=2 "$bad" -o old.so
    build -DFUNCTION=other "$bad" -o none.so
    build '-DLOADING=abort()' "$bad" -o boom.so
    build '-DLOADING=pause()' "$bad" -o stuck.so
    build -DNAME='"xgboost"' "$bad" -o same.so
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

compare() {
    treebench compare --model model.json --data data.txt --rounds 2 --impl struct-plus "$@"
    show
    grep -qE "^struct-plus +[0-9.]+ " <<<"$output" # the rest of the run is kept
}

# The peer is one line of the table and one line on stderr, with this text.
is_left_out() { # NAME TEXT STATUS
    [ "$status" -eq "$3" ] || return 1
    [ "$(grep -cE "^$1 " <<<"$output")" -eq 1 ] || return 1
    grep -qF "$2" <<<"$output" || return 1
    [ "${#stderr_lines[@]}" -eq 1 ] && [[ $stderr == "treebench: $1: "*"$2"* ]]
}

@test "a peer is one more implementation, with its version, whatever the model's format" {
    compare --peer walk.so
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -qE "^walk +[0-9.]+ +\[" <<<"$output"
    grep -qF "walk: peer_walk.c 1.0" <<<"$output"
    treebench convert --model model.json --out model.xgb.json --format xgboost
    treebench compare --model model.xgb.json --data data.txt --rounds 2 --impl walk --impl qs --peer ./walk.so
    succeeds
    [ "$(grep -cE "^walk +[0-9.]+ " <<<"$output")" -eq 1 ]
}

@test "a peer with threads, after other implementations had some" {
    needs_two_cores
    compare --impl planes --threads 2 --block 50 --peer walk.so
    [ "$status" -eq 0 ]
    grep -qE "^walk +[0-9.]+ " <<<"$output"
}

@test "a peer of several outputs: a forest that votes for classes" {
    awk 'BEGIN {print "a,b,class"; for (i = 0; i < 60; i++) print i % 7 "," i % 11 "," i % 3}' >t.csv
    treebench train --learner random-forest --data t.csv --label class --out classes.json
    treebench compare --model classes.json --data t.csv --label class --rounds 2 --impl qs --peer walk.so
    show
    [ "$status" -eq 0 ]
    grep -qE "^walk +[0-9.]+ " <<<"$output"
}

@test "a peer that crashes, ends the process, or hangs is one line" {
    compare --peer bad.so,do=crash
    is_left_out bad "./bad.so crashed by signal 11 (Segmentation fault) while it scored" 2
    compare --peer bad.so,do=exit
    is_left_out bad "./bad.so ended its process with exit status 3 while it scored" 2
    compare --peer bad.so,do=open-crash
    is_left_out bad "./bad.so crashed by signal 6 (Aborted) while it opened the model" 2
    compare --peer bad.so,do=hang,seconds=1
    is_left_out bad "./bad.so did not answer within 1 s while it scored" 2
    compare --peer boom.so
    is_left_out boom "./boom.so crashed by signal 6 (Aborted) while it was loaded" 2
    compare --peer stuck.so,seconds=1
    is_left_out stuck "./stuck.so did not answer within 1 s while it was loaded" 2
}

has_ended() { # PID
    timeout 60 tail --pid="$1" -s 0.1 -f /dev/null
}

@test "what a peer starts in its trial ends with the trial" {
    rm -f peer.pid
    compare --peer bad.so,do=leave-child
    is_left_out bad "./bad.so crashed by signal 6 (Aborted) while it scored" 2
    has_ended "$(cat peer.pid)"
}

@test "a peer ends with treebench, even if it ignores SIGTERM" {
    for signal in TERM KILL; do
        rm -f peer.pid
        "$TREEBENCH" compare --model model.json --data data.txt --impl struct-plus \
            --peer bad.so,do=ignore-term >/dev/null 2>&1 3>&- &
        timeout 60 sh -c 'until [ -s peer.pid ]; do sleep 0.1; done'
        kill -s $signal $!
        run wait $!
        [ "$status" -gt 128 ]
        has_ended "$(cat peer.pid)"
    done
}

@test "what a peer prints is not among the results" {
    sed 's/(void)options;/(void)options, puts("chatter");/' \
        "$BATS_TEST_DIRNAME/../../examples/peer_walk.c" >noisy.c
    build noisy.c -o noisy.so
    treebench compare --model model.json --data data.txt --rounds 2 --impl struct-plus \
        --peer noisy.so --json
    show
    [ "$status" -eq 0 ]
    [[ $output == "{"* && $output != *chatter* && $stderr == *chatter* ]]
}

@test "a peer with other scores is wrong" {
    compare --peer bad.so
    is_left_out bad "document 0 scores 0, but the reference scores " 1
    compare --peer bad.so,do=fail
    is_left_out bad "document 0 scores nan" 1
}

@test "what is no peer, or none for this model, cannot run here" {
    compare --peer old.so
    is_left_out old "./old.so is made for version 2 of treebench_peer.h, but this is version 1" 4
    compare --peer none.so
    is_left_out none "./none.so exports no function treebench_peer" 4
    compare --peer missing.so
    is_left_out missing "./missing.so: cannot open shared object file" 4
    compare --peer bad.so,do=open-error
    is_left_out bad "./bad.so: this peer opens nothing" 4
    compare --peer bad.so,do=wide
    is_left_out bad "its model has 1000 features and 1 outputs, but the model has 8 and 1" 4
    compare --peer lgb.so,library=/nonexistent.so
    is_left_out lightgbm-rows "/nonexistent.so: cannot open shared object file" 4
}

@test "a peer can have a model in a file of its own, which must be the same model" {
    treebench synth --depth 4 --features 8 --trees 3 --seed 4 --model other.json
    treebench convert --model other.json --out other.txt --format lightgbm
    treebench convert --model model.json --out model.txt --format lightgbm
    compare --peer walk.so,model=model.txt
    [ "$status" -eq 0 ]
    compare --peer walk.so,model=other.txt
    [ "$status" -eq 1 ]
    grep -qE "^walk +wrong: document 0 scores" <<<"$output"
    compare --peer walk.so,model=other.json
    is_left_out walk "other.json cannot be read, or is not LightGBM's text" 4
}

@test "base: what a file of the peer's own includes is subtracted, what treebench writes has none" {
    sed 's/"base": \[0\]/"base": [1000]/' model.json >based.json
    treebench convert --model based.json --out based.txt --format lightgbm
    grep -qF "\"base\": [1000]" based.json
    treebench compare --model based.json --data data.txt --rounds 2 --impl struct-plus \
        --peer walk.so,model=based.txt --peer walk.so
    show
    [ "$status" -eq 0 ]
    [ "$(grep -cE "^walk(-2)? +[0-9.]+ " <<<"$output")" -eq 2 ]
}

@test "rounding: float sums are allowed to a peer that tells so, and the difference is told" {
    sed 's/\(.*\) += walk(\(.*\));/\1 = (float)(\1 + walk(\2));/' "$BATS_TEST_DIRNAME/../../examples/peer_walk.c" >float.c
    run ! cmp float.c "$BATS_TEST_DIRNAME/../../examples/peer_walk.c"
    build float.c -o double.so
    sed -i 's/TREEBENCH_PEER_DOUBLE/TREEBENCH_PEER_FLOAT/' float.c
    build float.c -o float.so
    compare --peer float.so
    [ "$status" -eq 0 ]
    [[ $stderr == *"walk: scores differ by up to "*" from the reference's ("*" allowed)"* ]]
    compare --peer double.so
    is_left_out walk "but the reference scores" 1
}

@test "two peers, and a peer that is named as an implementation" {
    compare --peer bad.so --peer walk.so --peer walk.so --peer same.so
    [ "$status" -eq 1 ]
    for name in walk walk-2; do
        grep -qE "^$name +[0-9.]+ " <<<"$output"
    done
    grep -qE "^xgboost-2 +wrong" <<<"$output"
}

@test "mistakes in --peer" {
    for text in "" ,x=1 bad.so,x bad.so,x= bad.so,seconds=0 bad.so,seconds=1x; do
        treebench compare --model model.json --data data.txt --peer "$text"
        is_mistake "--peer"
    done
}

@test "examples/peer_catboost.c calls CatBoost's functions: of a stand-in" {
    build "$BATS_TEST_DIRNAME/../../examples/peer_catboost.c" -o catboost.so -ldl
    build "$BATS_TEST_DIRNAME/fake_catboost.c" -o fake.so
    build -DCATEGORIES=1 "$BATS_TEST_DIRNAME/fake_catboost.c" -o fake_categories.so
    make_stump
    printf '0.2 9 1\n0.9 9 1\n0.9 9 2\n' >stump.txt
    peer=catboost.so,library=./fake.so,model
    for block in 1 2; do
        treebench compare --model stump.xml --data stump.txt --rounds 2 --block $block \
            --impl struct-plus --peer $peer=stump.cbm
        show
        [ "$status" -eq 0 ]
        grep -qE "^catboost +[0-9.]+ " <<<"$output"
    done
    compare --peer $peer=missing.cbm
    is_left_out catboost "./catboost.so: no such model" 4
    compare --peer catboost.so,library=./fake_categories.so,model=stump.cbm
    is_left_out catboost "./catboost.so: stump.cbm has categorical features" 4
}

@test "examples/peer_qleaf.cc scores as QLeaf: set QLEAF to its folder" {
    [ -n "${QLEAF:-}" ] || skip "needs QLEAF=FOLDER"
    g++ -std=c++23 -O1 -D__CUDACC__ -I"$QLEAF/include" -I"$BATS_TEST_DIRNAME/../../impls/peers" \
        -shared -fPIC "$BATS_TEST_DIRNAME/../../examples/peer_qleaf.cc" -o qleaf.so
    compare --peer qleaf.so
    [ "$status" -eq 0 ]
    grep -qE "^qleaf +[0-9.]+ " <<<"$output"
}

@test "latency: peers beside the others" {
    treebench latency --model model.json --data data.txt --calls 80 --rounds 2 --placements 1 \
        --impl struct-plus --peer walk.so --peer bad.so,do=crash
    show
    [ "$status" -eq 2 ]
    grep -qE "^walk +different +1 +[0-9]" <<<"$output"
    grep -qE "^struct-plus +different +1 +[0-9]" <<<"$output"
    [[ $stderr == "treebench: bad: failed: ./bad.so crashed by signal 11 (Segmentation fault) while it scored" ]]
}

@test "tune: peers are rivals, and measured even if there is no time for other libraries" {
    treebench tune --model model.json --batch 4 --seconds 1 --peer walk.so
    show
    [ "$status" -eq 0 ]
    grep -qE " of walk" <<<"$output"
    treebench tune --model model.json --batch 4 --seconds 1 --peer old.so --json
    show
    [ "$status" -eq 4 ]
    [[ $stderr == *"treebench: old: unsupported: ./old.so is made for version 2"* ]]
}

@test "map: peers are libraries at each point" {
    treebench map --scale smoke --out map --peer walk.so --peer bad.so,do=crash
    show
    [ "$status" -eq 2 ]
    [ "$(grep '"impl":"walk"' map/rows.jsonl | grep -c '"status":"ok"')" -eq 8 ]
    [ "$(grep -c "bad: failed: ./bad.so crashed by signal 11" <<<"$stderr")" -eq 1 ]
    grep -q '"walk":"peer_walk.c 1.0"' <<<"$(tr -d '[:space:]' <map/manifest.json | sed 's/peer_walk.c1.0/peer_walk.c 1.0/')"
    grep -q ',"walk",' map/map.csv
    cp map/map.csv before.csv
    treebench report --run map # which knows walk by the manifest alone
    cmp map/map.csv before.csv
    treebench map --scale smoke --out none --peer walk.so,model=model.json
    is_mistake "--peer: a map makes its own models, so ./walk.so cannot have a model=FILE"
}
