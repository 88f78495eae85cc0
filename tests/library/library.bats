    build=$(dirname "$TREEBENCH")
#!/usr/bin/env bats
# The library as it is installed: the example is compiled against it and scores a model.
load ../cli/common

setup_file() {
    build=$(dirname "$TREEBENCH")
    root=$BATS_FILE_TMPDIR/root
    # `-o all` installs what was built as it is: other tests are using it.
    make -s -C "$BATS_TEST_DIRNAME/../.." -o all BUILD="$build" DESTDIR="$root" \
        PREFIX=/opt/treebench install
    lib=$root/opt/treebench/lib
    example=$BATS_TEST_DIRNAME/../../examples/score.c
    export lib example
    export PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root

    cd "$BATS_FILE_TMPDIR"
    # Two outputs of two trees each, and two ways to treat what is missing.
    cat >model.txt <<'MODEL'
tree
version=v4
num_class=2
num_tree_per_iteration=2
label_index=0
max_feature_idx=2
objective=multiclass num_class:2
feature_names=age height income
feature_infos=none none none
tree_sizes=1 1 1 1

Tree=0
num_leaves=3
num_cat=0
split_feature=2 0
split_gain=9 8
threshold=0.1 -1.25
decision_type=10 8
left_child=1 -1
right_child=-3 -2
leaf_value=0.1 0.2 0.3
shrinkage=1

Tree=1
num_leaves=2
num_cat=0
split_feature=1
split_gain=1
threshold=0.5
decision_type=2
left_child=-1
right_child=-2
leaf_value=-7.5 0.7
shrinkage=1

Tree=2
num_leaves=2
num_cat=0
split_feature=0
split_gain=1
threshold=3
decision_type=8
left_child=-1
right_child=-2
leaf_value=0.2 1e-9
shrinkage=1

Tree=3
num_leaves=1
num_cat=0
split_feature=
split_gain=
threshold=
decision_type=
left_child=
right_child=
leaf_value=0.1
shrinkage=1

end of trees
MODEL
    awk 'BEGIN {
        srand(5)
        for (i = 0; i < 600; i++) {
            for (f = 0; f < 3; f++)
                printf "%s%s", rand() < 0.1 ? "nan" : sprintf("%.3f", 8 * rand() - 4), f < 2 ? " " : "\n"
        }
        print "-1.25 0.5 0.1"
    }' >rows.txt
    "$TREEBENCH" score --model model.txt --data rows.txt | digits >expected
    [ "$(wc -l <expected)" -eq 601 ]
    # 0.1 + 0.2 (as doubles, 0.1 is the threshold), -7.5 + 0.1
    [ "$(tail -n 1 expected)" = "0.30000000000000004 -7.4000000000000004" ]
}

setup() {
    ! grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || skip "a sanitizer's build"
    cd "$BATS_FILE_TMPDIR" || return 1
}

# Every number with all of its digits.
digits() {
    awk '{ for (i = 1; i <= NF; i++) printf "%.17g%s", $i, i < NF ? " " : "\n" }'
}

flags() {
    pkg-config --cflags --libs treebench
}

# The same, for what is linked with the static library.
static_flags() {
    pkg-config --static --cflags --libs treebench | sed 's/-ltreebench/-l:libtreebench.a/'
}

scores_as_expected() {
    LD_LIBRARY_PATH=$lib "$1" model.txt <rows.txt 2>"$1.said" | digits | cmp - expected
    cat "$1.said"
    grep -q "^4 trees, 3 features (age, ...), 2 outputs, scored by [a-z0-9-]* of treebench 0\." \
        "$1.said"
}

# compiles_with NAME COMPILER OPTION...
compiles_with() {
    name=$1
    shift
    command -v "$1" >/dev/null || skip "no $1"
    # shellcheck disable=SC2046 # lists of words
    "$@" -Wall -Wextra -Wpedantic -Werror -O2 "$example" -x none $(flags) -o "./$name-shared"
    # shellcheck disable=SC2046
    "$@" -Wall -Wextra -Wpedantic -Werror -O2 "$example" -x none $(static_flags) \
        -o "./$name-static"
    readelf -d "$name-shared" | grep -q 'NEEDED.*\[libtreebench.so.0\]'
    ! readelf -d "$name-static" | grep -q libtreebench || return 1
    scores_as_expected "./$name-shared"
    scores_as_expected "./$name-static"
}

@test "the example, compiled by gcc as C99" {
    compiles_with gcc gcc -std=c99
}

@test "the example, compiled by g++" {
    compiles_with g++ g++ -std=c++11 -x c++
}

@test "the example, compiled by clang as C99" {
    compiles_with clang clang -std=c99
}

@test "the example, compiled by clang++" {
    compiles_with clang++ clang++ -std=c++11 -x c++
}

@test "the example says what is wrong" {
    command -v gcc >/dev/null || skip "no gcc"
    # shellcheck disable=SC2046
    gcc "$example" $(flags) -Wl,-rpath,"$lib" -o mistaken
    run ./mistaken no-such-model
    [ "$status" -eq 2 ]
    [ "$output" = "score: no-such-model: cannot open for reading: No such file or directory" ]
    run ./mistaken model.txt no-such-way
    [ "$status" -eq 2 ]
    [[ $output == "score: no implementation 'no-such-way'"* ]]
    run ./mistaken model.txt reference <<<"1 2 3 4"
    [ "$status" -eq 1 ]
    [[ $output == *"score: a document is not 3 numbers" ]]
}

@test "the libraries show their interface and nothing else" {
    grep -o '\btb_[a-z_]*(' "$lib/../include/treebench.h" | grep -v '^tb_[a-z]*_free(NULL' |
        tr -d '(' | sort -u >declared
    [ "$(wc -l <declared)" -ge 15 ]
    nm -D --defined-only "$lib/libtreebench.so" >symbols
    ! grep -v -e ' T tb_[a-z_]*@@TREEBENCH_[0-9.]*$' -e ' A TREEBENCH_[0-9.]*$' symbols || return 1
    awk '$2 == "T" { sub("@@.*", "", $3); print $3 }' symbols | sort | diff declared -
    nm -g --defined-only "$lib/libtreebench.a" | awk 'NF == 3 { print $3 }' | sort | diff declared -
}

@test "the library needs nothing of what only measuring and training do" {
    readelf -d "$lib/libtreebench.so" | grep -o 'NEEDED.*\[lib[^]]*' | sed 's/.*\[//' >needed
    cat needed
    ! grep -q -e papi -e xgboost -e gomp -e omp needed || return 1
}

@test "the shared library asks for no package but itself" {
    [ "$(PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --libs treebench | wc -w)" -eq 2 ]
    PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags treebench
    [[ $(pkg-config --static --libs treebench) == *-lcjson*-lexpat*-lz* ]]
}

@test "pkg-config knows the version and where the library will be" {
    [ "$(pkg-config --modversion treebench)" = "$(
        sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' "$lib/../include/treebench.h")" ]
    grep -qx 'prefix=/opt/treebench' "$lib/pkgconfig/treebench.pc"
    [ "$(readlink "$lib/libtreebench.so")" = libtreebench.so.0 ]
}
