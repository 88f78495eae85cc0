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
    [[ $stderr == *"there are: asadi2012-fig1 "* ]]
}

@test "a program is built with the installed headers and library" {
    command -v gcc >/dev/null || skip "no gcc"
    nm "$BATS_FILE_TMPDIR/root/usr/lib/libtreebench.a" | grep -q __asan && skip "a sanitizer's build"
    cd "$BATS_TEST_TMPDIR"
    cat >program.c <<'END'
#include "models/format.h"
#include <stdio.h>
int main(void) {
    struct error error = {""};
    struct ensemble *ensemble;
    model_read("no-such-file", &ensemble, &error);
    puts(error.text);
    return 0;
}
END
    gcc -I"$BATS_FILE_TMPDIR/root/usr/include/treebench" program.c \
        -L"$BATS_FILE_TMPDIR/root/usr/lib" -ltreebench -lexpat -lcjson -lz -lm -o program
    [ "$(./program)" = "no-such-file: cannot open for reading: No such file or directory" ]
}
