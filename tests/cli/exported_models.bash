# The models that the tests of exported programs export, and the compilers that take them.
make_export_models() {
    cd "$BATS_FILE_TMPDIR" || return 1
    cat >lightgbm.txt <<'MODEL'
tree
version=v4
num_class=1
num_tree_per_iteration=1
max_feature_idx=2
feature_names=a b c

Tree=0
num_leaves=3
num_cat=0
split_feature=1 0
threshold=0.5 -1.25
decision_type=2 8
left_child=1 -1
right_child=-3 -2
leaf_value=0.1 0.2 0.3

Tree=1
num_leaves=2
num_cat=0
split_feature=2
threshold=1e-40
decision_type=10
left_child=-1
right_child=-2
leaf_value=-7 1e22

end of trees
MODEL
    # Two outputs in any order, bases, an infinite threshold, NaN to the left, a tree that is one leaf.
    cat >outputs.json <<'MODEL'
{"format": "treebench", "version": 1, "features": 9, "outputs": 2, "base": [0.5,-1],
 "feature_names": ["x", "a */ b", "/* c", "\"d\"", "e\\", "@name@", "g\n", "Größe", "??/"], "trees": [
 {"output": 1, "feature": [8,0], "threshold": [0.1,"-inf"], "left": [1,-1], "right": [-3,-2],
  "nan_left": [1,0], "value": [1,2,3]},
 {"output": 0, "feature": [], "threshold": [], "left": [], "right": [], "value": [4.25]},
 {"output": 1, "feature": [8,8], "threshold": [0.1,"inf"], "left": [1,-1], "right": [-3,-2],
  "nan_left": [0,1], "value": [0.1,-0.0,0.7]}]}
MODEL
    echo '{"format": "treebench", "version": 1, "features": 1, "outputs": 1, "base": [0.25], "trees": [
 {"output": 0, "feature": [], "threshold": [], "left": [], "right": [], "value": [3]}]}' >leaf.json
    "$TREEBENCH" synth --depth 9 --features 20 --trees 3 --model large.json
    # Chains: as deep as they have nodes.
    chain 300 >deep.json
    chain 600 >deeper.json
    # A balanced tree that tests sets of 60 categories: rewritten as plain tests it would be too large.
    awk 'BEGIN {
        for (i = 0; i < 63; i++) {
            cuts = ""
            for (k = 1; k <= 60; k++)
                if ((k * k * (i + 3) + 7 * i) % 5 < 2)
                    cuts = cuts (cuts == "" ? "" : ",") k - 0.5
            comma = i ? "," : ""
            features = features comma i % 5
            thresholds = thresholds comma "0"
            left = left comma (i < 31 ? 2 * i + 1 : 61 - 2 * i)
            right = right comma (i < 31 ? 2 * i + 2 : 60 - 2 * i)
            nan_left = nan_left comma i % 3 % 2
            sets = sets comma "[" (i % 4 == 1 ? "" : cuts) "]"
            values = values i / 7 ","
        }
        print "{\"format\": \"treebench\", \"version\": 1, \"features\": 6, \"outputs\": 1, \"base\": [0.25],"
        print "\"trees\": [{\"output\": 0, \"feature\": [" features "], \"threshold\": [" thresholds "],"
        print "\"left\": [" left "], \"right\": [" right "], \"nan_left\": [" nan_left "],"
        print "\"cuts\": [" sets "], \"value\": [" values "9]}]}"
    }' >categories.json
    "$TREEBENCH" synth --depth 5 --features 30 --trees 50 --model "50 trees.x.json"
}

# chain N: a model of one tree of N nodes
chain() {
    cat <<MODEL
{"format": "treebench", "version": 1, "features": $1, "outputs": 1, "base": [0.25], "trees": [
 {"output": 0, "feature": [$(seq -s, 0 $(($1 - 1)))], "threshold": [$(seq -s, 1 "$1")],
  "left": [$(seq -s, 1 $(($1 - 1))),-1], "right": [$(seq -s, -$(($1 + 1)) -2)], "value": [$(seq -s, 0 "$1")]}]}
MODEL
}

warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

# compile COMPILER... OUTPUT NAME: the exported NAME.c and NAME_test.c of the folder NAME
compile() {
    # shellcheck disable=SC2086 # several words
    "${@:1:$#-2}" $warnings -o "${*: -2:1}" "${*: -1}/${*: -1}.c" "${*: -1}/${*: -1}_test.c"
}

# check_with NAME COMPILER...: each compiler that there is takes NAME, and all scores are right.
check_with() {
    name=$1
    shift
    for compiler; do
        command -v "${compiler%% *}" >/dev/null || continue
        read -ra words <<<"$compiler"
        compile "${words[@]}" program "$name"
        # shellcheck disable=SC2086 # several words
        "${words[@]}" -fsyntax-only $warnings "$name/${name}_bench.c"
        run ./program
        echo "$compiler: $output"
        [ "$status" -eq 0 ]
        [[ $output == "$name: "*" rows have treebench's scores, bit for bit" ]]
    done
}

check_everywhere() {
    check_with "$1" "gcc -std=c99" "g++ -x c++ -std=c++11" "clang -std=c99" "clang++ -x c++ -std=c++17"
}
