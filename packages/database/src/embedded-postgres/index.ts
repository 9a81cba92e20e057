import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { type Cluster, identity, openCluster, SUPERUSER } from './cluster.ts';
import { stopLeftover, stopServer } from './leftover.ts';
import { locateBinaries } from './locate-binaries.ts';
import { assertRunnable, chooseRunAs, type RunAs } from './run-as.ts';

export interface EmbeddedPostgresOptions {
  /** Holds cluster, password and log. */
  dataDir: string;
  /** Default: a free port. */
  port?: number;
  /** False for temporary data: faster, but lost in a crash. */
  durable?: boolean;
}

export interface EmbeddedPostgres {
  /** Superuser's URL of the database `postgres`. */
  url: string;
  pid: number;
  port: number;
  logFile: string;
  /** Resolves with how the server ended, such as `signal SIGKILL`. */
  ended: Promise<string>;
  stop(): Promise<void>;
}

const HOST = '127.0.0.1';
const LOG_FILE = 'postgres.log';
/** After a crash, Postgres first replays its log. */
const START_TIMEOUT_MS = 60_000;
/** Another program on the port may never reply. */
const CONNECT_TIMEOUT_MS = 2_000;
const PORT_TRIES = 5;

/**
 * Starts Postgres from npm packages on 127.0.0.1, after stopping one that a killed process left.
 * @throws with the end of its log
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const binaries = locateBinaries();
  const runAs = chooseRunAs(resolve(options.dataDir));
  assertRunnable(runAs, binaries.postgres);
  await stopLeftover(join(runAs.folder, 'cluster'));
  const cluster = await openCluster(binaries, runAs);
  for (let tries = 1; ; tries++) {
    const port = options.port ?? (await freePort());
    const server = spawnServer(binaries.postgres, runAs, cluster, port, options.durable ?? true);
    const url = `postgresql://${SUPERUSER}:${encodeURIComponent(cluster.password)}@${HOST}:${port}/postgres`;
    try {
      await waitUntilReady(server, url);
    } catch (cause) {
      await stopChild(server);
      const log = logTail(runAs);
      // Another program took the free port.
      if (options.port === undefined && tries < PORT_TRIES && log.includes('Address already in use'))
        continue;
      throw new Error(`Postgres did not start: ${log}`, { cause });
    }
    const { pid } = server;
    if (pid === undefined) throw new Error('Postgres has no process id');
    const ended = hasEnded(server) ? Promise.resolve() : once(server, 'exit');
    const stop = async () => {
      // Keeps this process alive while it waits: the child alone does not.
      server.ref();
      await stopChild(server);
      await ended;
    };
    return {
      url,
      pid,
      port,
      logFile: join(runAs.folder, LOG_FILE),
      ended: ended.then(() => howEnded(server)),
      stop,
    };
  }
}

function spawnServer(
  postgres: string,
  runAs: RunAs,
  cluster: Cluster,
  port: number,
  durable: boolean,
): ChildProcess {
  const settings = {
    listen_addresses: HOST,
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  const [command = '', ...args] = [
    ...runAs.prefix,
    postgres,
    '-D',
    cluster.folder,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const log = openSync(join(runAs.folder, LOG_FILE), 'a', 0o600);
  try {
    const server = spawn(command, args, {
      ...identity(runAs),
      cwd: '/',
      detached: true,
      stdio: ['ignore', log, log],
    });
    // A failed start has no process id, which is checked below; without a listener, this event would end the
    // caller.
    server.on('error', () => undefined);
    server.unref();
    return server;
  } finally {
    closeSync(log);
  }
}

async function waitUntilReady(server: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  for (;;) {
    if (hasEnded(server)) throw new Error('Postgres ended');
    const client = new Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      if (performance.now() > deadline) throw new Error('Postgres does not answer', { cause });
      await wait(20);
    }
  }
}

/** Stops the server only if it still runs: otherwise its process id may belong to another process. */
async function stopChild(server: ChildProcess): Promise<void> {
  if (server.pid !== undefined && !hasEnded(server)) await stopServer(server.pid);
}

function howEnded({ exitCode, signalCode }: ChildProcess): string {
  return signalCode === null ? `exit code ${exitCode}` : `signal ${signalCode}`;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function logTail(runAs: RunAs): string {
  const file = join(runAs.folder, LOG_FILE);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : 'no log';
}

function freePort(): Promise<number> {
  return new Promise((resolvePort, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, HOST, () => {
      const address = probe.address();
      probe.close(() => {
        if (address !== null && typeof address === 'object') resolvePort(address.port);
        else reject(new Error('no free port'));
      });
    });
  });
}
