import { appendFile, cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyMigrations, createDatabase, databaseUrl } from '@model-gateway/database';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import { chooseRunAs } from '../../database/src/embedded-postgres/run-as.ts';
import { chownLike, copyByHand } from './base-backup.ts';
import { freePort } from './free-port.ts';
import { openSql } from './open-sql.ts';
import { makeScratchFolder } from './scratch-folder.ts';
import { startTcpProxy } from './tcp-proxy.ts';
import { until } from './until.ts';

const DATABASE = 'gateway';
const STREAMING_MS = 120_000;

/** A Postgres that belongs to one test, with a standby that follows it, behind one address. */
export interface ReplicatedPostgres extends AsyncDisposable {
  /** The URL of a migrated database, at an address that leads to the primary. */
  databaseUrl: string;
  /** Cuts the standby off from the primary, so that it misses everything committed from now on. */
  fallBehind(): void;
  /**
   * Sends SIGKILL to the primary. The address breaks every connection, and leads to the standby, which is
   * read-only until it is promoted.
   */
  losePrimary(): void;
  /** Makes the standby the primary. */
  promote(): Promise<void>;
}

/** @param synchronous true if a commit waits until the standby has it */
export async function startReplicatedPostgres(synchronous: boolean): Promise<ReplicatedPostgres> {
  await using stack = new AsyncDisposableStack();
  const folder = await makeScratchFolder('model-gateway-replicated-');
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const primary = await startEmbeddedPostgres({ dataDir: join(folder, 'primary') });
  stack.defer(() => primary.stop());
  await createDatabase(primary.url, DATABASE);
  await applyMigrations(databaseUrl(primary.url, DATABASE));

  const replication = stack.use(await startTcpProxy(primary.port, '127.0.0.1'));
  const standby = await startStandby(primary, folder, replication.port);
  stack.defer(() => standby.stop());
  await using sql = openSql(primary.url);
  await until(
    async () => (await sql.rows("SELECT FROM pg_stat_replication WHERE state = 'streaming'")).length === 1,
    STREAMING_MS,
  );
  if (synchronous) {
    await sql.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
    await sql.run('SELECT pg_reload_conf()');
    await until(
      async () => (await sql.rows("SELECT FROM pg_stat_replication WHERE sync_state = 'sync'")).length === 1,
      STREAMING_MS,
    );
  }
  const address = stack.use(await startTcpProxy(primary.port, '127.0.0.1'));
  const url = new URL(databaseUrl(primary.url, DATABASE));
  url.port = String(address.port);
  const owned = stack.move();
  return {
    databaseUrl: url.href,
    fallBehind: () => replication.cut(),
    losePrimary() {
      process.kill(primary.pid, 'SIGKILL');
      address.leadTo(standby.port);
    },
    async promote() {
      await using other = openSql(standby.url);
      await other.rows('SELECT pg_promote()');
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Copies a running server, and starts the copy as its standby. @param port where the standby reaches the
 * primary
 */
async function startStandby(
  primary: EmbeddedPostgres,
  folder: string,
  port: number,
): Promise<EmbeddedPostgres> {
  const from = chooseRunAs(join(folder, 'primary')).folder;
  const place = chooseRunAs(join(folder, 'standby')).folder;
  const cluster = join(place, 'cluster');
  await mkdir(place, { recursive: true });
  await copyByHand(primary, join(from, 'cluster'), cluster);
  await mkdir(join(cluster, 'pg_wal/archive_status'), { recursive: true, mode: 0o700 });
  await cp(join(from, 'superuser-password'), join(place, 'superuser-password'));
  await writeFile(join(cluster, 'standby.signal'), '');
  const { hostname, username, password } = new URL(primary.url);
  const source = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}`;
  await appendFile(join(cluster, 'postgresql.auto.conf'), `\nprimary_conninfo = '${source}'\n`);
  chownLike(cluster, place);
  return await startEmbeddedPostgres({ dataDir: join(folder, 'standby'), port: await freePort() });
}
