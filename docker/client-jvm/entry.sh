set -eu
. /muster/settings.sh
client_settings
setting MUSTER_DNS_CACHE "default|forever|$NUMBER" 'default, forever, or seconds' default
setting MUSTER_KEEP_ALIVE 'yes|no' 'yes, or no' no
case $MUSTER_DNS_CACHE in
default) set -- ;;
forever) set -- -Dsun.net.inetaddr.ttl=-1 ;;
*) set -- -Dsun.net.inetaddr.ttl="$MUSTER_DNS_CACHE" ;;
esac
[ "$MUSTER_KEEP_ALIVE" = yes ] || set -- "$@" -Dhttp.keepAlive=false
export MUSTER_EVERY_MS MUSTER_TIMEOUT_MS
exec java -Xmx32m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 "$@" -cp /muster Client
