#!/usr/bin/env bats
# Files that are truncated, of another kind, or inconsistent: exit status 2 and one line. Made from
# the fuzzers' seeds, a small valid model of every format.
load common

setup_file() {
    small_runs
}

setup() {
    cd "$BATS_TEST_TMPDIR" || return 1
    seeds=$BATS_TEST_DIRNAME/../fuzz/corpus
}

models=(json_model/stump.json jforests/two-trees.xml opttrees/two-trees.txt
    lightgbm/two-outputs.txt ranklib/forest.txt quickrank/two-trees.xml
    xgboost/two-trees.json xgboost_ubjson/two-trees.ubj xgboost_binary/two-trees.bin
    catboost/two-trees.json archforest/two-trees.json onnx/regressor.onnx
    catboost_binary/oblivious.cbm onnx/ensemble.onnx lightgbm_json/two-outputs.json)
documents=(svmlight/letor csv/semicolons cache/queries.cache)

# --- what the tests do ---------------------------------------------------------------------------

# The line begins with the file and contains the given words.
is_refused() {
    show
    [ "$status" -eq 2 ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" -eq 1 ] || return 1
    [[ $stderr == "treebench: $1:"*"$2"* ]]
}

refuses_model() {
    treebench info --model "$1"
    is_refused "$1" "${2:-}"
}

refuses_documents() {
    treebench info --data "$1"
    is_refused "$1" "${2:-}"
}

# A changed seed; the change must have an effect.
edited() {
    sed -e "$2" "$seeds/$1" >edited
    run ! cmp -s edited "$seeds/$1"
}

refuses_edited() {
    edited "$1" "$2"
    refuses_model edited "${3:-}"
}

# A binary seed with bytes (printf's escapes) written some distance after the first place of a word.
patched() {
    cp "$seeds/$1" patched
    at=$(LC_ALL=C grep -abo -- "$2" patched | head -n 1 | cut -d : -f 1)
    # shellcheck disable=SC2059 # escapes are meant
    printf "$4" | dd of=patched bs=1 seek=$((at + $3)) conv=notrunc status=none
    run ! cmp -s patched "$seeds/$1"
}

refuses_patched() {
    patched "$1" "$2" "$3" "$4"
    refuses_model patched "${5:-}"
}

# --- the files -----------------------------------------------------------------------------------

@test "the seeds themselves are valid" {
    for seed in "${models[@]}"; do
        treebench info --model "$seeds/$seed"
        succeeds
    done
    for seed in "${documents[@]}"; do
        treebench info --data "$seeds/$seed"
        succeeds
    done
}

@test "a truncated model" {
    for seed in "${models[@]}"; do
        size=$(wc -c <"$seeds/$seed")
        for part in 3 5 8; do
            head -c $((size * part / 10)) "$seeds/$seed" >cut
            refuses_model cut
        done
        : >cut
        refuses_model cut "empty"
    done
}

@test "truncated documents" {
    printf '2 qid:1 1:0.5\n1 qid:1 3:' >cut.txt
    refuses_documents cut.txt "value for feature 3"
    printf '1,2,3\n4,5' >cut.csv
    refuses_documents cut.csv "this line has 2 fields, but the first line has 3"
    head -c 300 "$seeds/cache/queries.cache" >cut.cache
    refuses_documents cut.cache "incomplete"
    head -c 100 "$seeds/cache/queries.cache" >cut.cache
    refuses_documents cut.cache "incomplete"
    gzip -c "$seeds/svmlight/letor" | head -c 50 >cut.txt.gz
    refuses_documents cut.txt.gz "incomplete"
    gzip -c "$seeds/xgboost/two-trees.json" | head -c 100 >cut.json.gz
    refuses_model cut.json.gz "incomplete"
}

@test "a file of the wrong kind" {
    printf '\211PNG\r\n\032\n0000IHDR' >picture
    head -c 4096 "$TREEBENCH" >program
    for file in picture program; do
        refuses_model "$file" "unknown model format"
        refuses_documents "$file"
    done
    for seed in "${documents[@]}"; do
        cp "$seeds/$seed" documents
        refuses_model documents "not a model"
    done
    for seed in "${models[@]}"; do
        cp "$seeds/$seed" model
        refuses_documents model
    done
}

@test "a corrupt gzip file" {
    gzip -c "$seeds/lightgbm/two-outputs.txt" >damaged.gz
    printf '\377\377\377\377' | dd of=damaged.gz bs=1 seek=40 conv=notrunc status=none
    refuses_model damaged.gz "gzip stream is corrupt"
}

# Nested formats (RankLib, QuickRank, arch-forest, LightGBM's dump) and oblivious trees (CatBoost) have no cycles.
@test "a tree with a cycle" {
    refuses_edited json_model/stump.json 's/"left":\[-1\]/"left":[0]/' "tree 0, node 0"
    refuses_edited jforests/two-trees.xml 's/Children>1 /Children>0 /' "tree 0, node 0"
    refuses_edited opttrees/two-trees.txt 's/node 2 0/node 2 2/' "parent 2"
    refuses_edited lightgbm/two-outputs.txt 's/^left_child=1/left_child=0/' "tree 0, node 0"
    refuses_edited xgboost/two-trees.json 's/"left_children": \[2/"left_children": [0/' "tree 0"
    refuses_patched xgboost_ubjson/two-trees.ubj left_children 26 '\0\0\0\0' "tree 0"
    refuses_patched xgboost_binary/two-trees.bin gbtree 318 '\0\0\0\0' "tree 0"
    refuses_patched onnx/regressor.onnx nodes_truenodeids 18 '\0' "tree 0, node 0"
}

@test "a child that does not exist" {
    refuses_edited json_model/stump.json 's/"left":\[-1\]/"left":[-9]/' "left: entry 1"
    refuses_edited jforests/two-trees.xml 's/Children>1 /Children>9 /' "LeftChildren"
    refuses_edited opttrees/two-trees.txt 's/node 2 0/node 2 9/' "parent 9"
    refuses_edited lightgbm/two-outputs.txt 's/^left_child=1/left_child=9/' "left_child"
    refuses_edited xgboost/two-trees.json 's/"left_children": \[2/"left_children": [9/' "tree 0"
    refuses_patched xgboost_ubjson/two-trees.ubj left_children 26 '\0\0\0\11' "tree 0"
    refuses_patched xgboost_binary/two-trees.bin gbtree 318 '\11\0\0\0' "tree 0"
    refuses_patched onnx/regressor.onnx nodes_truenodeids 18 '\11' "tree 0, node 0"
    refuses_patched onnx/regressor.onnx target_nodeids 15 '\11' "tree 0, node 9"
}

# ONNX does not store the number of features.
@test "a feature that does not exist" {
    refuses_edited json_model/stump.json 's/"feature":\[0\]/"feature":[7]/' "feature 7"
    refuses_edited jforests/two-trees.xml 's/<SplitFeatures>4/<SplitFeatures>4000000000/'
    refuses_edited opttrees/two-trees.txt 's/root 0 4 /root 0 4000000000 /' "4000000001 features"
    refuses_edited lightgbm/two-outputs.txt 's/^split_feature=2/split_feature=9/' "9"
    refuses_edited lightgbm_json/two-outputs.json 's/"split_feature":2/"split_feature":9/' "split_feature"
    refuses_edited ranklib/forest.txt 's/<feature> 2/<feature> 4000000000/' "feature"
    refuses_edited quickrank/two-trees.xml 's/<feature>3/<feature>4000000000/' "feature"
    refuses_edited xgboost/two-trees.json 's/"split_indices": \[1/"split_indices": [9/' "feature 9"
    refuses_patched xgboost_ubjson/two-trees.ubj split_indices 29 '\11' "feature 9"
    refuses_patched xgboost_binary/two-trees.bin gbtree 326 '\11' "feature 9"
    refuses_edited catboost/two-trees.json 's/"float_feature_index": 0/"float_feature_index": 9/' "feature 9"
    refuses_edited archforest/two-trees.json 's/"feature": 2/"feature": 4000000000/' "feature"
}

@test "a model that claims to be huge" {
    ten_billion='\0\0\0\2\124\13\344\0' # from the high byte on
    ten_billion_reversed='\0\344\13\124\2\0\0\0'
    refuses_edited json_model/stump.json 's/"features":1/"features":10000000000/' "features"
    refuses_edited json_model/stump.json 's/"outputs":1/"outputs":10000000000/' "outputs"
    refuses_edited jforests/two-trees.xml 's/leaves="3"/leaves="2000000000"/' "leaves"
    refuses_edited opttrees/two-trees.txt '1s/2/4000000000/' "ends before"
    refuses_edited lightgbm/two-outputs.txt 's/^num_leaves=3/num_leaves=2000000000/' "num_leaves"
    refuses_edited lightgbm/two-outputs.txt 's/^max_feature_idx=3/max_feature_idx=4000000000/' \
        "max_feature_idx"
    refuses_edited lightgbm_json/two-outputs.json 's/"max_feature_idx":3/"max_feature_idx":4000000000/' \
        "max_feature_idx"
    refuses_edited ranklib/forest.txt 's/bags = 2/bags = 4000000000/' "4000000000"
    refuses_edited xgboost/two-trees.json 's/"num_nodes": "6"/"num_nodes": "2000000000"/' "num_nodes"
    refuses_edited xgboost/two-trees.json 's/"num_class": "0"/"num_class": "4000000000"/' "outputs"
    refuses_patched xgboost_ubjson/two-trees.ubj left_children 18 "$ten_billion" "length: 10000000000"
    refuses_patched xgboost_binary/two-trees.bin gbtree 170 '\377\377\377\177' "nodes"
    refuses_patched xgboost_binary/two-trees.bin best_iteration -8 "$ten_billion_reversed" "10000000000"
    refuses_edited catboost/two-trees.json \
        's/"flat_feature_index": 1/"flat_feature_index": 4000000000/' "flat_feature_index"
    {
        printf '\010\010\072\200\310\257\240\045'
        tail -c +6 "$seeds/onnx/regressor.onnx"
    } >huge.onnx
    refuses_model huge.onnx
}

@test "documents that claim to be huge" {
    printf '1 4000000000:1\n' >huge.txt
    refuses_documents huge.txt "feature 4000000000"
    { printf '0 1:1\n%.0s' {1..2000}; printf '1 16000000:1\n'; } >wide.txt
    refuses_documents wide.txt "more memory than"
    printf '4000000000 4000000000\n1 1:1\n' >shape.txt
    refuses_documents shape.txt "4000000000"
    cp "$seeds/cache/queries.cache" huge.cache
    printf '\0\344\13\124\2\0\0\0' | dd of=huge.cache bs=1 seek=24 conv=notrunc status=none
    refuses_documents huge.cache "sizes"
    printf '\0\344\13\124\2\0\0\0' | dd of=huge.cache bs=1 seek=16 conv=notrunc status=none
    refuses_documents huge.cache "incomplete"
}

@test "a gzip file that unpacks without bound" {
    head -c 80000000 /dev/zero | gzip -9 >bomb.gz
    refuses_model bomb.gz "256 times"
    refuses_documents bomb.gz "256 times"
}

# ESC ] 0 ; sets a terminal's title. C1 controls begin such sequences in 8-bit character sets.
@test "names that are escape sequences reach no terminal" {
    printf '{"format": "treebench", "version": 1, "features": 2, "outputs": 1, "base": [0.25],
        "feature_names": ["a\\u001b]0;title\\u0007", "b\302\233Z\177"], "trees": [{"output": 0,
        "feature": [], "threshold": [], "left": [], "right": [], "value": [3]}]}' >names.json
    printf '%b\n' 'x\033]0title\007,y\0302\0233Z,label' 'word\033[2J,1,0' 'b,2,1' >names.csv
    for options in "info --model names.json" "info --data names.csv" "info --model names.json --data names.csv" \
        "score --model names.json --data names.csv" "verify --model names.json --data names.csv" \
        "convert --data names.csv --out names.txt" "train --learner cart --data names.csv --out out.json" \
        "export --model names.json --out exported"; do
        # shellcheck disable=SC2086 # a command and its options
        "$TREEBENCH" $options >told 2>&1 || true
        cat -v told
        [ -s told ] || [[ $options == convert* || $options == train* ]]
        run ! env LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' told
    done
    grep -q '^column names *x?\]0title?, y??Z$' <("$TREEBENCH" info --data names.csv)
    run ! env LC_ALL=C grep -qaP '[\x00-\x08\x0b-\x1f\x7f]' exported/names.h
}

# --- models that are small as files --------------------------------------------------------------

numbers() {
    seq 0 $(($1 - 1)) | paste -sd ,
}

zeros() {
    seq "$1" | sed "s/.*/0/" | paste -sd ,
}

# model FEATURES OUTPUTS MORE TREES
model() {
    printf '{"format":"treebench","version":1,"features":%d,"outputs":%d,%s' "$1" "$2" "$3"
    printf '"base":[%s],"trees":[%s]}\n' "$(zeros "$2")" "$4"
}

# stump FEATURE VALUE, of which one leaf is 0
stump() {
    printf '{"output":0,"feature":[%d],"threshold":[1],"left":[-1],"right":[-2],"value":[0,%d]}' "$1" "$2"
}

# A tree in which every node has a leaf, and every leaf another value: chain LEAVES
chain() {
    n=$(($1 - 1))
    printf '{"output":0,"feature":[%s],"threshold":[%s],' "$(zeros $n)" "$(numbers $n)"
    printf '"left":[%s],' "$(seq 1 $n | sed 's/^/-/' | paste -sd ,)"
    printf '"right":[%s,-%d],"value":[%s]}' "$(seq 1 $((n - 1)) | paste -sd ,)" $((n + 1)) "$(numbers "$1")"
}

# Runs a command in so many KB of address space.
within() {
    (ulimit -v "$1" && shift && exec "$TREEBENCH" "$@" >out 2>err) || {
        status=$?
        cat err
        return $status
    }
}

@test "models with many outputs, votes or features take memory in proportion" {
    ! grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || skip "a sanitizer reserves address space"
    printf '0 1:0\n0 1:2\n' >two.txt
    tree=$(stump 0 99999)
    model 1 100000 '"votes":1,' "$(yes "$tree" | head -n 300 | paste -sd ,)" >votes.json
    model 1 100000 "" "$(stump 0 1),$(stump 0 2)" >outputs.json
    tree=$(chain 2001)
    model 1 2001 '"votes":1,' "$tree,$tree" >chains.json
    model 16000000 1 "" "$(stump 15999999 1),$(stump 0 1)" >features.json
    for name in votes outputs chains features; do
        data=(--data two.txt)
        [ $name != features ] || data=()
        echo "$name"
        within 700000 verify --model $name.json --impl struct-plus --impl qs --impl planes "${data[@]}" ||
            [ $? -eq 4 ]
        TREEBENCH_XGBOOST=/nonexistent within 700000 tune --model $name.json --batch 1 --seconds 1
        within 700000 blocking --model $name.json --measure none --rounds 2
        [ $name = features ] || within 700000 score --model $name.json "${data[@]}"
        [ $name = features ] || within 700000 compare --model $name.json "${data[@]}" --rounds 2 \
            --placements 1 --impl struct-plus --impl struct
    done
    treebench export --model chains.json --out exported
    is_mistake "chains.json: tree 0: one tree per class takes more than 257088 nodes in the tree"
}

@test "scores out of proportion to the documents are refused" {
    model 1 100000 "" "$(stump 0 1)" >outputs.json
    yes '0 1:0' | head -n 400 >many.txt
    for command in "verify --impl struct" "compare --impl struct"; do
        treebench $command --model outputs.json --data many.txt
        is_mistake "the scores of 400 documents with 100000 outputs take 320 MB, at most 268 are supported. Give fewer documents"
    done
}

# Fails if the output holds an escape character.
is_plain() {
    show
    [ -n "$output$stderr" ] && [[ $output$stderr != *$'\033'* ]]
}

@test "names of files and folders print no escape sequences" {
    name=$'x\033]0;title\007'
    "$TREEBENCH" synth --depth 3 --features 4 --trees 2 --documents 100 --model "$name.json" \
        --data "$name.txt" 2>/dev/null
    mkdir "$name"
    treebench run --scale smoke --only asadi2014-fig3 --counters none --out "$name"
    is_plain
    treebench report --run "$name" --html "$name.html"
    is_plain
    [[ $output == *"report: x?]0;title?/report.md; page: x?]0;title?.html" ]]
    treebench submit --run "$name" --out "$name"
    is_plain
    treebench merge --run "$name" --out "$name.whole"
    is_plain
    treebench map --scale smoke --config "$name" --out "$name.map"
    is_plain
    treebench export --model "$name.json" --out "$name.c"
    is_plain
    for form in "" --markdown --json; do
        # shellcheck disable=SC2086 # none or one
        treebench compare --model "$name.json" --data "$name.txt" --impl struct --rounds 2 $form
        is_plain
    done
    for command in info "verify --impl struct" "tune --seconds 1"; do
        # shellcheck disable=SC2086 # a command and its options
        treebench $command --model "$name.json" --data "$name.txt"
        is_plain
    done
    treebench "$name"
    is_plain
}
