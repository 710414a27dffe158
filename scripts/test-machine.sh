#!/bin/sh
# Installs with apt what the tests need beyond npm, when it is missing: a sandbox, a pseudo-terminal, an interpreter, a browser.
set -eu
missing=""
need() { command -v "$1" >/dev/null 2>&1 || missing="$missing $2"; }
need bwrap bubblewrap
need script bsdutils
need unshare util-linux
need setpriv util-linux
need prlimit util-linux
need mkfifo coreutils
need git git
need python3 python3
need curl curl
need /usr/lib/postgresql/15/bin/postgres postgresql-15
need /usr/sbin/pgbouncer pgbouncer
need chromium-headless-shell "chromium-headless-shell fonts-wqy-microhei fonts-dejavu-core"
[ -z "$missing" ] && exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
  echo "installing for the tests:$missing"
  apt-get update -qq >/dev/null
  # shellcheck disable=SC2086
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
else
  echo "the tests need:$missing (install them with your package manager)" >&2
  exit 1
fi
