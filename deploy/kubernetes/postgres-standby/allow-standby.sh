# Run once by the image after it created a database: the other pod can copy it, and every commit waits for it.
echo 'host replication all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
psql --username "$POSTGRES_USER" --dbname postgres --command "ALTER SYSTEM SET synchronous_standby_names = '*'"
