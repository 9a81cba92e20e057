import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { STARTED } from '@model-gateway/service-kit';
import { until } from '@model-gateway/test-kit';
import { freePort } from '@model-gateway/test-kit/free-port';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RestartedProcesses } from './restarted-processes.ts';

/** Listens on its port, but in its second run pretends that another program was faster. */
const PROGRAM = `import { appendFileSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
appendFileSync(process.env.RUNS, '.');
const snatched = process.env.SNATCHED === 'true' && readFileSync(process.env.RUNS, 'utf8').length === 2;
const fail = (error) => {
  console.error('could not start: ' + error.message);
  process.exit(1);
};
if (snatched) fail(new Error('listen EADDRINUSE: address already in use'));
createServer((_req, res) => res.end()).on('error', fail)
  .listen(process.env.PORT, '127.0.0.1', () => process.send('${STARTED}'));
process.on('disconnect', () => process.exit());`;

describe('a restarted process whose port another program has taken', () => {
  let dataDir: string;
  let port: number;
  let said: string[];
  let processes: RestartedProcesses;

  beforeEach(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'restarted-processes-'));
    writeFileSync(join(dataDir, 'program.mjs'), PROGRAM);
    port = await freePort();
    said = [];
    const { signal } = new AbortController();
    processes = new RestartedProcesses({ dataDir, signal, report: (line) => said.push(line) });
  });
  afterEach(async () => {
    await processes[Symbol.asyncDispose]();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(SNATCHED = 'false'): Promise<void> {
    await processes.start({
      name: 'program',
      program: pathToFileURL(join(dataDir, 'program.mjs')),
      environment: { RUNS: join(dataDir, 'runs'), SNATCHED },
      ports: { PORT: port },
      readyPort: 'PORT',
      readyPath: '/',
    });
  }

  const kill = () => process.kill(processes.ids.program ?? 0, 'SIGKILL');
  const crashed = () =>
    `program ended unexpectedly (signal SIGKILL); starting it again in 0.25 s, see ${dataDir}/logs/program.log`;
  const waits = () => `program waits until no other program uses its ports (${port})`;

  it('waits until the port is free, however long, and then runs on it', async () => {
    await start();
    kill();
    const other = await takePort(port);
    await until(() => said.length === 2);
    // A second crash would be reported within half a second.
    await wait(1_000);
    expect(said).toEqual([crashed(), waits()]);
    other.close();
    await until(() => said.length === 3);
    expect(said[2]).toBe('program runs again');
    expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(200);
  });

  it('tries again, without a further crash, if the port was taken while it started', async () => {
    await start('true');
    kill();
    await until(() => said.length === 3);
    expect(said).toEqual([crashed(), waits(), 'program runs again']);
  });

  it('can be stopped while it waits', async () => {
    await start();
    kill();
    const other = await takePort(port);
    await until(() => said.length === 2);
    await processes[Symbol.asyncDispose]();
    other.close();
    expect(said).toEqual([crashed(), waits()]);
  });
});

/** Takes a port as soon as the program that had it is gone. */
async function takePort(port: number): Promise<Server> {
  for (;;) {
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch {
      // The program is not gone yet.
    }
  }
}
