#!/bin/sh
# Makes the virtual environment $1 with the Python named in $PYTHON (default python3), on a machine with nothing else.
# Its installer is uv, which needs a fifth of pip's processor time, where the package index has it.
set -eu
venv=$1
python=${PYTHON:-python3}
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "Tercet needs Python 3.11 or newer; $("$python" --version) is what '$python' is. Set PYTHON=..." >&2
    exit 1
}
[ -x "$venv/bin/pip" ] && exit 0
# A pip that is there spares the environment one of its own until uv has come, and unpacks faster.
if "$python" -m venv --without-pip "$venv" &&
    "$python" -m pip --python "$venv/bin/python" install --quiet --no-compile uv pip >/dev/null 2>&1; then
    exit 0
fi
rm -rf "$venv"
if ! "$python" -m venv "$venv" 2>/dev/null; then
    # Debian keeps venv's other half in a package of its own.
    rm -rf "$venv"
    if "$(dirname "$0")/apt.sh" python3-venv; then
        "$python" -m venv "$venv"
    elif "$python" -m pip --version >/dev/null 2>&1; then
        "$python" -m pip install --quiet --user --break-system-packages virtualenv
        "$python" -m virtualenv --quiet "$venv"
    else
        echo "This Python cannot make virtual environments: install your system's python3-venv package." >&2
        exit 1
    fi
fi
"$venv/bin/pip" install --quiet --no-compile uv >/dev/null 2>&1 || "$venv/bin/pip" install --quiet --upgrade pip
