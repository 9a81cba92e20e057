#!/bin/sh
# nginx, which wants the address of its DNS server, not the name; and beside it a loop that has it read its
# configuration again if that address should change.
set -eu
conf=/etc/nginx/gateway/nginx.conf
address() { getent hosts members | { read -r first _ && echo "$first"; }; }
write() { echo "resolver $1:5353 valid=1s ipv6=off;" > /tmp/resolver.conf; }

until current=$(address); do sleep 0.2; done
write "$current"
while sleep 2; do
  now=$(address) || continue
  if [ "$now" != "$current" ]; then
    write "$now"
    nginx -q -c "$conf" -s reload && current=$now
  fi
done &
exec nginx -c "$conf" -g 'daemon off;'
