# Bash completion for gpcl. It asks the command's own help, so it offers what the installed version has.
# SPDX-License-Identifier: MIT

_gpcl() {
    local gpcl=$1 current=$2 previous=$3 command= word help
    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        if [[ $word != -* ]]; then
            command=$word
            break
        fi
    done
    help=$($gpcl ${command:+"$command"} --help 2>/dev/null)
    if [[ $previous == --device ]]; then
        word="gpu cpu $($gpcl info 2>/dev/null | sed -n 's/^Device \([^ ]*\):.*/\1/p')"
    elif [[ $previous == --algorithm ]]; then
        word=$($gpcl info --algorithms --device host 2>/dev/null |
            sed -nE "s/^  ${command/argsort/sort} +([a-z0-9-]+) .*/\1/p")
    elif [[ $previous == --* && $help == *"  $previous {"* ]]; then # a list such as {add,maximum}
        word=${help#*"  $previous {"}
        word=$(sed 's/,/ /g' <<<"${word%%\}*}")
    elif [[ $current == -* ]]; then
        word=$(sed -nE 's/^  (-[a-z],)?(--[a-z0-9-]+).*/\2/p' <<<"$help")
    elif [[ -z $command ]]; then
        word=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z0-9-]*\).*/\1/p' <<<"$help")
    else
        return # -o default: file names
    fi
    mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current")
}
complete -o default -F _gpcl gpcl
