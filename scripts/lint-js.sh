#!/bin/sh
# Checks the JavaScript with biome (biome.json). Usage: lint-js.sh BUILD
# noUnusedVariables is off, because the files of html/ are parts of one script and use each other's
# functions. Without biome, nothing is checked, except with JS=required: then it is an error.
set -eu
biome=$1/biome/node_modules/.bin/biome
if [ ! -e "$1/biome/installed" ]; then
    echo "lint-js.sh: biome is missing, so JavaScript is not checked: run make $1/biome/installed with a network" >&2
    [ "${JS:-}" != required ]
    exit
fi
list() {
    git ls-files --cached --others --exclude-standard -- '*.js' '*.mjs'
}
list | xargs "$biome" ci --error-on-warnings
# The formatter leaves strings and comments as they are.
if list | xargs grep -nE '^.{101}'; then
    echo "lint-js.sh: these lines have more than 100 columns" >&2
    exit 1
fi
