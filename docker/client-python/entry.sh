set -eu
. /muster/settings.sh
client_settings
setting MUSTER_LIBRARY 'httpx|urllib3' 'httpx, or urllib3' httpx
setting MUSTER_RECYCLE_MS "$COUNT" 'milliseconds, at least 1' ''
export MUSTER_EVERY_MS MUSTER_TIMEOUT_MS MUSTER_LIBRARY MUSTER_RECYCLE_MS
exec python3 -u /muster/client.py
