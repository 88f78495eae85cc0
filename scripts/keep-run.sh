#!/bin/sh
# Packs a run of `make reproduce` into results/runs/NAME, which git tracks: the manifest, the rows and
# the page. A run of a build with uncommitted changes is refused, because nobody could repeat it.
# Usage: keep-run.sh RUN NAME   (in the project's folder)
# Exit status: 0 done, 2 an error.
set -eu
run=$1 name=$2
fail() {
    echo "keep-run.sh: $1" >&2
    exit 2
}
case $name in
'' | .* | *[!a-z0-9.-]*) fail "'$name': NAME must be a kind of processor in lower case, such as zen5" ;;
esac
[ ! -e "results/runs/$name" ] || fail "results/runs/$name exists already. Give another NAME"
for file in rows.csv report.md report.html; do
    [ -s "$run/$file" ] || fail "$run has no $file. Finish the run with make reproduce RESUME=1"
done
! grep -q '"dirty":[[:space:]]*true' "$run/manifest.json" ||
    fail "$run was measured by a build with uncommitted changes. Commit them, and measure again"

mkdir -p results/runs
new=$(mktemp -d "results/runs/.$name.XXXXXX") || exit 2
trap 'rm -rf "$new"' EXIT
trap 'exit 2' HUP INT TERM
chmod '=rwX' "$new"
cp "$run/manifest.json" "$run/report.html" "$new"
for lines in "$run"/*.jsonl; do
    gzip -9nc "$lines" >"$new/$(basename "$lines").gz"
done
mv "$new" "results/runs/$name"
echo "results/runs/$name. The table of verdicts in ARTIFACT.md gets these lines:"
awk -v run="$name" -f "$(dirname "$0")/verdicts.awk" "$run/report.md"
