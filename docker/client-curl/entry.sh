set -eu
. /muster/settings.sh
client_settings
trap 'exit 0' TERM INT
while :; do
  curl -s -o /dev/null -m "$(seconds "$MUSTER_TIMEOUT_MS")" -H "x-muster-client: $MUSTER_CLIENT" -- "$MUSTER_URL" || :
  sleep "$(seconds "$MUSTER_EVERY_MS")" & wait $!
done
