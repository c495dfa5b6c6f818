#!/bin/sh
# Sets up a ladder and its web door on Debian, as root: install.sh club ladder.example.org
# Users, the folder /var/lib/arena/club, units of systemd, HTTPS by Caddy (docs/guides/serve.md).
set -eu
if [ $# != 2 ]; then
    echo "error: it needs two words / install.sh / install.sh club ladder.example.org" >&2
    exit 2
fi
name="$1" host="$2"
here="$(cd "$(dirname "$0")" && pwd)"

user() { id "$1" >/dev/null 2>&1 || useradd --system --no-create-home --home-dir /var/lib/arena "$@"; }
user arena
user arena-door --gid arena
install -d -o arena -g arena /var/lib/arena
[ -e "/var/lib/arena/$name" ] || runuser -u arena -- arena ladder init "/var/lib/arena/$name"

install -d /etc/arena
echo "DOOR=--behind-proxy --url https://$host" >"/etc/arena/$name.env"
[ ! -e /etc/caddy/Caddyfile ] || cp -n /etc/caddy/Caddyfile /etc/caddy/Caddyfile.before
sed "s/ladder.example.org/$host/" "$here/Caddyfile" >/etc/caddy/Caddyfile

install -m 644 "$here"/arena-*.service "$here"/arena-*.timer /etc/systemd/system/
systemctl daemon-reload
systemctl enable --now "arena-ladder@$name.service" "arena-ladder-backup@$name.timer" \
    "arena-door@$name.service"
systemctl reload-or-restart caddy
