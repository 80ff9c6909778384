#!/bin/sh
# Makes .venv, installs requirements.lock and this project into it, and leaves a stamp for make.
#   sh tools/setup.sh               all of it
#   sh tools/setup.sh environment   only an empty .venv
# PYTHON=/path/to/python3.12 chooses the interpreter for a new .venv.
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
stamp=.venv/.tidelore-ready
PIP_DISABLE_PIP_VERSION_CHECK=1
PIP_ROOT_USER_ACTION=ignore
export PIP_DISABLE_PIP_VERSION_CHECK PIP_ROOT_USER_ACTION

fail() {
    printf '\n%s\n' "$@" >&2
    exit 1
}

new_enough() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

makes_environments() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

usable_environment() {
    [ -x .venv/bin/python ] && new_enough .venv/bin/python && .venv/bin/python -c 'import pip' 2>/dev/null || return 1
    # Scripts in a virtual environment name its folder, so one that was moved is of no use.
    [ ! -e "$stamp" ] || [ "$(cat "$stamp")" = "$root" ]
}

# Sets $python to the first suitable interpreter, or stops and says what to install.
find_python() {
    without_venv=
    for python in ${PYTHON:+"$PYTHON"} python3.14 python3.13 python3.12 python3.11 python3; do
        if new_enough "$python"; then
            if makes_environments "$python"; then return; fi
            without_venv=${without_venv:-$python}
        fi
        [ "$python" != "${PYTHON:-}" ] || fail "PYTHON=$PYTHON is not a Python 3.11 or newer that can make virtual environments."
    done
    case $(uname -s) in
        Darwin) hint='Install one with:  brew install python' ;;
        *) hint='Debian, Ubuntu:  sudo apt install python3 python3-venv
Fedora:          sudo dnf install python3' ;;
    esac
    if [ -n "$without_venv" ]; then
        version=$("$without_venv" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        fail "Python $version is here, but its venv and ensurepip modules are not." "$hint" \
            "(If that is not enough:  sudo apt install python$version-venv)"
    fi
    fail 'Tidelore needs Python 3.11 or newer, and none was found.' "$hint" \
        'If you have one elsewhere:  make run PYTHON=/path/to/python3'
}

if ! usable_environment; then
    find_python
    echo "Setting up .venv with $("$python" --version) (once, about a minute) ..."
    rm -rf .venv
    if ! "$python" -m venv .venv; then
        rm -rf .venv # half of one would be taken for a whole one next time
        fail 'The virtual environment .venv could not be made; the lines above say why. Then run the command again.'
    fi
fi
[ "${1:-}" != environment ] || exit 0

rm -f "$stamp"
.venv/bin/python -m pip install --quiet --require-hashes -r requirements.lock ||
    fail 'The locked packages could not be installed; the lines above say why.' \
        'They come from the Python package index: is it within reach (network, proxy)? Then run the command again.'
.venv/bin/python -m pip install --quiet --no-index --no-deps --no-build-isolation --editable . ||
    fail 'Tidelore could not be installed into .venv; the lines above say why.'
printf '%s\n' "$root" >"$stamp"
