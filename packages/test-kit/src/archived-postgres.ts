import { spawnSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyMigrations, createDatabase, databaseUrl } from '@model-gateway/database';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import { z } from 'zod';
import { chooseRunAs } from '../../database/src/embedded-postgres/run-as.ts';
import { chownLike, copyByHand, copyFolder } from './base-backup.ts';
import { openSql } from './open-sql.ts';
import { until } from './until.ts';

const DATABASE = 'gateway';
/** The command's paths are relative to the data directory, where Postgres runs it. */
const ARCHIVE = 'test ! -f ../archive/%f && mkdir -p ../archive && cp %p ../archive/%f';

/** A Postgres of the test's own that archives its log. */
export interface ArchivedPostgres extends AsyncDisposable {
  /** The URL of a migrated database; the restored database has the same one. */
  databaseUrl: string;
  /** @returns how the backup was made */
  baseBackup(): Promise<string>;
  /** Resolves when everything that is committed is in the archive. */
  archiveAll(): Promise<void>;
  /**
   * Destroys the server and its data directory, and restores the backup and the archive up to `time` on the
   * same port.
   * @param time in the form in which Postgres writes it
   */
  loseAndRestore(time: string): Promise<void>;
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-archived-'));
  const dataDir = join(folder, 'first');
  let server = await startEmbeddedPostgres({ dataDir });
  const { port } = server;
  await createDatabase(server.url, DATABASE);
  const url = databaseUrl(server.url, DATABASE);
  await setting(server, 'archive_mode', 'on');
  await setting(server, 'archive_command', ARCHIVE);
  await server.stop();
  server = await startEmbeddedPostgres({ dataDir, port });
  await applyMigrations(url);
  const first = chooseRunAs(dataDir).folder;
  const backup = join(folder, 'backup');
  return {
    databaseUrl: url,
    async baseBackup() {
      if (await canUseBaseBackup(server)) {
        const result = spawnSync('pg_basebackup', [
          '--dbname',
          server.url,
          '--pgdata',
          backup,
          '--wal-method',
          'none',
          '--checkpoint',
          'fast',
        ]);
        if (result.status !== 0) throw new Error(`pg_basebackup failed: ${result.stderr}`);
        return 'pg_basebackup';
      }
      await copyByHand(server, join(first, 'cluster'), backup);
      return 'pg_backup_start and pg_backup_stop';
    },
    async archiveAll() {
      await using sql = openSql(server.url);
      const rows = z.tuple([z.object({ file: z.string() })]);
      const [{ file }] = rows.parse(await sql.rows('SELECT pg_walfile_name(pg_switch_wal()) AS file'));
      await until(
        async () =>
          (await sql.rows('SELECT FROM pg_stat_archiver WHERE last_archived_wal >= $1', file)).length === 1,
        60_000,
      );
    },
    async loseAndRestore(time) {
      process.kill(server.pid, 'SIGKILL');
      const restored = join(folder, 'second');
      const place = chooseRunAs(restored).folder;
      await mkdir(place, { recursive: true });
      const cluster = join(place, 'cluster');
      await copyFolder(backup, cluster);
      await mkdir(join(cluster, 'pg_wal/archive_status'), { recursive: true, mode: 0o700 });
      await cp(join(first, 'superuser-password'), join(place, 'superuser-password'));
      await writeFile(join(cluster, 'recovery.signal'), '');
      const settings = [
        `restore_command = 'cp "${join(first, 'archive')}/%f" "%p"'`,
        `recovery_target_time = '${time}'`,
        `recovery_target_action = 'promote'`,
        `archive_mode = 'off'`,
      ];
      await appendFile(join(cluster, 'postgresql.auto.conf'), `\n${settings.join('\n')}\n`);
      chownLike(backup, place);
      server = await startOnFreedPort(restored, port);
      await until(async () => {
        await using sql = openSql(server.url);
        return (await sql.rows('SELECT WHERE NOT pg_is_in_recovery()')).length === 1;
      });
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function setting(server: EmbeddedPostgres, name: string, value: string): Promise<void> {
  await using sql = openSql(server.url);
  await sql.run(`ALTER SYSTEM SET ${name} = '${value}'`);
}

/** Looks for a pg_basebackup of the server's major version; an older one refuses to work. */
async function canUseBaseBackup(server: EmbeddedPostgres): Promise<boolean> {
  const { stdout } = spawnSync('pg_basebackup', ['--version'], { encoding: 'utf8' });
  const ours = /(\d+)\./.exec(stdout ?? '')?.[1];
  await using sql = openSql(server.url);
  const rows = z.tuple([z.object({ major: z.string() })]);
  const [{ major }] = rows.parse(
    await sql.rows("SELECT (current_setting('server_version_num')::int / 10000)::text AS major"),
  );
  return ours === major;
}

/**
 * Starts Postgres as soon as the port and the shared memory are free: a child of the killed server may still
 * hold them.
 */
async function startOnFreedPort(dataDir: string, port: number): Promise<EmbeddedPostgres> {
  let server: EmbeddedPostgres | undefined;
  let last: unknown;
  await until(async () => {
    server = await startEmbeddedPostgres({ dataDir, port }).catch((error: unknown) => {
      last = error;
      return undefined;
    });
    return server !== undefined;
  }, 60_000).catch(() => undefined);
  if (server === undefined)
    throw new Error(`the restored Postgres does not start in ${dirname(dataDir)}`, { cause: last });
  return server;
}
