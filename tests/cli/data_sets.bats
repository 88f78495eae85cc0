#!/usr/bin/env bats
# Documents as a binary cache.
load common

setup_file() {
    make_inputs
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "documents become a cache, which scores as they do" {
    treebench convert --data data.txt --out data.cache
    succeeds
    treebench score --model model.json --data data.txt
    succeeds
    expected=$output
    treebench score --model model.json --data data.cache
    succeeds
    [ "$output" = "$expected" ]
    gzip -c data.cache >data.cache.gz
    treebench score --model model.json --data data.cache.gz
    succeeds
    [ "$output" = "$expected" ]
}

@test "a cache becomes text again" {
    treebench convert --data data.txt --out there.cache
    succeeds
    treebench convert --data there.cache --out back.txt
    succeeds
    cmp data.txt back.txt
}

@test "documents can be looked at without a model" {
    treebench info --data data.txt
    succeeds
    [[ $output == *"documents "*500*"features "*8* ]]
}

@test "a cut or altered cache is a mistake, and leaves nothing behind" {
    treebench convert --data data.txt --out data.cache
    head -c 1000 data.cache >cut.cache
    treebench convert --data cut.cache --out never.txt
    is_mistake "cut.cache: is a cache of "
    cp data.cache altered.cache
    printf x | dd of=altered.cache bs=1 seek=3000 conv=notrunc status=none
    treebench convert --data altered.cache --out never.txt
    is_mistake "altered.cache: the checksum is wrong"
    [ ! -e never.txt ]
}

@test "one thing is converted at a time, to a format that there is" {
    treebench convert --model model.json --data data.txt --out never
    is_mistake "--model and --data cannot be converted at once"
    treebench convert --data data.txt --out never --format csv9
    is_mistake "cannot write documents as 'csv9'; possible are:"
    treebench convert --out never
    is_mistake "--model"
    [ ! -e never ]
}
