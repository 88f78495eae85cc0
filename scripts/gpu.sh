#!/bin/sh
# Measures the implementations for GPUs on a machine that has one: checks that they are exact, then
# times them over trees, leaves, documents per call, and the sizes of GPU-QuickScorer.
# Usage: gpu.sh BUILD DEVICE   (make CUDA=1 has built it; DEVICE as --device takes it: cuda, opencl:1)
# Environment:
#   SCALE    smoke, quick (default) or full: the sizes of the workloads
#   OUT      the folder for results (default: results/gpu-SCALE)
#   THREADS  threads of the host's implementations (default: all cores)
#   TABLE7   no: leave out the artefact lettich2018-table7
# Exit status: 0 done, 1 an implementation is wrong, 2 an error, 4 the device is missing.
#
# OUT then has device.txt, sizes.csv, host.csv, tau.csv, threads.csv and calls.csv, whose columns
# docs/output.md describes, and table7/rows.csv (docs/rows.md). Documents are a synthetic
# stand-in of MSLR-WEB10K, and trees are grown, not trained.
set -eu
[ $# -eq 2 ] || { echo "usage: gpu.sh BUILD DEVICE" >&2; exit 2; }
: "${SCALE:=quick}" "${OUT:=results/gpu-$SCALE}" "${TABLE7:=yes}"
blocks="32 64 128 256 512 1024"
treebench=$1/treebench device=$2
cores=$("$treebench" doctor --measure none --json | sed -n 's/.*"cores":[^0-9]*\([0-9]*\).*/\1/p' | head -n 1)
: "${THREADS:=${cores:-1}}"
case $SCALE in # trees, documents, documents of a host's thread, rounds
smoke) sizes=20 documents=1100 few=200 rounds=2 taus=7 calls=100 blocks="32 64" ;;
quick)
    sizes="1000 20000" documents=65536 few=2000 rounds=5
    taus="500 1000 2000 5000 10000 20000" calls="1 100 10000"
    ;;
full)
    sizes="1000 5000 10000 20000" documents=131072 few=10000 rounds=12
    taus="500 1000 1500 2000 3000 4000 5000 6000 8000 10000 20000"
    calls="1 10 100 1000 10000 100000"
    ;;
*) echo "gpu.sh: SCALE must be smoke, quick or full" >&2; exit 2 ;;
esac
mkdir -p "$OUT"

# Appends what compare prints as CSV to a file, with one header in all. A size that the device cannot
# do is a line with its reason. time_into FILE OPTION...
time_into() {
    file=$OUT/$1
    shift
    "$treebench" compare --model "$OUT/model.json" --data "$OUT/documents.cache" --all-rounds \
        --placements 1 --csv "$@" >"$OUT/part.csv" || [ $? -eq 4 ]
    if [ -s "$file" ]; then
        sed 1d "$OUT/part.csv" >>"$file"
    else
        cat "$OUT/part.csv" >"$file"
    fi
    rm "$OUT/part.csv"
}

# grow TREES LEAVES DOCUMENTS
grow() {
    "$treebench" synth --like mslr-web10k --documents "$3" --seed 2018 --data "$OUT/documents.cache"
    "$treebench" synth --grow-on "$OUT/documents.cache" --trees "$1" --leaves "$2" --seed 2018 \
        --model "$OUT/model.json"
}

"$treebench" list --device "$device" >"$OUT/list.txt"
sed -n '/^Device/,$p' "$OUT/list.txt" >"$OUT/device.txt"
rm "$OUT/list.txt"
cat "$OUT/device.txt"

echo "gpu.sh: checking exactness"
grow 20 64 2100
for impl in qs-gpu planes-gpu walk-gpu; do
    "$treebench" verify --model "$OUT/model.json" --data "$OUT/documents.cache" --impl "$impl" \
        --device "$device"
done

rm -f "$OUT"/sizes.csv "$OUT"/host.csv "$OUT"/tau.csv "$OUT"/threads.csv "$OUT"/calls.csv
for leaves in 32 64; do
    for trees in $sizes; do
        echo "gpu.sh: $trees trees of $leaves leaves"
        grow "$trees" "$leaves" "$documents"
        time_into sizes.csv --device "$device" --rounds "$rounds" --block "$documents" \
            --impl qs-gpu --impl planes-gpu --impl planes-gpu,ranks=host --impl walk-gpu
        for tau in $taus; do
            [ "$tau" -gt "$trees" ] || time_into tau.csv --device "$device" --rounds "$rounds" \
                --block "$documents" --impl "qs-gpu,tau=$tau"
        done
        for threads in $blocks; do
            time_into threads.csv --device "$device" --rounds "$rounds" --block "$documents" \
                --impl "qs-gpu,threads=$threads"
        done
        for call in $calls; do
            time_into calls.csv --device "$device" --rounds "$rounds" --block "$call" \
                --impl planes-gpu --impl walk-gpu
        done
        grow "$trees" "$leaves" "$few"
        time_into host.csv --clock wall --rounds "$rounds" --block step --impl qs
        time_into host.csv --threads "$THREADS" --rounds "$rounds" --block step --impl vqs-avx2 --impl auto
    done
done
rm "$OUT/model.json" "$OUT/documents.cache"

[ "$TABLE7" = no ] || {
    echo "gpu.sh: Table 7 of lettich2018"
    "$treebench" run --scale "$SCALE" --only lettich2018-table7 --device "$device" --counters none \
        --again --out "$OUT/table7" || [ $? -eq 4 ]
    "$treebench" report --run "$OUT/table7" || case $? in 1 | 3) ;; *) exit 2 ;; esac
}
echo "gpu.sh: results are in $OUT"
