#!/usr/bin/env bats
# scripts/man.awk: the manual page from a table of commands.

@test "text that roff would take for a request or for a minus stays text" {
    printf 'version\t1.2\nabout\t.so is a \\ and a -\nabout\t'"'"'tis\ncommand\tlist\tprints all\n' >"$BATS_TEST_TMPDIR/table"
    page=$(awk -f scripts/man.awk "$BATS_TEST_TMPDIR/table")
    grep -qxF '\&.so is a \e and a \-' <<<"$page"
    grep -qxF "\&'tis" <<<"$page"
    grep -qxF '.SS treebench list' <<<"$page"
    grep -qxF 'Prints all.' <<<"$page"
}
