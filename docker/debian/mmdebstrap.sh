# Writes a small Debian bookworm, much like debian:bookworm-slim, as a tar to standard output.
#
# The same state of the mirror gives the same bytes. What the mirror has moves on with Debian's point releases and
# security updates; muster does not follow these by itself, `muster images build --again debian` does.
set -eu
export SOURCE_DATE_EPOCH=0 LC_ALL=C
for unread in doc man info locale groff lintian linda; do
  set -- "$@" "--dpkgopt=path-exclude=/usr/share/$unread/*"
done
exec mmdebstrap --quiet --format=tar --variant=minbase \
  '--dpkgopt=path-include=/usr/share/doc/*/copyright' "$@" \
  '--aptopt=APT::Install-Recommends "false"' \
  bookworm - \
  'deb http://deb.debian.org/debian bookworm main' \
  'deb http://deb.debian.org/debian bookworm-updates main' \
  'deb http://deb.debian.org/debian-security bookworm-security main'
