set -eu
. /muster/settings.sh
zone_settings
lacks MUSTER_STALE_AFTER_MS 'only Unbound is told after how long it gives what is stale'
render /muster/dnsmasq.conf.in /muster/dnsmasq.conf
exec dnsmasq --keep-in-foreground --conf-file=/muster/dnsmasq.conf
