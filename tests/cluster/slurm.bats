#!/usr/bin/env bats
# scripts/slurm-reproduce.sh on a Slurm of one node, which this file starts and stops on loopback.

bats_require_minimum_version 1.5.0

# Ports and sockets of its own, so that a Slurm of this machine is not disturbed.
setup_file() {
    for tool in slurmctld slurmd munged; do
        command -v "$tool" >/dev/null || skip "no $tool here; scripts/deps.sh test installs it"
    done
    [ "$(id -u)" -eq 0 ] || skip "only root can start slurmd"
    export SLURM_FOLDER=$BATS_FILE_TMPDIR/slurm
    export SLURM_CONF=$SLURM_FOLDER/slurm.conf
    start_munge || skip "munged cannot start here"
    write_configuration $((20000 + $$ % 20000))
    slurmctld && slurmd -N localhost || skip "Slurm cannot start here"
    wait_for "sinfo --noheader --format %t" "idle" || skip "Slurm's node does not come up here"
}

teardown_file() {
    for pid in slurmd slurmctld munged; do
        [ ! -f "$SLURM_FOLDER/$pid.pid" ] || stop "$(cat "$SLURM_FOLDER/$pid.pid")"
    done
}

# Ends a process and waits until it has ended: slurmctld saves its state into the folder that bats
# then removes. A process that nobody collects stays as a zombie.
stop() {
    kill "$1" || return 0
    for _ in $(seq 200); do
        case $(ps -o stat= -p "$1") in '' | Z*) return 0 ;; esac
        sleep 0.1
    done
}

start_munge() {
    mkdir -m 700 "$SLURM_FOLDER"
    head -c 1024 /dev/urandom >"$SLURM_FOLDER/key"
    chmod 600 "$SLURM_FOLDER/key"
    munged --force --socket="$SLURM_FOLDER/socket" --key-file="$SLURM_FOLDER/key" \
        --pid-file="$SLURM_FOLDER/munged.pid" --log-file="$SLURM_FOLDER/munged.log" \
        --seed-file="$SLURM_FOLDER/seed"
}

write_configuration() {
    mkdir "$SLURM_FOLDER/state" "$SLURM_FOLDER/spool"
    cat >"$SLURM_CONF" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$1
SlurmdPort=$(($1 + 1))
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$SLURM_FOLDER/socket
StateSaveLocation=$SLURM_FOLDER/state
SlurmdSpoolDir=$SLURM_FOLDER/spool
SlurmctldPidFile=$SLURM_FOLDER/slurmctld.pid
SlurmdPidFile=$SLURM_FOLDER/slurmd.pid
SlurmctldLogFile=$SLURM_FOLDER/slurmctld.log
SlurmdLogFile=$SLURM_FOLDER/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/linear
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
SwitchType=switch/none
MpiDefault=none
NodeName=localhost NodeAddr=127.0.0.1 CPUs=1 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
CONF
}

# Waits until a command prints the text: COMMAND TEXT. A minute is far more than it takes.
wait_for() {
    for _ in $(seq 600); do
        [ "$($1 2>/dev/null)" != "$2" ] || return 0
        sleep 0.1
    done
    return 1
}

reproduce() {
    SCALE=smoke ONLY=asadi2014-fig3 SHARDS=2 OUT=$BATS_FILE_TMPDIR/out \
        BUILD=$(dirname "$TREEBENCH") run sh scripts/slurm-reproduce.sh
    echo "$output"
    [ "$status" -eq 0 ]
    [[ $output == *"measures, job "*" merges into "* ]]
}

rows_of() {
    sed -n 's/.*"cell":"\([0-9a-f]*\)".*"impl":"\([^"]*\)","params":"\([^"]*\)".*/\1 \2 \3/p' "$@"
}

@test "slurm: a killed part is continued by the next submission, and no cell is measured twice" {
    out=$BATS_FILE_TMPDIR/out
    reproduce
    for _ in $(seq 600); do
        [ "$(cat "$out"/part-1/rows.jsonl 2>/dev/null | wc -l)" -lt 12 ] || break
        sleep 0.05
    done
    pkill -KILL -f -- "--out $out/part-1"
    wait_for "squeue --noheader" ""
    cat "$out"/*.log
    grep -q "merged 2 parts: .* cells are missing" "$out/merge.log"
    run ! grep -q " 0 cells are missing" "$out/merge.log"
    cp "$out/part-1/rows.jsonl" "$BATS_FILE_TMPDIR/before"
    cp "$out/part-2/rows.jsonl" "$BATS_FILE_TMPDIR/other"

    reproduce
    wait_for "squeue --noheader" ""
    cat "$out"/*.log
    grep -q "merged 2 parts: 18 cells; 0 cells are missing" "$out/merge.log"
    [ "$(rows_of "$out/whole/rows.jsonl" | wc -l)" -eq 126 ]
    [ -z "$(rows_of "$out/whole/rows.jsonl" | sort | uniq -d)" ]
    cmp -n "$(stat -c %s "$BATS_FILE_TMPDIR/before")" "$BATS_FILE_TMPDIR/before" \
        "$out/part-1/rows.jsonl"
    cmp "$BATS_FILE_TMPDIR/other" "$out/part-2/rows.jsonl"
    [ -s "$out/whole/report.md" ]
    [ -s "$out/whole/report.html" ]
}

@test "slurm: mistakes are one line" {
    SHARDS=0 run --separate-stderr sh scripts/slurm-reproduce.sh
    [ "$status" -eq 2 ]
    [ "$stderr" = "slurm-reproduce.sh: SHARDS must be a number from 1, not '0'" ]
    BUILD=nowhere run --separate-stderr sh scripts/slurm-reproduce.sh
    [ "$status" -eq 2 ]
    [ "$stderr" = "slurm-reproduce.sh: nowhere/treebench does not exist. Run make first, or set BUILD" ]
}
