# Installs Debian packages: `sh /muster/install.sh NAME…`.
#
# The package lists are those of the base image. A mirror forgets what a newer version replaced, so when a package is
# gone the lists are read again.
set -eu
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -q -y --no-install-recommends "$@"; }
install "$@" || { apt-get update -q && install "$@"; }
apt-get clean
