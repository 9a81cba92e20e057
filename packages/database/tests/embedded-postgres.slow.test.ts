import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { access, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { isRunning } from '@model-gateway/service-kit';
import { afterAll, expect, it } from 'vitest';
import { startEmbeddedPostgres } from '../src/embedded-postgres/index.ts';
import { stopLeftover } from '../src/embedded-postgres/leftover.ts';
import { locateBinaries } from '../src/embedded-postgres/locate-binaries.ts';
import {
  busyPort,
  NOBODY,
  newFolder,
  preparedFolder,
  removePreparedFolder,
  rowsOf,
  startInChild,
  startStranger,
} from './embedded-postgres-fixture.ts';

const isRoot = process.getuid?.() === 0;
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

afterAll(removePreparedFolder);

it('an embedded Postgres keeps its data and password across restarts, and does not run in between', async () => {
  await using folder = await newFolder();
  const first = await startEmbeddedPostgres(folder);
  await rowsOf(first.url, 'CREATE TABLE kept (id INT)', 'INSERT INTO kept VALUES (7)');
  await first.stop();
  expect(isRunning(first.pid)).toBe(false);
  await expect(rowsOf(first.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);

  const second = await startEmbeddedPostgres(folder);
  try {
    expect(await rowsOf(second.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
    expect(new URL(second.url).password).toBe(new URL(first.url).password);
    await second.stop();
    await expect(second.stop()).resolves.toBeUndefined();
  } finally {
    await second.stop();
  }
});

it('an embedded Postgres is private: folders 0700, files 0600, 127.0.0.1 only, never without the password', async () => {
  await using folder = await newFolder();
  const postgres = await startEmbeddedPostgres(folder);
  try {
    expect(await modeOf(folder.dataDir)).toBe(0o700);
    expect(await modeOf(join(folder.dataDir, 'cluster'))).toBe(0o700);
    expect(await modeOf(join(folder.dataDir, 'superuser-password'))).toBe(0o600);
    expect(await modeOf(join(folder.dataDir, 'postgres.log'))).toBe(0o600);
    expect(await rowsOf(postgres.url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await rowsOf(postgres.url, 'SHOW unix_socket_directories')).toEqual([
      { unix_socket_directories: '' },
    ]);
    const password = await readFile(join(folder.dataDir, 'superuser-password'), 'utf8');
    expect(new URL(postgres.url).password).toBe(password);
    await expect(rowsOf(postgres.url.replace(password, 'wrong'), 'SELECT 1')).rejects.toThrow(
      /password authentication failed/,
    );
  } finally {
    await postgres.stop();
  }
});

it('an embedded Postgres starts over after an interrupted first start', async () => {
  await using folder = await newFolder();
  await mkdir(join(folder.dataDir, 'cluster.unfinished', 'base'), { recursive: true });
  await writeFile(join(folder.dataDir, 'cluster.unfinished', 'PG_VERSION'), 'half');
  await writeFile(join(folder.dataDir, 'superuser-password'), 'an old and longer password '.repeat(4), {
    mode: 0o600,
  });
  const postgres = await startEmbeddedPostgres(folder);
  try {
    expect(await rowsOf(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await expect(access(join(folder.dataDir, 'cluster.unfinished'))).rejects.toThrow(/ENOENT/);
  } finally {
    await postgres.stop();
  }
});

it('stopping an embedded Postgres waits until it has ended, even in an idle process', async () => {
  await using folder = await preparedFolder();
  const program = `
    import { startEmbeddedPostgres } from '${new URL('../src/embedded-postgres/index.ts', import.meta.url)}';
    const postgres = await startEmbeddedPostgres(${JSON.stringify(folder)});
    const kill = process.kill.bind(process);
    // The server has ended, but the parent has not been told how.
    process.kill = (pid, signal) => {
      if (signal === 0) throw new Error('gone');
      return kill(pid, signal);
    };
    await postgres.stop();
    console.log('stopped:', await postgres.ended);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect([output, code]).toEqual(['stopped: exit code 0\n', 0]);
});

it('an embedded Postgres on a busy port refuses to start and says why', async () => {
  await using folder = await preparedFolder();
  await using busy = await busyPort();
  await expect(startEmbeddedPostgres({ ...folder, port: busy.port })).rejects.toThrow(
    new RegExp(`Postgres did not start: [^]*Address already in use[^]* on port ${busy.port}`),
  );
  const elsewhere = await startEmbeddedPostgres(folder);
  await elsewhere.stop();
});

it('the next start stops the Postgres of a killed process and keeps all data', async () => {
  await using folder = await preparedFolder();
  const child = await startInChild(folder.dataDir);
  await rowsOf(child.url, 'CREATE TABLE kept (id INT)', 'INSERT INTO kept VALUES (7)');
  await child.kill();
  expect(isRunning(child.pid)).toBe(true);
  expect(await rowsOf(child.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);

  const postgres = await startEmbeddedPostgres(folder);
  try {
    expect(postgres.pid).not.toBe(child.pid);
    expect(isRunning(child.pid)).toBe(false);
    expect(await rowsOf(postgres.url, 'SELECT id FROM kept')).toEqual([{ id: 7 }]);
  } finally {
    await postgres.stop();
  }
});

it('the next start does not stop a stranger that has reused the process id', async () => {
  await using folder = await preparedFolder();
  await using stranger = startStranger();
  const lockFile = join(folder.dataDir, 'cluster', 'postmaster.pid');
  await writeFile(lockFile, `${stranger.pid}\n${join(folder.dataDir, 'cluster')}\n`, { mode: 0o600 });

  const postgres = await startEmbeddedPostgres(folder);
  try {
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    expect(await rowsOf(postgres.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    await postgres.stop();
  }
});

it.each(['', 'no number\n', '1\n', '-1\n', '0\n', '99999999\n'])(
  'a lock file with %j stops no process',
  async (content) => {
    await using folder = await newFolder();
    await mkdir(join(folder.dataDir, 'cluster'), { recursive: true });
    await writeFile(join(folder.dataDir, 'cluster', 'postmaster.pid'), content);
    await expect(stopLeftover(join(folder.dataDir, 'cluster'))).resolves.toBeUndefined();
  },
);

it('an ordinary user may run an embedded Postgres', async ({ skip }) => {
  if (!isRoot) skip('the tests run as an ordinary user: all of the above has shown it');
  const { postgres } = locateBinaries();
  for (const path of [process.execPath, postgres, import.meta.filename]) {
    if (!readableByAll(path)) skip(`an ordinary user cannot read ${path}`);
  }
  await using folder = await newFolder(NOBODY);
  const child = await startInChild(folder.dataDir, NOBODY);
  expect(child.uid).toBe(NOBODY);
  expect((await stat(join(folder.dataDir, 'cluster'))).uid).toBe(NOBODY);
  expect(await rowsOf(child.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  expect(await child.stop()).toBe(0);
  expect(isRunning(child.pid)).toBe(false);
});

/** Returns true when all users can read the file and its folders. */
function readableByAll(path: string): boolean {
  const folders = path.split('/').map((_, index, parts) => parts.slice(0, index).join('/') || '/');
  return folders.every((each) => (statSync(each).mode & 0o001) !== 0) && (statSync(path).mode & 0o004) !== 0;
}
