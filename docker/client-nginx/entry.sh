set -eu
. /muster/settings.sh
client_settings
setting MUSTER_RESOLVE "once|ttl|$NUMBER" 'once, ttl, or seconds' once
scheme=${MUSTER_URL%%://*}
rest=${MUSTER_URL#*://}
SERVER=$scheme://${rest%%/*}
case $rest in */*) path=/${rest#*/} ;; *) path=/ ;; esac
RESOLVER= SERVER_AT_RUN_TIME=
if [ "$MUSTER_RESOLVE" != once ]; then
  nameserver=$(sed -n 's/^nameserver  *//p' /etc/resolv.conf | head -n 1)
  VALID=
  [ "$MUSTER_RESOLVE" = ttl ] || VALID=" valid=${MUSTER_RESOLVE}s"
  RESOLVER="resolver $(bracketed "$nameserver")$VALID;"
  # With a variable in it nginx asks the resolver; a literal name it looks up when it starts.
  SERVER_AT_RUN_TIME="set \$server $SERVER;"
  SERVER='$server'
fi
render /muster/nginx.conf.in /muster/nginx.conf
nginx -c /muster/nginx.conf
trap 'exit 0' TERM INT
while :; do
  curl -s -o /dev/null -m "$(seconds "$MUSTER_TIMEOUT_MS")" -- "http://127.0.0.1$path" || :
  sleep "$(seconds "$MUSTER_EVERY_MS")" & wait $!
done
