import { z } from 'zod';
import { ReadingStore } from '../database/reading-store.ts';

const MAX_TABLES = 12;

const bytes = z.string().transform(Number);
const facts = z.tuple([
  z.object({
    version: z.string(),
    sizeBytes: bytes,
    connections: z.int(),
    maxConnections: z.int(),
  }),
]);
const tables = z.array(z.object({ name: z.string(), sizeBytes: bytes, rows: bytes.nullable() }));
const replicas = z.array(
  z.object({ name: z.string(), state: z.string().nullable(), lagSeconds: z.number().nullable() }),
);

/** Reads how large the database is, and who replicates it, from what Postgres knows without a scan. */
export class StorageStore extends ReadingStore {
  async read(signal: AbortSignal) {
    const startedAtMs = performance.now();
    const [database] = await this.query(facts, signal)`
      SELECT current_setting('server_version') AS version,
        pg_database_size(current_database())::text AS "sizeBytes",
        (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database()) AS connections,
        current_setting('max_connections')::int AS "maxConnections"`;
    const latencyMs = Math.round(performance.now() - startedAtMs);
    return {
      ...database,
      latencyMs,
      tables: await this.#tables(signal),
      replicas: await this.#replicas(signal),
    };
  }

  /** Lists the largest tables with their indexes. A partitioned table is one. Rows: null before ANALYZE. */
  async #tables(signal: AbortSignal) {
    return await this.query(tables, signal)`
      SELECT COALESCE(parent.relname, c.relname) AS name,
        sum(pg_total_relation_size(c.oid))::text AS "sizeBytes",
        round(sum(c.reltuples) FILTER (WHERE c.reltuples >= 0))::bigint::text AS rows
      FROM pg_class AS c
      LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
      LEFT JOIN pg_class AS parent ON parent.oid = i.inhparent
      WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
      GROUP BY 1 ORDER BY sum(pg_total_relation_size(c.oid)) DESC LIMIT ${MAX_TABLES}`;
  }

  async #replicas(signal: AbortSignal) {
    return await this.query(replicas, signal)`
      SELECT COALESCE(NULLIF(application_name, ''), client_addr::text, 'replica') AS name, state,
        extract(epoch FROM replay_lag)::float8 AS "lagSeconds"
      FROM pg_stat_replication ORDER BY 1`;
  }
}
