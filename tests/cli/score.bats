#!/usr/bin/env bats
# score and verify.
load common

setup_file() {
    make_inputs
    make_stump
}

setup() {
    cd "$BATS_FILE_TMPDIR" || return 1
}

@test "score: documents in their order, worked out by hand" {
    printf '%s\n' "0 1:0.5 3:9" "0 1:0.75 3:1.5" "0 1:0.75 3:1.75" "0 3:9" >hand.txt
    treebench score --model stump.xml --data hand.txt
    succeeds
    [ "$output" = $'10\n20\n30\n10' ]
}

@test "score: absent features are zero, or NaN when asked for" {
    printf '%s\n' "0 2:1" "0 1:1" >absent.txt
    # The second feature is the last that is named, and the model tests the third.
    narrow="treebench: absent.txt: the largest feature number is 2 (numbering begins at 1), but stump.xml tests feature 3. Absent features are taken as"
    treebench score --model stump.xml --data absent.txt
    [ "$output" = $'10\n20' ]
    [ "$stderr" = "$narrow 0" ]
    treebench score --model stump.xml --data absent.txt --missing zero
    [ "$output" = $'10\n20' ]
    treebench score --model stump.xml --data absent.txt --missing nan
    [ "$output" = $'30\n30' ]
    [ "$stderr" = "$narrow NaN" ]
    treebench info --model stump.xml --data absent.txt
    succeeds
    grep -q "^features  *2 in the file, the model has 3$" <<<"$output"
}

@test "score: documents may have more features than the model" {
    printf '%s\n' "0 1:1 3:1 90:7" >wide.txt
    treebench score --model stump.xml --data wide.txt
    succeeds
    [ "$output" = 20 ]
    # Where the model says how many it has, more are no mistake, but may be one.
    printf '%s\n' "0 1:1 9:7" >wide.txt
    treebench score --model model.json --data wide.txt
    show
    [ "$status" -eq 0 ]
    [[ $stderr == "treebench: wide.txt: the largest feature number is 9 (numbering begins at 1), but model.json has 8 features. The others are ignored"* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "score: every implementation prints the reference's scores" {
    "$TREEBENCH" score --model model.json --data data.txt --impl reference >expected
    [ "$(wc -l <expected)" -eq 500 ]
    names=$(implementations traversal true)
    [ "$(wc -w <<<"$names")" -ge 5 ]
    for name in $names; do
        "$TREEBENCH" score --model model.json --data data.txt --impl "$name" >"$name.scores"
        cmp expected "$name.scores"
    done
}

@test "score: the same to a file, from standard input and from gzip" {
    treebench score --model model.json --data data.txt
    succeeds
    expected=$output
    treebench score --model model.json --data data.txt --out out.txt
    succeeds
    [ -z "$output" ]
    [ "$(cat out.txt)" = "$expected" ]
    run --separate-stderr sh -c '"$TREEBENCH" score --model model.json --data - <data.txt'
    [ "$output" = "$expected" ]
    run --separate-stderr sh -c 'gzip -c data.txt | "$TREEBENCH" score --model model.json --data -'
    [ "$output" = "$expected" ]
}

@test "score: a reader that stops early does no harm" {
    "$TREEBENCH" synth --depth 3 --features 4 --documents 20000 --model m.json --data many.txt
    run bash -c '"$TREEBENCH" score --model m.json --data many.txt | head -n 2
        echo "${PIPESTATUS[0]}"'
    [ "${#lines[@]}" -eq 3 ]
    [ "${lines[2]}" -eq 141 ] # ended by SIGPIPE, the signal for just that
}

@test "score: a baseline is refused" {
    treebench score --model model.json --data data.txt --impl noop
    is_mistake "noop is a baseline"
}

@test "verify: all implementations agree" {
    treebench verify --model model.json --data data.txt
    succeeds
    [[ ${lines[-1]} =~ ^all\ [0-9]+\ implementations\ agree ]]
    for name in $(implementations traversal true); do
        [ "$name" = reference ] || grep -q "^$name  *agrees$" <<<"$output"
    done
}

@test "verify: without documents, the probes are enough" {
    treebench verify --model model.json
    succeeds
    [[ ${lines[-1]} =~ ^all\ [0-9]+\ implementations\ agree ]]
}

@test "verify: every value of a parameter is checked, and just what was asked for" {
    treebench verify --model model.json
    succeeds
    [ "$(grep -c "^vpred,v=" <<<"$output")" -ge 5 ]
    treebench verify --model model.json --impl vpred,v=4 --impl pred
    succeeds
    [ "${#lines[@]}" -eq 3 ]
    [[ ${lines[2]} =~ ^"all 2 implementations agree with treebench's reference on 0 documents and "[0-9]+" probes"$ ]]
}

@test "verify: a note is printed once, for implementations that are named" {
    treebench verify --model model.json --impl native-opt
    show
    [ "$status" -eq 0 ]
    [ "$stderr" = "treebench: native-opt: the model has no counts of documents, so all branches count as equally likely" ]
    treebench verify --model model.json --impl "native*"
    succeeds
}

@test "verify: the reference is the judge and not verified" {
    treebench verify --model model.json --impl reference --impl pred
    succeeds
    [[ ${lines[0]} == "reference "*"is the reference, and is left out" ]]
    [[ ${lines[2]} == "all 1 implementations agree with "* ]]
    treebench verify --model model.json --impl reference
    [ "$status" -eq 3 ]
}

@test "verify: the same refusal is printed once" {
    {
        echo "<Ensemble><Tree leaves=\"22\" weight=\"1.0\"><SplitFeatures>$(yes 0 | head -n 21 | xargs)</SplitFeatures>"
        echo "<LeftChildren>$(seq -s " " -1 -1 -21)</LeftChildren><RightChildren>$(seq -s " " 1 20) -22</RightChildren>"
        echo "<Thresholds>$(seq -s " " 21)</Thresholds><OriginalThresholds>$(seq -s " " 21)</OriginalThresholds>"
        echo "<LeafOutputs>$(seq -s " " 22)</LeafOutputs></Tree></Ensemble>"
    } >chain.xml
    treebench verify --model chain.xml --impl vpred-heap,v=8 --impl pred --impl pred-heap
    show
    [ "$status" -eq 0 ]
    [[ ${lines[0]} == "vpred-heap,v=8  refused: tree 0: depth 21"* ]]
    [ "${lines[2]}" = "pred-heap       refused: the same" ]
}

@test "verify: what takes a compiler long is told before" {
    "$TREEBENCH" synth --depth 11 --features 8 --trees 11 --model long.json
    TREEBENCH_CC=/nonexistent/cc treebench verify --model long.json --impl codegen
    show
    [ "$status" -eq 4 ]
    [ "${stderr_lines[0]}" = "treebench: codegen compiles 22517 nodes, which takes about 23 s unless they are cached" ]
    TREEBENCH_CC=/nonexistent/cc treebench verify --model model.json --impl codegen
    [ "$status" -eq 4 ] && [[ $stderr != *"codegen compiles"* ]]
    treebench verify --model long.json --impl vqs-sse # refuses so many leaves
    [ "$status" -eq 3 ]
}

@test "verify: mistakes in --impl" {
    treebench verify --model model.json --impl nonesuch
    is_mistake "no implementation 'nonesuch'"
    treebench verify --model model.json --impl vpred,w=4
    is_mistake "no option 'w'"
    treebench verify --model model.json --impl noop
    is_mistake "noop is a baseline"
}

@test "score: with threads, the same scores" {
    needs_two_cores
    "$TREEBENCH" score --model model.json --data data.txt >one
    for parallel in documents trees both; do
        treebench score --model model.json --data data.txt --impl struct \
            --threads 2 --parallel "$parallel" --out two
        succeeds
        cmp one two
    done
    treebench score --model model.json --data data.txt --threads 2
    succeeds
    [ "$output" = "$(cat one)" ]
}

@test "score: mistakes in --threads and --parallel" {
    treebench score --model model.json --data data.txt --threads 0
    is_mistake "--threads: '0' is not an integer from 1 to 1024"
    for command in score compare; do
        treebench "$command" --model model.json --data data.txt --threads "$(($(nproc) + 1))"
        is_mistake "--threads $(($(nproc) + 1)): each thread needs a core of its own, and $(nproc) "
    done
    needs_two_cores
    treebench score --model model.json --data data.txt --threads 2 --parallel nodes
    is_mistake "'nodes' is not one of documents, trees, both"
}

@test "compare: threads, by the wall clock" {
    needs_two_cores
    treebench compare --model model.json --data data.txt --impl struct-plus --impl noop --rounds 3 \
        --threads 2 --parallel trees
    succeeds
    [[ ${lines[0]} == *"by the wall clock"* ]]
    grep -qx "2 threads over trees" <<<"$output"
    [[ $output == *$'\nstruct-plus '*"  1.000"* ]]
    treebench compare --model model.json --data data.txt --impl struct-plus --threads 2 --clock cpu
    is_mistake "use --clock wall"
}

@test "score and compare: threads that are not to be had" {
    needs_two_cores
    export OMP_THREAD_LIMIT=1
    treebench score --model model.json --data data.txt --threads 2
    show
    [ "$status" -eq 4 ]
    # clang's OpenMP has something to say before it.
    [ "${stderr_lines[-1]}" = "treebench: only 1 of 2 threads are available: see OMP_THREAD_LIMIT and OMP_DYNAMIC" ]
    treebench compare --model model.json --data data.txt --impl struct-plus --rounds 2 --threads 2
    show
    [ "$status" -eq 4 ]
    [[ $output == *"struct-plus "*"unsupported: only 1 of 2 threads are available"* ]]
}

@test "score: a table, without its labels' column" {
    printf 'class,a,b,c\n7,0.5,-1,2\n8,0.6,,1.5\n7,1,0,\n' >table.csv
    treebench score --model stump.xml --data table.csv --label class
    show
    [ "$status" -eq 0 ]
    [ "$stderr" = "treebench: table.csv: columns are taken by position, because stump.xml has no feature names" ]
    [ "$output" = $'10\n20\n30' ]
    treebench score --model stump.xml --data table.csv --label d
    is_mistake "table.csv:1:1: --label: the table has no column 'd'"
}

@test "score, verify and eval: a table's columns by the model's names, else by position, and never by some" {
    "$TREEBENCH" convert --model stump.xml --out stump.json
    sed 's/"base"/"feature_names": ["x", "y", "z"], "base"/' stump.json >named.json
    printf 'z,label,x,id,y\n2,10,0.5,a,-1\n1.5,20,0.6,7,\n,30,1,c,0\n' >mixed.csv
    treebench score --model named.json --data mixed.csv
    show
    [ "$output" = $'10\n20\n30' ]
    [ "$stderr" = "treebench: mixed.csv: columns are matched by name with the features of named.json, 1 left out" ]
    treebench eval --model named.json --data mixed.csv --metric rmse
    [ "${lines[1]}" = "rmse         0" ]
    treebench verify --model named.json --data mixed.csv --impl struct
    [ "$status" -eq 0 ]
    sed '1s/.*/c,label,a,id,b/; s/,[ac],/,3,/' mixed.csv >wide.csv
    treebench score --model named.json --data wide.csv --label 2
    is_mistake "wide.csv: the table has 4 feature columns, but named.json needs 3, or columns named as its features"
    cut -d , -f 1-3,5 wide.csv >other.csv
    treebench score --model named.json --data other.csv --label 2
    show
    [ "$output" = $'20\n30\n20' ]
    [[ ${stderr_lines[0]} == *"other.csv: columns are taken by position, because none has the name of a feature of named.json ('x', ...)" ]]
    sed '1s/y/Y/' mixed.csv >some.csv
    treebench score --model named.json --data some.csv
    is_mistake "some.csv:1:1: the table has columns for some of the model's features, but not for 'y' (feature 1)"
}

@test "score: fewer units than threads over trees are told of" {
    needs_two_cores
    treebench score --model stump.xml --data data.txt --impl struct
    expected=$output
    treebench score --model stump.xml --data data.txt --impl struct --threads 2 --parallel trees
    show
    [ "$status" -eq 0 ] && [ "$output" = "$expected" ]
    [[ $stderr == "treebench: struct splits the trees into 1 unit for 2 threads"* ]]
    treebench score --model model.json --data data.txt --impl struct --threads 2 --parallel trees
    succeeds
    treebench score --model stump.xml --data data.txt --impl struct --threads 2
    succeeds
}

# A model of XGBoost with a tree behind its best iteration: 1 or 2, then 10 more.
make_stopped() {
    cat >stopped.json <<'END'
{"learner": {"attributes": {"best_iteration": "0"}, "feature_names": [],
 "gradient_booster": {"name": "gbtree", "model": {
  "gbtree_model_param": {"num_trees": "2", "num_parallel_tree": "1"}, "tree_info": [0, 0], "trees": [
   {"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0],
    "split_conditions": [0.5, 1, 2], "default_left": [1, 0, 0], "tree_param": {"num_nodes": "3"}},
   {"left_children": [-1], "right_children": [-1], "split_indices": [0], "split_conditions": [10],
    "default_left": [0], "tree_param": {"num_nodes": "1"}}]}},
 "learner_model_param": {"base_score": "0", "num_class": "0", "num_feature": "2"},
 "objective": {"name": "reg:squarederror"}}, "version": [2, 0, 0]}
END
    printf '%s\n' a,b 0,0 1,0 >stopped.csv
}

@test "score: a model with trees behind its best iteration is told, --trees best stops there" {
    make_stopped
    treebench score --model stopped.json --data stopped.csv
    [ "$status" -eq 0 ]
    [ "$output" = $'11\n12' ]
    [[ $stderr == *"stopped.json: early stopping found the best iteration at tree 1 of 2"*"--trees best"* ]]
    treebench score --model stopped.json --data stopped.csv --trees best
    [ "$output" = $'1\n2' ]
    [[ $stderr != *"early stopping"* ]]
    treebench info --model stopped.json
    succeeds
    grep -q "^trees up to the best  *1$" <<<"$output"
}

@test "--trees best: verify, eval, compare, convert and export stop there too" {
    make_stopped
    treebench verify --model stopped.json --trees best --impl struct
    succeeds
    printf '%s\n' y,a,b 1,0,0 2,1,0 >judged.csv
    treebench eval --model stopped.json --data judged.csv --label y --trees best --metric rmse
    [[ $output == *"rmse"*" 0"* ]]
    treebench compare --model stopped.json --data stopped.csv --trees best --impl struct --rounds 2
    [ "$status" -eq 0 ]
    [[ $stderr != *"early stopping"* ]]
    treebench convert --model stopped.json --out all.json
    [[ $stderr == *"early stopping"* ]]
    treebench convert --model stopped.json --out best.json --trees best
    [[ $stderr != *"early stopping"* ]]
    treebench score --model best.json --data stopped.csv
    [ "$output" = $'1\n2' ]
    treebench export --model stopped.json --out stopped --impl struct-plus --trees best
    [ "$status" -eq 0 ]
    [[ $stderr != *"early stopping"* ]]
}

@test "--trees best is refused without a best iteration, and anything but best" {
    make_stopped
    treebench score --model stump.xml --data stopped.csv --trees best
    is_mistake "stump.xml: the model does not record a best iteration"
    treebench score --model stopped.json --data stopped.csv --trees 3
    is_mistake "--trees: '3' is not supported. The only value is best"
}

@test "score: averages of LightGBM's random forests are told" {
    for value in 1 2; do
        echo "Tree=$((value - 1))
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=0.5
decision_type=2
left_child=-1
right_child=-2
leaf_value=$value 9
"
    done >trees.txt
    { printf '%s\n' tree version=v3 num_class=1 num_tree_per_iteration=1 max_feature_idx=1 average_output \
        "feature_names=a b" "tree_sizes=1 1" "" && cat trees.txt && echo "end of trees"; } >forest.txt
    printf '%s\n' a,b 0,0 >one.csv
    treebench score --model forest.txt --data one.csv
    [ "$status" -eq 0 ]
    [ "$output" = 1.5 ]
    [[ $stderr == *"forest.txt: a random forest: scores are averages over 2 iterations"* ]]
}

@test "score: words and numbers become the codes of an XGBoost model's lists" {
    # Green or blue: 2, otherwise, missing too: 1. Then the number 20 adds 10.
    cat >lists.json <<'END'
{"learner": {"attributes": {}, "feature_names": ["colour", "size"],
 "gradient_booster": {"name": "gbtree", "model": {
  "cats": {"enc": [{"offsets": [0, 3, 8, 12], "values": [114,101,100, 103,114,101,101,110, 98,108,117,101]},
                   {"type": 15, "values": [10, 20]}], "feature_segments": [0, 3, 5], "sorted_idx": [2, 1, 0, 0, 1]},
  "gbtree_model_param": {"num_trees": "2"}, "tree_info": [0, 0], "trees": [
   {"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [0, 0, 0],
    "split_conditions": [0, 1, 2], "default_left": [1, 0, 0], "split_type": [1, 0, 0],
    "categories": [1, 2], "categories_nodes": [0], "categories_segments": [0], "categories_sizes": [2],
    "tree_param": {"num_nodes": "3"}},
   {"left_children": [1, -1, -1], "right_children": [2, -1, -1], "split_indices": [1, 0, 0],
    "split_conditions": [0.5, 0, 10], "default_left": [1, 0, 0], "tree_param": {"num_nodes": "3"}}]}},
 "learner_model_param": {"base_score": "0", "num_class": "0", "num_feature": "2"},
 "objective": {"name": "reg:squarederror"}}, "version": [3, 1, 0]}
END
    printf '%s\n' colour,size blue,10 green,20 red,20 ,10 >words.csv
    treebench score --model lists.json --data words.csv
    [ "$status" -eq 0 ]
    [ "$output" = $'2\n12\n11\n1' ]
    treebench verify --model lists.json --impl xgboost
    succeeds
    # Unknown to the model, unknown to XGBoost: an error.
    printf '%s\n' colour,size blue,10 pink,20 >unknown.csv
    treebench score --model lists.json --data unknown.csv
    is_mistake "pink"
    printf '%s\n' colour,size blue,10 red,15 >unknown.csv
    treebench score --model lists.json --data unknown.csv
    is_mistake "15"
}

@test "score and compare: --profile counts branches, so that likely ones come first" {
    treebench score --model model.json --data data.txt --impl native-opt
    [[ $stderr == *"native-opt: the model has no counts of documents"* ]]
    plain=$output
    treebench score --model model.json --data data.txt --impl native-opt --profile data.txt
    succeeds
    [ "$output" = "$plain" ]
    treebench compare --model model.json --data data.txt --impl native-opt --rounds 2 \
        --profile data.txt
    [ "$status" -eq 0 ]
    [[ $stderr != *"no counts"* ]]
    printf '%s\n' "0 1:1 9:7" >other.txt
    treebench score --model model.json --data data.txt --impl native-opt --profile other.txt
    [ "$status" -eq 0 ]
    [[ $stderr == *"treebench: other.txt: the largest feature number is 9 "* ]]
}

@test "score and compare: documents of integers, and others are refused" {
    printf '%s\n' "0 1:0 3:1" "0 1:1 3:1" "0 1:1 3:2" >integers.txt
    for spec in native,feature=int16 native-folded,feature=int32 ifelse,feature=int16; do
        treebench score --model stump.xml --data integers.txt --impl "$spec"
        succeeds
        [ "$output" = $'10\n20\n30' ]
        treebench verify --model stump.xml --data integers.txt --impl "$spec"
        [ "$status" -eq 0 ]
    done
    printf '%s\n' "0 1:0" "0 1:40000" "0 3:1.5" >others.txt
    treebench score --model stump.xml --data others.txt --impl native,feature=int32
    show
    [ "$status" -ne 0 ] && [ -z "$output" ]
    [[ $stderr == "treebench: native: document 3, feature 3: 1.5 is not an integer from -2147483647 to 2147483647, so feature=int32 cannot score it. Use feature=float" ]]
    treebench compare --model stump.xml --data others.txt --impl native --impl ifelse,feature=int16 \
        --rounds 2
    show
    [ "$status" -eq 4 ]
    [[ $stderr == *"ifelse: document 2, feature 1: 40000 is not an integer from -32767 to 32767"* ]]
}

@test "info: --profile gives probabilities of branches, and so the lines of a path" {
    treebench info --model model.json
    succeeds
    run ! grep "^cache lines" <<<"$output"
    treebench info --model model.json --profile data.txt
    succeeds
    grep -qE "^cache lines per path  *[1-9][0-9.]* in native-folded, [1-9][0-9.]* in native-opt$" <<<"$output"
    grep -qE "^likely code  *5.00 of 5.00 nodes of a path, by ifelse-opt$" <<<"$output"
    treebench info --data data.txt --profile data.txt
    is_mistake "--profile has no effect without --model FILE"
}

@test "score: --profile cannot be standard input, and its mistakes are its own" {
    treebench score --model model.json --data data.txt --profile - <data.txt
    is_mistake "--profile needs files"
    treebench score --model - --data data.txt --profile data.txt <model.json
    is_mistake "--profile needs files"
    treebench score --model model.json --data data.txt --profile model.json
    is_mistake "model.json: not documents. It looks like a model"
}
