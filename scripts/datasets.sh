#!/bin/sh
# Prepares a data set of the catalogue: fetches it if its terms allow a script to, or prints which
# file to fetch by hand and where to put it. Then checks it, unpacks it and writes it as caches.
# datasets.sh NAME        `treebench list` prints the names
# Environment:
#   TREEBENCH_DATA_SETS       the folder of all data sets (default: ~/.local/share/treebench)
#   TREEBENCH_DATA_SETS_FROM  the address of your own copies, used instead of the published ones
#   TREEBENCH                 the program (default: build/treebench, else treebench)
# Exit status: 0 done, 1 a check failed, 2 something must be done by hand, 4 a program is missing
set -eu

fail() {
    status=$1
    shift
    echo "datasets.sh: $*" >&2
    exit "$status"
}

case ${1:-} in
-h | --help) sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//p;}' "$0" && exit 0 ;;
-*) fail 2 "no option '$1'. Usage: datasets.sh NAME" ;;
esac
[ $# -eq 1 ] || fail 2 "usage: datasets.sh NAME (treebench list prints the names)"
name=$1
program=${TREEBENCH:-build/treebench}
[ -x "$program" ] || program=$(command -v treebench) || fail 4 "no treebench: run make first"
described=$("$program" list --data-set "$name") || exit 2
folder=${TREEBENCH_DATA_SETS:-${XDG_DATA_HOME:-$HOME/.local/share}/treebench}/$name
mkdir -p "$folder"

# Prints the catalogue's value of a key.
said() {
    echo "$described" | sed -n "s/^$1  *//p"
}

fetch() {
    if command -v curl >/dev/null; then
        curl --fail --location --silent --show-error --output "$2.part" "$1"
    elif command -v wget >/dev/null; then
        wget --quiet --output-document="$2.part" "$1"
    else
        fail 4 "curl or wget is needed: apt-get install curl"
    fi || fail 2 "could not fetch $1: fetch it by hand into $folder"
    mv "$2.part" "$2"
}

# Fails unless FILE has the checksum. Usage: check FILE ALGORITHM:HEX
check() {
    has=$("${2%%:*}sum" "$1" | cut -d ' ' -f 1)
    [ "$has" = "${2#*:}" ] ||
        fail 1 "$1: its ${2%%:*} is $has, not ${2#*:}. It is incomplete, or another version. Remove it and fetch it again"
}

unpack() {
    case $1 in
    *.zip) unpacker=unzip && set -- "$1" unzip -q -n "$1" -d "$folder" ;;
    *.rar) unpacker=bsdtar && set -- "$1" bsdtar -xf "$1" -C "$folder" ;;
    *.tar.bz2) unpacker=bzip2 && set -- "$1" tar -xjf "$1" -C "$folder" ;;
    *.tar.gz | *.tgz) unpacker=tar && set -- "$1" tar -xzf "$1" -C "$folder" ;;
    *) return 0 ;;
    esac
    command -v "$unpacker" >/dev/null ||
        fail 4 "$1: install $unpacker (bsdtar is in libarchive-tools), or unpack it by hand into $folder"
    archive=$1
    shift
    "$@" || fail 1 "$archive: could not be unpacked: it is incomplete, or not an archive"
}

# Prints the paths of the documents, one per line. A path with {1..5} becomes five paths.
documents() {
    for path in $(said documents); do
        case $path in
        *'{1..5}'*) for fold in 1 2 3 4 5; do echo "$path" | sed "s/{1\.\.5}/$fold/"; done ;;
        *) echo "$path" ;;
        esac
    done
}

convert() {
    if [ "$(said label-column)" = - ]; then
        "$program" convert --data "$1" --out "$2"
    else
        "$program" convert --data "$1" --label "$(said label-column)" --out "$2"
    fi
}

# Prints the full path of a document, which may lie in a folder of the archive.
find_document() {
    find "$folder" -type f -path "*/$1" | sort | head -n 1
}

if [ "$(said documents)" = - ]; then
    wanted=
else
    wanted=$(documents)
fi
complete=true
for path in ${wanted:-none}; do
    [ -n "$(find_document "$path")" ] || complete=false
done

if ! $complete; then
    echo "$(said title): $(said terms)"
    by_hand=
    while read -r file checksum url; do
        [ ! -f "$folder/$file" ] || continue
        [ -z "${TREEBENCH_DATA_SETS_FROM:-}" ] || url=$TREEBENCH_DATA_SETS_FROM/$file
        if [ "$url" = - ]; then
            by_hand="$by_hand $file"
        else
            fetch "$url" "$folder/$file"
        fi
    done <<END
$(said file)
END
    [ -z "$by_hand" ] ||
        fail 2 "a script may not or cannot fetch this data set. Open $(said page), accept the terms there, put$by_hand into $folder, and run this again"
    while read -r file checksum url; do
        if [ "$checksum" = - ]; then
            echo "$file: no checksum is known"
        else
            check "$folder/$file" "$checksum"
            echo "$file: the checksum is right ($(said checksums))"
        fi
        unpack "$folder/$file"
    done <<END
$(said file)
END
    # An archive may contain further archives, as those of yahoo-c14-set1 and bank do.
    find "$folder" -name '*.tar.bz2' -o -name '*.zip' >"$folder/.nested"
    while read -r nested; do
        unpack "$nested"
    done <"$folder/.nested"
    rm -f "$folder/.nested"
fi

if [ -z "$wanted" ]; then
    echo "$folder: unpacked, but not converted, because treebench cannot read it. The label: $(said label)"
    exit 0
fi

rows=0
for path in $wanted; do
    text=$(find_document "$path")
    [ -n "$text" ] || fail 1 "$folder: $path is not in the archive"
    cache=$folder/$(echo "${path%.txt}" | tr / .).cache
    if [ ! -f "$cache" ] || [ -n "$(find "$text" -newer "$cache")" ]; then
        convert "$text" "$cache" || exit 1
    fi
    shape=$("$program" info --data "$cache") || exit 1
    has=$(echo "$shape" | sed -n 's/^features  *//p')
    [ "$has" -le "$(said features)" ] ||
        fail 1 "$cache: $has features, but the catalogue has $(said features)"
    rows=$((rows + $(echo "$shape" | sed -n 's/^documents  *//p')))
    echo "$cache"
done
should=$(($(said rows) * $(said folds)))
[ "$rows" -eq "$should" ] ||
    fail 1 "$folder: $rows documents in all files, but the catalogue has $should: this is not the whole data set"
