#!/bin/sh
# Measures how reliable `treebench regress` is: plants slowdowns of known sizes and changes that slow
# nothing down, runs the check several times on each, and prints how often it raises an alarm.
# tests/plants/plants.txt is the table of plants.
# Usage: gate-power.sh BUILD   (make has built it)
# Environment:
#   RUNS       runs of each plant (default: 10)
#   ONLY       a pattern of plants: 'work-*' (default: all). Several have spaces between them.
#   MINUTES    --minutes of each run (default: 4)
#   OPTIONS    more options of regress, such as '--margin 2'
#   JOBS       jobs of make (default: number of cores)
# Exit status: 0 measured, 2 an error.
#
# A copy of the tree, with uncommitted changes, is in BUILD-power/tree, and its build is in
# BUILD-power/base. Each run adds a line to BUILD-power/gate-power.csv. A run that was stopped goes
# on where it was. Lines of another build, of another plant or with other options do not count.
set -eu
[ $# -eq 1 ] || { echo "usage: gate-power.sh BUILD" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
: "${RUNS:=10}" "${ONLY:=*}" "${MINUTES:=4}" "${OPTIONS:=}" "${JOBS:=$(nproc)}" "${CC:=gcc}" "${CXX:=g++}"
export CC CXX # for relink.sh
build=$1
treebench=$build/treebench
power=$build-power
tree=$power/tree
results=$power/gate-power.csv

fail() {
    echo "gate-power.sh: $1" >&2
    exit 2
}

# The lines of the table that ONLY matches.
plants() {
    set -f
    for pattern in $ONLY; do
        found=
        while read -r name rest; do
            # shellcheck disable=SC2254 # a pattern
            case $name in
            '#'* | '') ;;
            $pattern)
                echo "$name $rest"
                found=1
                ;;
            esac
        done <"$root/tests/plants/plants.txt"
        [ -n "$found" ] || fail "ONLY: no plant '$pattern' in tests/plants/plants.txt"
    done
    set +f
}

# Copies the tree. Only files that differ are written, so that only their objects are built again.
# What a stopped run left planted differs, too.
copy_tree() {
    mkdir -p "$tree"
    (cd "$root" && git ls-files --cached --others --exclude-standard) >"$power/listed" 2>/dev/null ||
        fail "$root is not a git repository: run it in a clone"
    while read -r path; do
        [ ! -f "$root/$path" ] || echo "$path"
    done <"$power/listed" | sort >"$power/wanted"
    (cd "$tree" && find . -path ./build -prune -o -type f -print | sed 's|^\./||' | sort) |
        comm -13 "$power/wanted" - | while read -r path; do
        rm "$tree/$path"
    done
    while read -r path; do
        cmp -s "$root/$path" "$tree/$path" || echo "$path"
    done <"$power/wanted" >"$power/changed"
    (cd "$root" && tar -cf - -T -) <"$power/changed" | tar -xmf - -C "$tree"
}

make_library() {
    make -C "$tree" -j"$JOBS" BUILD=build CC="$CC" CXX="$CXX" build/libtreebench.so.0 \
        >"$power/make.log" 2>&1 || fail "cannot build $1: see $power/make.log"
    sh "$root/scripts/fingerprint.sh" "$tree/build" >"$tree/build/fingerprints.tsv"
}

make_base() {
    copy_tree
    make_library "$tree"
    rm -rf "$power/base"
    cp -Rp "$tree/build" "$power/base"
}

# Makes the file, the model and the documents of $workload.
make_workload() {
    case $workload in
    small) trees=200 documents=1000 block=64 ;;
    many-*) trees=${workload#many-} documents=20000 block=1000 ;;
    *) fail "$name: '$workload' is neither small nor many-N" ;;
    esac
    data=$documents.cache model=$trees.json
    [ -e "$power/$data" ] || {
        "$treebench" synth --like mslr-web10k --documents "$documents" --seed 5 \
            --data "$power/new.cache"
        mv "$power/new.cache" "$power/$data"
    }
    [ -e "$power/$model" ] || {
        "$treebench" synth --grow-on "$power/$data" --trees "$trees" --leaves 32 --seed 3 \
            --model "$power/new.json"
        mv "$power/new.json" "$power/$model"
    }
    printf '{"workloads": [{"name": "%s", "model": "%s", "data": "%s", "block": %s}]}\n' \
        "$workload" "$model" "$data" "$block" >"$power/$workload.json"
}

# The patch of the plant, with its size.
planted() {
    sed "s/EVERY/$every/g" "$root/tests/plants/$patch.patch"
}

# Sets `head` to a build folder with the plant $name.
plant() {
    case $patch in
    relink) head=$power/relinked ;;
    *)
        head=$tree/build
        planted >"$power/planted.patch"
        patch -s -p1 -d "$tree" <"$power/planted.patch" >"$power/patch.log" 2>&1 ||
            fail "$patch.patch does not apply: see $power/patch.log"
        make_library "the plant $name"
        ;;
    esac
}

# Removes the plant from the tree.
unplant() {
    [ "$patch" = relink ] || copy_tree
}

# Makes a build folder like base's, with the library in the layout number $1, and without
# fingerprints, so that it is timed although it is the same code.
relink() {
    rm -rf "$power/relinked"
    mkdir "$power/relinked"
    for path in "$power"/base/*; do
        case $path in
        */fingerprints.tsv | */libtreebench.so.0) ;;
        *) ln -s "$path" "$power/relinked/" ;;
        esac
    done
    sh "$root/scripts/relink.sh" "$power/base" "$1" "$power/relinked/libtreebench.so.0"
}

# What a line must agree with to count.
key() {
    {
        cksum <"$treebench"
        cksum <"$power/base/libtreebench.so.0"
        echo "$patch $every $workload $kernels $MINUTES $OPTIONS"
        [ "$patch" = relink ] || planted
    } | cksum | cut -d ' ' -f 1
}

# Runs the check once, and adds a line to the results.
check() {
    timed=
    if [ "$patch" = relink ]; then
        relink "$1"
        timed="--impl $(echo "$kernels" | sed 's/,/ --impl /g')"
    fi
    status=0
    # shellcheck disable=SC2086 # options are words
    "$treebench" regress --base "$power/base" --head "$head" --relink "sh '$root/scripts/relink.sh'" \
        --workloads "$power/$workload.json" --minutes "$MINUTES" --seed "$((100000 * $1))" --json \
        $timed $OPTIONS >"$power/check.json" 2>"$power/check.log" || status=$?
    case $status in
    0 | 1 | 3) ;;
    130) exit 130 ;;
    *) fail "regress failed on $name: $(tail -n 1 "$power/check.log")" ;;
    esac
    line=$(awk -f "$root/scripts/gate-power-line.awk" -v plant="$name" -v key="$key" -v run="$1" \
        -v slower="$slower" -v kernels="$kernels" -v status="$status" "$power/check.json") ||
        fail "cannot read $power/check.json"
    echo "$line" >>"$results"
}

count_done() {
    awk -F , -v plant="$name" -v key="$key" \
        '$1 == plant && $2 == key { n++ } END { print n + 0 }' "$results"
}

# Whether all implementations of the plant run on this machine.
kernels_run() {
    [ "$kernels" != - ] || return 0
    for kernel in $(echo "$kernels" | tr , ' '); do
        grep -q "\"name\":\"$kernel\".*\"runs_here\":true" "$power/implementations" || return 1
    done
}

# Measures the plant $name.
measure() {
    kernels_run || {
        echo "gate-power.sh: $name is skipped: $kernels does not run here" >&2
        return 0
    }
    make_workload
    key=$(key)
    echo "$name $key" >>"$power/measured"
    run=$(count_done)
    [ "$run" -lt "$RUNS" ] || return 0
    echo "gate-power.sh: $name: $run of $RUNS" >&2
    plant
    while [ "$run" -lt "$RUNS" ]; do
        run=$((run + 1))
        check "$run"
    done
    unplant
}

[ -x "$treebench" ] || fail "$treebench does not exist: run make"
case $RUNS in '' | *[!0-9]* | 0) fail "RUNS is not a number from 1 on: '$RUNS'" ;; esac
mkdir -p "$power"
power=$(cd "$power" && pwd) tree=$power/tree results=$power/gate-power.csv
plants >"$power/plants"
"$treebench" list --json >"$power/implementations"
make_base
columns=plant,key,run,slower,status,verdict,others,ratio,pairs,layouts,seconds,started,cpu,cores
[ -e "$results" ] || echo "$columns,system,commit,compiler" >"$results"
: >"$power/measured"
while read -r name patch every workload slower kernels <&3; do
    measure
done 3<"$power/plants"
awk -F , -f "$root/scripts/binomial.awk" -f "$root/scripts/gate-power-report.awk" -v most="$RUNS" \
    "$power/measured" "$results"
