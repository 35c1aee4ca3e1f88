set -eu
. /muster/settings.sh
TARGET="$NAME=(\\[[0-9a-fA-F:.]+\\]|[A-Za-z0-9.-]+):$NUMBER"
setting MUSTER_CELL "$NAME" 'the name of the cell' haproxy
setting MUSTER_LISTEN "$ADDRESS( $ADDRESS)*" 'addresses, with one space between' ''
setting MUSTER_LISTEN_PORT "$NUMBER" 'a port' 80
setting MUSTER_TARGETS "$TARGET( $TARGET)*" 'targets, each as name=address:port, with one space between'
setting MUSTER_CHECK_PATH '/[!-~]*' 'a path' /
setting MUSTER_CHECK_EVERY_MS "$COUNT" 'milliseconds, at least 1' 10000
setting MUSTER_CHECK_TIMEOUT_MS "$COUNT" 'milliseconds, at least 1' 5000
setting MUSTER_CHECK_FALL "$COUNT" 'how many failures in a row' 2
setting MUSTER_CHECK_RISE "$COUNT" 'how many successes in a row' 2
setting MUSTER_CONNECT_MS "$COUNT" 'milliseconds, at least 1' 5000
setting MUSTER_IDLE_MS "$COUNT" 'milliseconds, at least 1' 60000
setting MUSTER_LOG_TO "(\\[[0-9a-fA-F:.]+\\]|[0-9.]+):$NUMBER" 'an address and a port' ''

# The addresses may be given to this network later than the program starts: `transparent` binds them all the same. The
# targets may have the port on other addresses of it, so it is not bound on all when addresses are named.
BINDS=
for address in $MUSTER_LISTEN; do
  # A kernel without IPv6 has no address to wait for.
  case $address in *:*) [ -e /proc/net/if_inet6 ] || continue ;; esac
  BINDS="$BINDS
    bind $(bracketed "$address"):$MUSTER_LISTEN_PORT transparent"
done
[ -n "$MUSTER_LISTEN" ] || BINDS="
    bind :::$MUSTER_LISTEN_PORT v4v6"
SERVERS=
for target in $MUSTER_TARGETS; do
  SERVERS="$SERVERS
    server ${target%%=*} ${target#*=}"
done
# As one word of the configuration, whatever is in it.
CHECKED="'$(printf '%s' "$MUSTER_CHECK_PATH" | sed "s/'/'\\\\''/g")'"
render /muster/haproxy.cfg.in /muster/haproxy.cfg
haproxy -c -q -f /muster/haproxy.cfg || refuse 'HAProxy takes no such configuration; it says why above'
# With a master before it HAProxy obeys a stop though it is the first process.
exec haproxy -W -db -f /muster/haproxy.cfg
