#!/bin/sh
# Sets up a ladder and its web door on Debian, as root: install.sh club ladder.example.org
# Users, the folder /var/lib/arena/club, units of systemd, HTTPS by Caddy (docs/guides/serve.md).
# Once more for a ladder beside it, with its own name and its own host: each has a port of its own.
set -eu
refuse() { echo "error: $1 / install.sh / install.sh club ladder.example.org" >&2; exit 2; }
[ $# = 2 ] || refuse "it needs two words"
name="$1" host="$2"
here="$(cd "$(dirname "$0")" && pwd)"
case "$name" in "" | [!A-Za-z0-9]* | *[!A-Za-z0-9_-]*)
    refuse "the name of a ladder here has letters of the English alphabet, digits, - and _" ;;
esac
case "$host" in "" | [!A-Za-z0-9]* | *[!A-Za-z0-9.-]*) refuse "'$host' is no name of a machine" ;; esac

user() { id "$1" >/dev/null 2>&1 || useradd --system --no-create-home --home-dir /var/lib/arena "$@"; }
user arena
user arena-door --gid arena
install -d -o arena -g arena /var/lib/arena
[ -e "/var/lib/arena/$name" ] || runuser -u arena -- arena ladder init "/var/lib/arena/$name"

# The port that the door has already, or the first one that no other has.
port_of() { sed -n 's/.*--port \([0-9]*\).*/\1/p' "$1" | grep . || echo 8500; }
install -d /etc/arena /etc/caddy/arena
env="/etc/arena/$name.env" port=8500
if [ -e "$env" ]; then
    port="$(port_of "$env")"
else
    while for other in /etc/arena/*.env; do [ ! -e "$other" ] || port_of "$other"; done | grep -qx "$port"
    do port=$((port + 1)); done
fi
echo "DOOR=--port $port --behind-proxy --url https://$host" >"$env"
sed "s/ladder.example.org/$host/; s/8500/$port/" "$here/Caddyfile" >"/etc/caddy/arena/$name.caddy"
import="import /etc/caddy/arena/*.caddy"
grep -qsFx "$import" /etc/caddy/Caddyfile || echo "$import" >>/etc/caddy/Caddyfile

install -m 644 "$here"/arena-*.service "$here"/arena-*.timer /etc/systemd/system/
systemctl daemon-reload
systemctl enable --now "arena-ladder@$name.service" "arena-ladder-backup@$name.timer" \
    "arena-door@$name.service"
systemctl reload-or-restart caddy
