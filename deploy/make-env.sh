#!/bin/sh
# Writes the secrets and settings that docker-compose.yml needs into .env (mode 0600, ignored by git):
#   deploy/make-env.sh [FILE]
# Keeps existing values, so you can run it again.
set -eu
umask 077
file=${1:-$(dirname "$0")/../.env}
[ -e "$file" ] || : > "$file"
chmod 600 "$file"
# Otherwise the first added line would join a last line without a line end.
[ -z "$(tail -c 1 "$file")" ] || echo >> "$file"

# add NAME VALUE: writes NAME=VALUE unless NAME has a value
add() {
  grep -q "^$1=..*" "$file" && return
  # A line without a value, as in a copy of .env.example, is replaced.
  if grep -q "^$1=\$" "$file"; then
    sed "/^$1=\$/d" "$file" > "$file.new"
    cat "$file.new" > "$file"
    rm "$file.new"
  fi
  printf '%s=%s\n' "$1" "$2" >> "$file"
  echo "$1"
}
# 32 random bytes in hexadecimal, which needs no quoting in a URL
secret() { od -An -v -tx1 -N32 /dev/urandom | tr -d ' \n'; }

added=$(
  add POSTGRES_PASSWORD "$(secret)"
  add INTERNAL_TOKEN "$(secret)"
  add ADMIN_TOKEN "$(secret)"
  add API_KEY_LOOKUP_PEPPER "$(secret)"
  add SESSION_SECRET "$(secret)"
  add COMPOSE_PROFILES simulated,dashboard
  add EXPECTED_REPLICAS 2
)
if [ -n "$added" ]; then echo "$file: added" $added; else echo "$file: nothing to add"; fi
