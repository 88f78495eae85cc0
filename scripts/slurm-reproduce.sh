#!/bin/sh
# Runs the papers' experiments on a Slurm cluster: a job array measures one part of the run per task,
# each on a node of its own, and a dependent job merges the parts, draws and judges. Start it again
# to continue: parts that are finished are not measured again, and killed ones lose at most one cell.
# Usage: slurm-reproduce.sh   (in the project's folder on a file system that all nodes share)
# Environment:
#   SCALE   smoke, quick (default) or full        ONLY    the artefacts whose names begin with this
#   SHARDS  number of parts (default: 4)          BUILD   the folder of the program (default: build)
#   OUT     the folder for results (default: results/slurm-SCALE)
#   TYPES   node types, by Slurm's --constraint, such as "genoa skylake". Each has a run of its own in
#           OUT/TYPE, because times of different machines are never mixed.
#   SBATCH  more options for each sbatch, such as "--partition=short --time=60"
# Exit status: 0 submitted, 1 a job failed (in a job), 2 an error.
set -eu
: "${SCALE:=quick}" "${ONLY:=}" "${SHARDS:=4}" "${BUILD:=build}" "${OUT:=results/slurm-$SCALE}"
: "${TYPES:=}" "${SBATCH:=}"

fail() {
    echo "slurm-reproduce.sh: $1" >&2
    exit 2
}

# measure FOLDER: one task of the array. Exit status 4 of run: an implementation cannot run there.
measure() {
    part=$1/part-$SLURM_ARRAY_TASK_ID
    resume=
    [ ! -f "$part/manifest.json" ] || resume=--resume
    "$BUILD/treebench" run --scale "$SCALE" --only "$ONLY" --out "$part" \
        --shard "$SLURM_ARRAY_TASK_ID/$SHARDS" $resume || [ $? -eq 4 ]
}

# merge FOLDER: joins the parts that have begun. Fails in the end if cells are missing.
merge() {
    folder=$1 number=1 status=0
    set --
    while [ "$number" -le "$SHARDS" ]; do
        [ ! -f "$folder/part-$number/manifest.json" ] || set -- "$@" --run "$folder/part-$number"
        number=$((number + 1))
    done
    rm -rf "$folder/whole"
    "$BUILD/treebench" merge "$@" --out "$folder/whole" || status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 3 ] || exit 1
    "$BUILD/treebench" report --run "$folder/whole" --html "$folder/whole/report.html" ||
        [ $? -eq 1 ] || [ $? -eq 3 ]
    [ "$status" -eq 0 ]
}

# submit FOLDER [OPTION]: prints the numbers of the two jobs.
submit() {
    folder=$1
    shift
    mkdir -p "$folder"
    # shellcheck disable=SC2086 # several options
    array=$(sbatch --parsable --exclusive --array="1-$SHARDS" --job-name=treebench \
        --output="$folder/part-%a.log" --open-mode=append $SBATCH "$@" \
        scripts/slurm-reproduce.sh measure "$folder")
    # shellcheck disable=SC2086
    last=$(sbatch --parsable --dependency="afterany:$array" --job-name=treebench-merge \
        --output="$folder/merge.log" $SBATCH "$@" scripts/slurm-reproduce.sh merge "$folder")
    echo "$folder: array $array measures, job $last merges into $folder/whole"
}

case ${1:-submit} in
measure) measure "$2" ;;
merge) merge "$2" ;;
submit)
    command -v sbatch >/dev/null || fail "sbatch is not installed. Run this on a node of a Slurm cluster"
    [ -x "$BUILD/treebench" ] || fail "$BUILD/treebench does not exist. Run make first, or set BUILD"
    case $SHARDS in *[!0-9]* | '' | 0*) fail "SHARDS must be a number from 1, not '$SHARDS'" ;; esac
    export SCALE ONLY SHARDS BUILD
    [ -n "$TYPES" ] || submit "$OUT"
    for type in $TYPES; do
        submit "$OUT/$type" "--constraint=$type"
    done
    ;;
*) fail "unknown word '$1'; see the comments at its top" ;;
esac
