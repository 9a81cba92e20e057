import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@model-gateway/test-kit/free-port';
import { until } from '@model-gateway/test-kit/until';
import { Client } from 'pg';

/** A PgBouncer in front of a Postgres, which gives a connection to each transaction. */
export interface PgBouncer extends AsyncDisposable {
  /** The URL of the same database through it. */
  through(databaseUrl: string): string;
}

/**
 * Starts one with its own defaults, and as few connections to Postgres as make transactions change them all the
 * time.
 */
export async function startPgBouncer(adminUrl: string, connections: number): Promise<PgBouncer> {
  const { hostname, password, port, username } = new URL(adminUrl);
  const folder = await mkdtemp(join(tmpdir(), 'model-gateway-pgbouncer-'));
  const listening = await freePort();
  const settings = [
    '[databases]',
    `* = host=${hostname} port=${port || 5432} user=${username} password=${password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${listening}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    `default_pool_size = ${connections}`,
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, settings.join('\n'), { mode: 0o644 });
  // It refuses to run as root, and reads its settings before it becomes another user.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asUser, file], { stdio: 'ignore' });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const through = (databaseUrl: string) => {
    const url = new URL(databaseUrl);
    url.host = `127.0.0.1:${listening}`;
    return url.href;
  };
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await until(() => canConnect(through(adminUrl)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { through, [Symbol.asyncDispose]: stop };
}

async function canConnect(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
