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
