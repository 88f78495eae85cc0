#!/bin/sh
# Checks whether the working tree scores slower than another revision. Uncommitted changes count.
# Usage: regress.sh BASE [OPTION]...
#   BASE     a revision: a branch, a tag, a commit
#   OPTION   options of `treebench regress`, such as --impl 'planes*' or --workloads FILE
# Environment: BUILD (folder of the working tree's build, default: build), and CC, CXX, OPTIMISE and
# EXTRA for both builds.
# Exit status: 0 no regression, 1 a regression, 3 no verdict, 2 an error. `make regress` has these
# statuses as 0 and 2.
#
# BASE is unpacked and built in $XDG_CACHE_HOME/treebench/regress/COMMIT (default: ~/.cache), and
# kept there for the next time. Several runs at once take turns to build. What was not used for 30
# days is removed. Nothing is registered in the repository, so that the cache may be deleted.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# Relative to the root, as for make.
: "${BUILD:=build}" "${CC:=gcc}" "${CXX:=g++}"
export CC CXX

fail() {
    echo "regress.sh: $1" >&2
    exit 2
}

in_repository() {
    git -C "$root" "$@" 2>/dev/null
}

# Prints the command that brings the revision $1 into this clone, as a shallow clone needs it.
# Prints nothing if no command can.
fetch_command() {
    remote=$(in_repository remote | head -n 1)
    [ -n "$remote" ] || return 0
    fetch="git fetch" deepen=
    if [ "$(in_repository rev-parse --is-shallow-repository)" = true ]; then
        fetch="git fetch --depth 1" deepen="git fetch --unshallow $remote"
    fi
    case $1 in
    *[~^@:]*) echo "$deepen" ;;
    "$remote"/*) echo "$fetch $remote +refs/heads/${1#"$remote"/}:refs/remotes/$1" ;;
    *[!0-9a-f]*) echo "$fetch $remote $1:$1" ;;
    ????????????????????????????????????????) echo "$fetch $remote $1" ;;
    *) echo "${deepen:-git fetch $remote}" ;;
    esac
}

# Sets `commit`.
find_commit() {
    [ -n "$1" ] || fail "which revision to compare with? make regress BASE=REVISION"
    in_repository rev-parse --git-dir >/dev/null || fail "$root is not a git repository: run it in a clone"
    commit=$(in_repository rev-parse --verify --quiet "$1^{commit}") && return
    command=$(fetch_command "$1")
    [ -z "$command" ] || fail "no revision '$1' in this clone: run '$command'"
    fail "no revision '$1'"
}

# Builds targets of a tree. On failure, the log stays.
# build TREE BUILD LOG TARGET...
build() {
    tree=$1 folder=$2 log=$3
    shift 3
    make -C "$tree" -j"$(nproc)" BUILD="$folder" CC="$CC" CXX="$CXX" "$@" >"$log" 2>&1 ||
        fail "cannot build $tree: $(grep -m 1 -i -e 'error' "$log" || tail -n 1 "$log") ($log)"
}

# Unpacks the commit as $1. Complete or not at all, so that a killed run leaves no half of a tree.
unpack() {
    [ ! -d "$1" ] || return 0
    rm -rf "$1.new"
    mkdir -p "$1.new"
    in_repository archive --output="$1.new/tree.tar" "$commit" ||
        fail "cannot unpack $commit: this clone lacks some of its files"
    tar -xf "$1.new/tree.tar" -C "$1.new"
    rm "$1.new/tree.tar"
    echo "$commit" >"$1.new/COMMIT" # what scripts/build-info.sh reads if there is no repository
    mv "$1.new" "$1"
}

remove_unused() {
    find "$cache" -mindepth 1 -maxdepth 1 -mtime +30 -exec rm -rf {} +
}

# Makes the base's build folder. flock lets only one run at a time change the cache.
prepare_base() (
    mkdir -p "$cache" || fail "cannot make the folder $cache: set XDG_CACHE_HOME"
    if command -v flock >/dev/null; then
        exec 9>"$cache.lock"
        flock 9
    fi
    unpack "$cache/$commit"
    touch "$cache/$commit"
    remove_unused
    build "$cache/$commit" "$base_build" "$cache/$commit/$base_build.log" "$base_build/libtreebench.so.0"
    fingerprint "$cache/$commit/$base_build"
)

# Writes fingerprints.tsv into a build folder.
fingerprint() {
    sh "$root/scripts/fingerprint.sh" "$1" >"$1/fingerprints.$$" ||
        { rm -f "$1/fingerprints.$$"; exit 2; }
    mv "$1/fingerprints.$$" "$1/fingerprints.tsv"
}

base=${1:-}
[ $# -eq 0 ] || shift
find_commit "$base"
[ -n "${XDG_CACHE_HOME:-}${HOME:-}" ] || fail "set XDG_CACHE_HOME to a folder for the base's build"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/treebench/regress
# Builds by other compilers and flags have folders of their own, so that runs do not disturb each
# other.
key=$({
    "$CC" --version
    "$CXX" --version
    echo "$CC" "$CXX" "${OPTIMISE:-}" "${EXTRA:-}" "${SANITIZE:-}"
} 2>/dev/null | cksum | cut -d ' ' -f 1) || true
base_build=build-$key
case $BUILD in
/*) head=$BUILD ;;
*) head=$root/$BUILD ;;
esac

echo "regress.sh: building $base ($commit) in $cache/$commit, and $root" >&2
prepare_base
mkdir -p "$head"
build "$root" "$BUILD" "$head/regress.log" "$BUILD/treebench" "$BUILD/libtreebench.so.0"
fingerprint "$head"
# A shell runs the command, so the path is quoted.
relink=$(printf '%s\n' "$root/scripts/relink.sh" | sed "s/'/'\\\\''/g")
exec "$head/treebench" regress --base "$cache/$commit/$base_build" --head "$head" \
    --relink "sh '$relink'" "$@"
