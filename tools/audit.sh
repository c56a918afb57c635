#!/bin/sh
# Asks the advisory databases about every locked dependency, of the server (requirements.lock) and of the page
# (web/package-lock.json). Exits with 1 where a known weakness is found. Where no database can be asked (no network, a
# mirror that has none) it says so and exits with 0, or with 2 where TERCET_AUDIT=strict, as is right for a release.
set -eu
venv=$1
here=$(dirname "$0")
python=$venv/bin/python
tool=$venv/audit
if [ ! -x "$tool/bin/pip-audit" ]; then
    "$python" -m venv "$tool"
    "$tool/bin/pip" install --quiet "pip-audit>=2.7,<3" || rm -rf "$tool"
fi
heard=$(mktemp -d)
trap 'rm -rf "$heard"' EXIT
if [ -x "$tool/bin/pip-audit" ]; then
    "$tool/bin/pip-audit" --requirement "$here/../requirements.lock" --no-deps --disable-pip --progress-spinner off \
        --format json >"$heard/server.json" 2>"$heard/server.txt" || true
fi
npm=$(command -v npm || ls "$venv"/bin/npm "$venv"/*/bin/npm 2>/dev/null | head -n 1 || true)
if [ -n "$npm" ]; then
    (cd "$here/../web" && PATH="$(dirname "$npm"):$PATH" "$npm" audit --package-lock-only --json \
        >"$heard/page.json" 2>"$heard/page.txt") || true
fi
exec "$python" "$here/audit.py" "$heard/server.json" "$heard/page.json"
