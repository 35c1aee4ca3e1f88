set -eu
. /muster/settings.sh
zone_settings
lacks MUSTER_STALE_AFTER_MS 'only Unbound is told after how long it gives what is stale'
render /muster/named.conf.in /muster/named.conf
exec named -g -u bind -n 1 -c /muster/named.conf
