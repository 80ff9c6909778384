#!/bin/sh
# Installs a package-lock.json into the node_modules beside it and leaves a stamp for make. `make run` never gets here.
#   sh tools/node.sh [folder]   the repository's own, or that of a folder
set -eu

cd "$(dirname "$0")/.."
root=$(pwd -P)
cd "${1:-.}"
stamp=node_modules/.tidelore-ready

fail() {
    printf '\n%s\n' "$@" >&2
    exit 1
}

if ! command -v node >/dev/null 2>&1 || ! node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)'; then
    found=$(node --version 2>/dev/null || echo none)
    case $(uname -s) in
        Darwin) hint='Install it with:  brew install node' ;;
        *) hint='Debian 13, Ubuntu 25.04 and newer:  sudo apt install nodejs npm
Fedora:  sudo dnf install nodejs' ;;
    esac
    fail "The part for the page is built and tested with Node.js 20 or newer (found: $found)." "$hint" \
        'The engine and the command line do without:  make run, make test-fast'
fi
command -v npm >/dev/null 2>&1 || fail 'Node.js is here, but npm is not.' 'Debian, Ubuntu:  sudo apt install npm'

rm -f "$stamp"
npm ci --no-audit --no-fund --loglevel=error --ignore-scripts >/dev/null ||
    fail 'The locked npm packages could not be installed; the lines above say why.' \
        'They come from the npm registry: is it within reach (network, proxy)? Then run the command again.'
printf '%s\n' "$root" >"$stamp"
