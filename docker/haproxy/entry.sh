set -eu
. /muster/settings.sh
TARGET="$NAME=(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9.-]+):$NUMBER"
setting MUSTER_TARGETS "$TARGET( $TARGET)*" 'targets, each as name=address:port, with one space between'
setting MUSTER_LISTEN_PORT "$NUMBER" 'a port' 80
setting MUSTER_CHECK_PATH '/[A-Za-z0-9._~/?=&%-]*' 'a path' /
setting MUSTER_CHECK_EVERY_MS "$COUNT" 'milliseconds, at least 1' 10000
setting MUSTER_CHECK_TIMEOUT_MS "$COUNT" 'milliseconds, at least 1' 5000
setting MUSTER_CHECK_FALL "$COUNT" 'how many failures in a row' 2
setting MUSTER_CHECK_RISE "$COUNT" 'how many successes in a row' 2
SERVERS=
for target in $MUSTER_TARGETS; do
  SERVERS="$SERVERS
    server ${target%%=*} ${target#*=}"
done
render /muster/haproxy.cfg.in /muster/haproxy.cfg
# With a master before it HAProxy obeys a stop though it is the first process.
exec haproxy -W -db -f /muster/haproxy.cfg
