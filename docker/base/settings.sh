# Reads a container's settings from its environment; sourced by the entry scripts.
#
# Nothing is guessed: a setting that is missing, malformed, or not one that this program has, ends the container with a
# line that says so.

NAME='[A-Za-z0-9_.-]+'
ADDRESS='[0-9a-fA-F.:]+'
NUMBER='(0|[1-9][0-9]*)'
COUNT='[1-9][0-9]*'

refuse() {
  printf 'muster: %s\n' "$*" >&2
  exit 2
}

# setting VARIABLE PATTERN WHAT-IT-IS [DEFAULT]: holds a variable against an extended regular expression. One without a
# default must be set; a default that is empty means that it may be left out.
setting() {
  eval "value=\${$1:-}"
  if [ -z "$value" ]; then
    [ $# -ge 4 ] || refuse "$1 is not set; expected $3"
    eval "$1=\$4"
  elif printf '%s\n' "$value" | grep -Eqvx -- "$2"; then
    refuse "$1=$value; expected $3"
  fi
}

# lacks VARIABLE WHY: refuses a setting that this program has not.
lacks() {
  eval "value=\${$1:-}"
  [ -z "$value" ] || refuse "$1=$value cannot be had: $2; leave it out, or take another image"
}

# render TEMPLATE FILE: writes the template with its ${…} replaced, by the shell's own rules.
render() {
  eval "cat >'$2' <<END-OF-TEMPLATE
$(cat "$1")
END-OF-TEMPLATE
"
}

# bracketed ADDRESS: as it stands before a port, [2001:db8::1] or 192.0.2.1.
bracketed() {
  case $1 in *:*) printf '[%s]' "$1" ;; *) printf '%s' "$1" ;; esac
}

# Which zone a resolver forwards, and to whom.
zone_settings() {
  setting MUSTER_ZONE "$NAME" 'the zone that is forwarded, as example.test'
  setting MUSTER_AUTHORITY "$ADDRESS" 'the address of its authoritative server'
  setting MUSTER_AUTHORITY_PORT "$NUMBER" 'a port' 53
  setting MUSTER_TTL_FLOOR "$NUMBER" 'whole seconds' ''
  setting MUSTER_SERVE_STALE "$COUNT" 'for how many seconds an expired answer may be given' ''
}

# Who asks, what, and how often.
client_settings() {
  setting MUSTER_CLIENT "$NAME" 'the name of this client'
  setting MUSTER_URL 'https?://[A-Za-z0-9._~:/?=&%-]+' 'what is asked for, as http://name:port/path'
  setting MUSTER_EVERY_MS "$COUNT" 'milliseconds, at least 1' 1000
  setting MUSTER_TIMEOUT_MS "$COUNT" 'milliseconds, at least 1' 5000
}

# seconds MILLISECONDS: as curl and sleep want them.
seconds() {
  printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}
