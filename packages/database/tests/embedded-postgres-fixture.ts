import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client, type QueryResultRow } from 'pg';
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';

export const NOBODY = 65_534;
const EMBEDDED_POSTGRES = fileURLToPath(new URL('../src/embedded-postgres/index.ts', import.meta.url));

export interface Folder {
  /** Does not exist yet. */
  dataDir: string;
  [Symbol.asyncDispose](): Promise<void>;
}

/** @param owner default: the user of this process */
export async function newFolder(owner?: number): Promise<Folder> {
  const parent = await mkdtemp(join(tmpdir(), 'model-gateway-embedded-'));
  if (owner !== undefined) await chown(parent, owner, owner);
  await chmod(parent, 0o755);
  return {
    dataDir: join(parent, 'postgres'),
    [Symbol.asyncDispose]: () => rm(parent, { recursive: true, force: true }),
  };
}

let prepared: Promise<Folder> | undefined;

/**
 * Copies a folder with a Postgres that was started and stopped once, because that takes most of a first
 * start.
 */
export async function preparedFolder(): Promise<Folder> {
  prepared ??= prepareFolder();
  const [original, folder] = await Promise.all([prepared, newFolder()]);
  await cp(original.dataDir, folder.dataDir, { recursive: true });
  return folder;
}

async function prepareFolder(): Promise<Folder> {
  const folder = await newFolder();
  await (await startEmbeddedPostgres(folder)).stop();
  return folder;
}

export async function removePreparedFolder(): Promise<void> {
  await (await prepared)?.[Symbol.asyncDispose]();
  prepared = undefined;
}

export async function rowsOf<Row extends QueryResultRow>(
  url: string,
  ...statements: string[]
): Promise<Row[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    let rows: Row[] = [];
    for (const statement of statements) ({ rows } = await client.query<Row>(statement));
    return rows;
  } finally {
    await client.end();
  }
}

interface StartedInChild {
  url: string;
  /** The process id of Postgres. */
  pid: number;
  /** The user id of the child. */
  uid: number;
}

/** Runs an embedded Postgres in another process until its standard input ends. */
export async function startInChild(dataDir: string, uid?: number) {
  const script = `
    const { startEmbeddedPostgres } = await import(process.argv[1]);
    const postgres = await startEmbeddedPostgres({ dataDir: process.argv[2] });
    console.log(JSON.stringify({ url: postgres.url, pid: postgres.pid, uid: process.getuid() }));
    process.stdin.resume().once('end', () => postgres.stop());`;
  const child = spawn(
    process.execPath,
    ['--input-type=module', '--eval', script, EMBEDDED_POSTGRES, dataDir],
    {
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line'),
    exited.then(([code]) => {
      throw new Error(`the child ended with ${code}: ${errors}`);
    }),
  ]);
  const started: StartedInChild = JSON.parse(String(line));
  return {
    ...started,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    async stop(): Promise<unknown> {
      child.stdin.end();
      const [code] = await exited;
      return code;
    },
  };
}

export function startStranger(): ChildProcess & AsyncDisposable {
  const stranger = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const exited = once(stranger, 'exit');
  return Object.assign(stranger, {
    async [Symbol.asyncDispose]() {
      stranger.kill('SIGKILL');
      await exited;
    },
  });
}

/** Listens on a port without ever sending anything. */
export async function busyPort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no TCP port');
  return {
    port: address.port,
    async [Symbol.asyncDispose]() {
      server.close();
    },
  };
}
