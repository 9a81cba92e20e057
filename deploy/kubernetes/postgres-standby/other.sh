# Finds the other pod and its state; sourced by start.sh and promote.sh.
case $(hostname) in
  *-0) other=postgres-1 ;;
  *) other=postgres-0 ;;
esac
export PGPASSWORD="$POSTGRES_PASSWORD" PGCONNECT_TIMEOUT=2

# Usage: ask HOST SQL. For this pod's server, HOST is its socket directory.
ask() {
  psql --host "$1" --username postgres --dbname postgres --no-align --tuples-only --command "$2"
}

# Prints primary, standby, none (the pod runs, but nothing listens) or away.
other_is() {
  case $(ask "$other.postgres-peers" 'SELECT pg_is_in_recovery()' 2>&1) in
    f) echo primary ;;
    t) echo standby ;;
    *'onnection refused'*) echo none ;;
    *) echo away ;;
  esac
}
