# Gathers the machine code of each implementation of libtreebench. Used by scripts/fingerprint.sh.
# Usage: objdump -w -h -t -r -s OBJECT... | awk -v out=FOLDER -v stop=REGEX -f fingerprint.awk
# Writes FOLDER/IMPL: the sections that an implementation reaches by relocations, in the order in
# which it reaches them. A reference is written as the number of the section and an offset, so that
# names of files, functions and constants do not matter. Sections are not followed into objects
# that match `stop`.

# A section of an object is one string in all tables: "planes/planes.o .text.score".
function remember(section, line) {
    content[section] = content[section] line "\n"
}

/:     file format / {
    object = substr($0, 1, index($0, ":     file format ") - 1)
    part = ""
    next
}
/^(Sections:|SYMBOL TABLE:)$/ { part = $1; next }
/^RELOCATION RECORDS FOR \[.*\]:$/ {
    part = "relocations"
    section = object " " substr($4, 2, length($4) - 3)
    next
}
/^Contents of section .*:$/ {
    part = "contents"
    section = object " " substr($4, 1, length($4) - 1)
    next
}
$0 == "" || /^(OFFSET|Idx) / { next }

# "  5 .text.f  0000013b  VMA  LMA  offset  2**4  CONTENTS, ALLOC, ..."
part == "Sections:" && $1 ~ /^[0-9]+$/ { remember(object " " $2, "size " $3 " align " $7) }

# "0000000000000000 l     F .text.f<TAB>0000000000000042 .hidden f"
part == "SYMBOL" {
    split($0, half, "\t")
    n = split(half[1], word, " ")
    at = object " " $NF
    if (word[n] == "*UND*")
        next
    home[at] = object " " word[n]
    value[at] = $1
    if (substr(half[1], 18, 1) ~ /[gu!]/ || substr(half[1], 19, 1) == "w")
        global[$NF] = at
    if (word[n - 1] == "O" && $NF ~ /^impl_/)
        is_impl[$NF]
}

# "000000000000000a R_X86_64_PLT32    error_set-0x0000000000000004"
part == "relocations" {
    count = ++references[section]
    place[section, count] = $1 " " $2
    target = $3
    addend = ""
    if (match(target, /[+-]0x[0-9a-f]+$/)) {
        addend = substr(target, RSTART)
        target = substr(target, 1, RSTART - 1)
    }
    aim[section, count] = target
    offset[section, count] = addend
}
part == "contents" { remember(section, $0) }

# Returns the symbol of `object` or another that this name means. "" if no object defines it.
function symbol_of(object, name) {
    if ((object " " name) in home)
        return object " " name
    return name in global ? global[name] : ""
}
function object_of(section) {
    return substr(section, 1, index(section, " ") - 1)
}
# Returns the number of a section in this implementation. A new one is put on the list.
function number_of(section) {
    if (!(section in number)) {
        number[section] = ++reached
        list[reached] = section
    }
    return number[section]
}
# The struct impl of an implementation, without the zero bytes at its end: a new member that is zero
# must not change all implementations.
function descriptor(text,    rows, i, bytes) {
    split(text, rows, "\n")
    for (i = 2; rows[i] != ""; i++) {
        sub(/^ *[0-9a-f]+ /, "", rows[i])
        rows[i] = substr(rows[i], 1, 35)
        gsub(/ /, "", rows[i])
        bytes = bytes rows[i]
    }
    sub(/(00)+$/, "", bytes)
    sub(/^size [0-9a-f]+ /, "", rows[1])
    return rows[1] "\n" bytes "\n"
}
# Writes a section and what it refers to. `within` limits the objects that references may lead to.
function write_section(section, file, within,    i, symbol, next_one) {
    printf "section %d\n%s", number[section],
        section ~ /\.impl_[a-z0-9_]+$/ ? descriptor(content[section]) : content[section] >file
    for (i = 1; i <= references[section]; i++) {
        symbol = symbol_of(object_of(section), aim[section, i])
        next_one = symbol == "" ? "" : home[symbol]
        if (next_one == "" || object_of(next_one) ~ stop || !(next_one in content) ||
            (within != "" && object_of(next_one) !~ within))
            print place[section, i], aim[section, i] offset[section, i] >file
        else
            print place[section, i], number_of(next_one), value[symbol] offset[section, i] >file
    }
}
function gather(symbol, file, within) {
    number_of(home[symbol])
    while (written < reached)
        write_section(list[++written], file, within)
}
END {
    if (!("tb_score" in global)) {
        print "fingerprint.awk: no object defines tb_score" >"/dev/stderr"
        exit 2
    }
    # The registry in library/scorer.o lists the implementations.
    for (section in references)
        if (object_of(section) == "library/scorer.o")
            for (i = 1; i <= references[section]; i++)
                if ((name = aim[section, i]) in is_impl)
                    registered[name]
    for (name in registered) {
        split("", number)
        split("", list)
        reached = written = 0
        impl = substr(name, 6)
        gsub(/_/, "-", impl)
        file = out "/" impl
        gather(global[name], file, "")
        # What a call runs before it comes to the implementation. From there, only these objects
        # are looked into: they refer to every implementation and every reader, too.
        gather(global["tb_score"], file, "^(library/treebench|impls/order|base/float_mode)\\.o$")
        if (debug)
            for (i = 1; i <= reached; i++)
                print impl, list[i]
        close(file)
    }
}
