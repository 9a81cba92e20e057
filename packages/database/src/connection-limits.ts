import { withClient } from './with-client.ts';

const TIMEOUT_MS = 5_000;

/** Connections that the URL's role may have to its database, all processes together. */
interface ConnectionLimits {
  /** Minimum of server, database and role, without those reserved for superusers. */
  allowed: number;
  /** Source of the limit: a server setting, or a property of the database or role. */
  setBy: string;
}

const QUERY = `
  SELECT (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true)::int, 0)) AS server,
    (SELECT datconnlimit FROM pg_database WHERE datname = current_database()) AS database,
    (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user) AS role`;

/** @throws the error of pg */
export async function readConnectionLimits(databaseUrl: string): Promise<ConnectionLimits> {
  const config = { connectionString: databaseUrl, query_timeout: TIMEOUT_MS };
  return await withClient(config, async (client) => {
    const { rows } = await client.query<{ server: number; database: number; role: number }>(QUERY);
    const [{ server, database, role } = { server: 0, database: -1, role: -1 }] = rows;
    const limits: ConnectionLimits[] = [
      { allowed: server, setBy: 'max_connections' },
      { allowed: database, setBy: 'CONNECTION LIMIT of the database' },
      { allowed: role, setBy: 'CONNECTION LIMIT of the role' },
    ];
    // -1: no limit.
    return limits
      .filter(({ allowed }) => allowed >= 0)
      .reduce((lowest, each) => (each.allowed < lowest.allowed ? each : lowest));
  });
}
