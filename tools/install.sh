#!/bin/sh
# Installs what the arguments name into the virtual environment $1, as `pip install` does, in the versions of
# requirements.lock. uv does not read pip's settings: where it cannot reach the package index, pip tries.
set -eu
venv=$1
shift
lock=$(dirname "$0")/../requirements.lock
export UV_NATIVE_TLS=1 VIRTUAL_ENV="$venv"
[ ! -x "$venv/bin/uv" ] || ! "$venv/bin/uv" pip install --quiet --constraint "$lock" "$@" || exit 0
"$venv/bin/python" -m pip install --quiet --upgrade pip # which knows groups
exec "$venv/bin/python" -m pip install --quiet --constraint "$lock" "$@"
