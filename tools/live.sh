#!/bin/sh
# What the live tests need beyond .venv: SillyTavern, locked in tests/live, and a Chromium.
set -eu

cd "$(dirname "$0")/.."

has_chromium() {
    if [ -n "${TIDELORE_CHROMIUM:-}" ]; then
        command -v "$TIDELORE_CHROMIUM" >/dev/null 2>&1
        return
    fi
    for name in chromium chromium-browser google-chrome; do
        ! command -v "$name" >/dev/null 2>&1 || return 0
    done
    return 1
}

# Runs apt-get as root, or fails where that takes a password.
apt() {
    if [ "$(id -u)" = 0 ]; then
        DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
    else
        sudo -n DEBIAN_FRONTEND=noninteractive apt-get -qq "$@"
    fi
}

get_chromium() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] || sudo -n true 2>/dev/null || return 1
    echo 'Installing Chromium for the live tests with apt-get (once) ...'
    apt update >/dev/null && apt install -y --no-install-recommends chromium >/dev/null && has_chromium
}

# Without one the tests in a browser are skipped, or fail where CI is set, so this is no reason to stop.
has_chromium || get_chromium || cat >&2 <<'END'

There is no Chromium here, and it could not be installed. The tests that need a browser will say so.
Debian:           sudo apt install chromium
Fedora:           sudo dnf install chromium
Others and macOS: install Chromium or Chrome and name the program:  export TIDELORE_CHROMIUM=/path/to/it

END

echo 'Installing SillyTavern for the live tests (once, about a minute) ...'
sh tools/node.sh tests/live
