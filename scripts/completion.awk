# Writes the completion for bash from the table that scripts/commands.sh prints.
# Usage: awk -f completion.awk TABLE
BEGIN {
    FS = "\t"
}
$1 == "command" {
    command = $2
    commands = commands " " $2
    order[++count] = $2
}
$1 == "option" {
    options[command] = options[command] " --" $2
    kinds[command, $2] = $3
    names[command] = names[command] " " $2
}
$1 == "choices" {
    choices[$2, $3] = $4
}
$1 == "impl" {
    impls = impls " " $2
}

# Returns shell code that completes the argument of an option. The argument may be one of some
# words, an implementation or a file. Other arguments are not completed.
function completes(command, name) {
    if ((command, name) in choices)
        return "words='" choices[command, name] "'"
    if (kinds[command, name] == "SPEC")
        return "words=$impls"
    return kinds[command, name] ~ /^(FILE|DIR|FOLDER)$/ ? "return" : "compopt +o default; return"
}

END {
    print "# Completion of treebench for bash, made from its command table."
    print "_treebench() {"
    print "    local commands='" substr(commands, 2) "'"
    print "    local impls='" substr(impls, 2) "'"
    print "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} words="
    print "    # Bash splits --option=value into three words."
    print "    if [[ $word == = ]]; then"
    print "        word="
    print "    elif [[ $before == = ]]; then"
    print "        before=${COMP_WORDS[COMP_CWORD - 2]}"
    print "    fi"
    print "    COMPREPLY=()"
    print "    if ((COMP_CWORD == 1)); then"
    print "        words=\"$commands help --help --version\""
    print "    elif [[ ${COMP_WORDS[1]} == help ]]; then"
    print "        words=$commands"
    print "    else"
    print "        case ${COMP_WORDS[1]}:$before in"
    for (i = 1; i <= count; i++) {
        n = split(names[order[i]], list, " ")
        for (k = 1; k <= n; k++)
            if (kinds[order[i], list[k]] != "-")
                print "        " order[i] ":--" list[k] ") " completes(order[i], list[k]) " ;;"
    }
    for (i = 1; i <= count; i++)
        print "        " order[i] ":*) words='" substr(options[order[i]], 2) "' ;;"
    print "        esac"
    print "    fi"
    print "    # shellcheck disable=SC2207 # names without spaces"
    print "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))"
    print "}"
    print "complete -o default -F _treebench treebench"
}
