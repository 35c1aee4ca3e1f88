set -eu
. /muster/settings.sh
zone_settings
lacks MUSTER_STALE_AFTER_MS 'only Unbound is told after how long it gives what is stale'
mkdir -p /run/knot-resolver && chown knot-resolver: /run/knot-resolver && cd /run/knot-resolver
render /muster/kresd.conf.in /muster/kresd.conf
exec kresd -n -c /muster/kresd.conf /run/knot-resolver
