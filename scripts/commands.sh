#!/bin/sh
# Prints a table of the program's commands and options. man.awk and completion.awk read this table.
# Texts come from --help, and the words that an option takes come from list --json. Each line has
# one of these forms, with tabs between the fields:
#   version VERSION                   about TEXT (a line; empty between paragraphs)
#   group TITLE                       command NAME SUMMARY
#   option NAME ARGUMENT HELP         details TEXT (likewise)
#   impl NAME                         choices COMMAND OPTION WORDS
# Usage: commands.sh PROGRAM
set -eu
program=$1

program_help() {
    "$program" --help | awk '
        /^usage: / { next }
        /^[^ ].*:$/ { in_groups = 1; print "group\t" substr($0, 1, length($0) - 1); next }
        in_groups && /^  [a-z]/ {
            name = $1
            sub(/^ +[^ ]+ +/, "")
            print "command\t" name "\t" $0
            next
        }
        !in_groups { print "about\t" $0 }'
}

# An option in --help is "  --name ARGUMENT  help". The help may continue on indented lines.
command_help() {
    "$program" "$1" --help | awk '
        function end_option() {
            if (name)
                print "option\t" name "\t" argument "\t" help
            name = ""
        }
        /^Options:$/ { in_options = 1; next }
        in_options && /^  --/ {
            end_option()
            sub(/^  --/, "")
            match($0, /^[^ ]+/)
            name = substr($0, 1, RLENGTH)
            $0 = substr($0, RLENGTH + 1)
            argument = "-"
            if (match($0, /^ [^ ]+/)) {
                argument = substr($0, 2, RLENGTH - 1)
                $0 = substr($0, RLENGTH + 1)
            }
            sub(/^ +/, "")
            help = $0
            next
        }
        in_options && /^ / {
            sub(/^ +/, "")
            help = help (help ? " " : "") $0
            next
        }
        in_options { end_option(); in_options = 0; in_details = 1; next }
        in_details { print "details\t" $0 }
        END { end_option() }'
}

"$program" --version | awk '{ print "version\t" $2 }'
program_help | while IFS= read -r line; do
    printf '%s\n' "$line"
    case $line in
    command*) command_help "$(printf '%s\n' "$line" | cut -f 2)" ;;
    esac
done
"$program" list --json | awk '
    /^"/ { split($0, quoted, "\""); part = quoted[2] }
    part == "implementations" && /^  / { split($0, quoted, "\""); print "impl\t" quoted[4] }
    part == "commands" && /^  / {
        n = split($0, objects, /[{]"name":"/)
        for (i = 2; i <= n; i++) {
            name = substr(objects[i], 1, index(objects[i], "\"") - 1)
            if (i == 2)
                command = name
            else if (match(objects[i], /"choices":\[[^]]*/)) {
                words = substr(objects[i], RSTART + 12, RLENGTH - 13)
                gsub(/","/, " ", words)
                print "choices\t" command "\t" name "\t" words
            }
        }
    }'
