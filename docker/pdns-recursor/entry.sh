set -eu
. /muster/settings.sh
zone_settings
lacks MUSTER_STALE_AFTER_MS 'only Unbound is told after how long it gives what is stale'
AUTHORITY="$(bracketed "$MUSTER_AUTHORITY"):$MUSTER_AUTHORITY_PORT"
EXTENSIONS=${MUSTER_SERVE_STALE:+$(((MUSTER_SERVE_STALE + 29) / 30))}
mkdir -p /run/pdns-recursor
render /muster/recursor.conf.in /muster/recursor.conf
exec pdns_recursor --config-dir=/muster
