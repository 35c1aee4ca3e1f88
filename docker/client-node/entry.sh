set -eu
. /muster/settings.sh
client_settings
setting MUSTER_API 'fetch|http' 'fetch, or http' fetch
export MUSTER_EVERY_MS MUSTER_TIMEOUT_MS MUSTER_API
exec node /muster/client.mjs
