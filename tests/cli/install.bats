# What `make install` puts below PREFIX works from there.
load common

setup_file() {
    # `-o all` installs the program under test as it is: other tests are running it.
    make -s -C "$BATS_TEST_DIRNAME/../.." -o all BUILD="$(dirname "$TREEBENCH")" \
        DESTDIR="$BATS_FILE_TMPDIR/root" PREFIX=/usr install
}

@test "the installed program finds the artefacts that were installed with it" {
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$BATS_FILE_TMPDIR/root/usr/bin/treebench" run --only no-such-artefact
    show
    [[ $stderr == *"Names begin with asadi2012, asadi2014, "* ]]
}

@test "the installed program reports a run, with what of its paper is not reproduced" {
    cp -r "$BATS_TEST_DIRNAME/../report/run" "$BATS_TEST_TMPDIR/run"
    cd "$BATS_TEST_TMPDIR"
    run --separate-stderr "$BATS_FILE_TMPDIR/root/usr/bin/treebench" report --run run --html run.html
    show
    [ "$status" -eq 1 ]
    grep -q '^> - asadi2014, Fig. 5: 16 threads' run/report.md
    run ! grep '^> - jin2016' run/report.md
    grep -q '"where":"Fig. 5","what":"16 threads' run.html
}

@test "the manual page has every command with its options" {
    page=$BATS_FILE_TMPDIR/root/usr/share/man/man1/treebench.1
    names=$("$TREEBENCH" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
    [ "$(wc -w <<<"$names")" -ge 6 ]
    for name in $names; do
        grep -qx "\.SS treebench ${name//-/\\\\-}" "$page"
        for option in $("$TREEBENCH" "$name" --help | sed -n 's/^  --\([a-z-]*\).*/\1/p'); do
            awk -v command="treebench ${name//-/\\\\-}" -v option="\\\\fB\\\\-\\\\-${option//-/\\\\-}\\\\fR" '
                /^\.SS / { here = substr($0, 5) == command }
                here && index($0, option) == 1 { found = 1 }
                END { exit !found }' "$page" || {
                echo "no $name --$option"
                return 1
            }
        done
    done
    if command -v groff >/dev/null; then
        [ -z "$(groff -man -Tutf8 -ww "$page" 2>&1 >/dev/null)" ]
    fi
}

# What bash would offer for the last of some words.
offers() {
    # compopt works only while bash itself completes.
    bash -c '. "$1"; shift; compopt() { :; }
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _treebench; echo "${COMPREPLY[*]}"' - \
        "$BATS_FILE_TMPDIR/root/usr/share/bash-completion/completions/treebench" "$@"
}

@test "completion offers commands, options and what may follow them" {
    [ "$(offers treebench sco)" = score ]
    [ "$(offers treebench help sco)" = score ]
    [ "$(offers treebench score --mod)" = --model ]
    [ "$(offers treebench score --missing z)" = zero ]
    [ "$(offers treebench score --missing = z)" = zero ]
    [ "$(offers treebench score --missing =)" = "zero nan" ]
    [[ $(offers treebench compare --impl struct) == "struct struct-plus" ]]
    [ "$(offers treebench train --learner c)" = cart ]
    [ -z "$(offers treebench score --model m)" ]
    [ -z "$(offers treebench nonsense --m)" ]
}

@test "CMake finds the library, and builds a program with it" {
    command -v cmake >/dev/null || skip "no cmake"
    ! grep -qe -fsanitize "$(dirname "$TREEBENCH")/flags" || skip "a sanitizer's build"
    cd "$BATS_TEST_TMPDIR"
    version=$(sed -n 's/^#define TB_VERSION "\(.*\)"/\1/p' "$BATS_TEST_DIRNAME/../../library/treebench.h")
    cp "$BATS_TEST_DIRNAME/../../examples/score.c" .
    cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.5)
project(score C)
find_package(treebench $version REQUIRED)
add_executable(score score.c)
target_link_libraries(score PRIVATE treebench::treebench)
CMAKE
    cmake -S . -B build -DCMAKE_PREFIX_PATH="$BATS_FILE_TMPDIR/root/usr"
    cmake --build build
    "$TREEBENCH" synth --depth 2 --features 3 --model model.json
    [ "$(build/score model.json <<<"0.1 0.2 0.3" 2>/dev/null | wc -l)" -eq 1 ]
    sed -i "s/$version REQUIRED/99 REQUIRED/" CMakeLists.txt
    run cmake -S . -B newer -DCMAKE_PREFIX_PATH="$BATS_FILE_TMPDIR/root/usr"
    [ "$status" -ne 0 ]
    [[ $output == *"$version"* ]]
}
