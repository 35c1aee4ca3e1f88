set -eu
. /muster/settings.sh
zone_settings
setting MUSTER_STALE_AFTER_MS "$NUMBER" 'milliseconds' ''
render /muster/unbound.conf.in /muster/unbound.conf
exec unbound -d -c /muster/unbound.conf
