import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as wait } from 'node:timers/promises';
import { isRunning } from '@model-gateway/service-kit';
import { until } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevelopmentFile, readDevelopmentFile } from '../src/data-dir/development-file.ts';
import {
  gatewayctl,
  type NpmStart,
  npmStart,
  pidOf,
  stillRunning,
  type TemporaryDirectory,
  temporaryDirectory,
} from './npm-start.ts';

const BACK_MS = 120_000;
const PAYING_CLIENTS = 3;
const PROVIDER_MS = 100;
const ACCOUNT = ['--account', 'you@example.com'];
const MANY = ['--paid-per-minute', '1000000', '--reads-per-minute', '1000000'];

/** The work that each process must resume after its restart. */
const PROCESSES: [name: string, works: (file: DevelopmentFile) => Promise<boolean>][] = [
  ['data_plane', async (file) => (await pay(file)) !== undefined],
  ['control_plane', async (file) => (await pay(file)) !== undefined],
  ['postgres', async (file) => (await pay(file)) !== undefined],
  ['simulated_provider', async (file) => (await pay(file)) !== undefined],
  ['catalog', ({ base_url: url }) => isOk(`${url}/models`)],
  ['dashboard', ({ dashboard_url: url }) => isOk(`${url}/`)],
];

describe('npm start', () => {
  let directory: TemporaryDirectory;
  let start: NpmStart;
  let first: DevelopmentFile;

  beforeAll(async () => {
    directory = temporaryDirectory();
    start = npmStart(directory.path);
    first = await start.running();
  });
  afterAll(() => directory?.[Symbol.asyncDispose]());

  it('starts again what crashes, where it was, and loses nothing that was settled', async () => {
    await gatewayctl(directory.path, 'limits', 'set', ...ACCOUNT, ...MANY);
    const load = payingClients(first);
    const settled: string[] = [];
    for (const [name, works] of PROCESSES) {
      let id: string | undefined;
      await until(async () => {
        id ??= await pay(first);
        return id !== undefined && (await isSettled(first, id));
      }, BACK_MS);
      settled.push(id ?? '');
      const { pids } = current(directory.path);
      const pid = pidOf({ pids }, name);
      process.kill(pid, 'SIGKILL');
      await until(() => {
        const now = current(directory.path).pids[name] ?? 0;
        return now !== pid && isRunning(now);
      }, BACK_MS);
      await until(() => works(first), BACK_MS);
      const { pids: after, ...facts } = current(directory.path);
      expect({ ...facts, pids: first.pids }).toEqual(first);
      // The other processes have not been restarted.
      expect({ ...after, [name]: pid }, start.errors()).toEqual(pids);
      expect(stillRunning({ pids: after })).toHaveLength(7);
    }
    const paid = await load.stop();
    expect(paid.length).toBeGreaterThan(PROCESSES.length);
    for (const id of settled) expect(await isSettled(first, id), id).toBe(true);
    await gatewayctl(directory.path, 'verify-ledger');
  });

  it('gives up after five crashes within a minute, with the end of the log, and stops the rest', async () => {
    let ended = false;
    void start.exitCode.then(() => {
      ended = true;
    });
    // It has crashed before in these tests. npm start counts the crashes, and says how many there were.
    while (!ended) {
      const pid = pidOf(current(directory.path), 'simulated_provider');
      process.kill(pid, 'SIGKILL');
      await until(() => ended || current(directory.path).pids.simulated_provider !== pid, BACK_MS);
    }
    expect(await start.exitCode).toBe(1);
    const [, ...lines] = start
      .errors()
      .split('simulated-provider ended unexpectedly 5 times within a minute');
    expect(lines.join()).toContain('simulated-provider.log:\n');
    const log = readFileSync(join(directory.path, 'logs/simulated-provider.log'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.join()).toContain(`npm start: ${log.at(-1)}\n`);
    expect(stillRunning(current(directory.path))).toEqual([]);
  });
});

function current(dataDir: string): DevelopmentFile {
  const file = readDevelopmentFile(dataDir);
  if (file === undefined) throw new Error('there is no dev.json');
  return file;
}

/** Makes a paid chat. @returns its request id; undefined when it was not answered */
async function pay({ base_url: url, api_key: key }: DevelopmentFile): Promise<string | undefined> {
  try {
    const response = await fetch(`${url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'simulated/chat-pro',
        messages: [{ role: 'user', content: 'hi' }],
        max_tokens: 5,
        // The chat spends most of its time at the provider, which is when a crash hits it. That takes no CPU
        // time from the process that is starting.
        simulate: { delay_ms: PROVIDER_MS },
      }),
      signal: AbortSignal.timeout(BACK_MS),
    });
    await response.text();
    return response.ok ? (response.headers.get('x-request-id') ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if the request has a receipt with a price. */
async function isSettled({ base_url: url, api_key: key }: DevelopmentFile, id: string): Promise<boolean> {
  const response = await fetch(`${url}/usage/requests/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  }).catch(() => undefined);
  return response?.status === 200 && (await response.text()).includes('"settled_usd"');
}

async function isOk(url: string): Promise<boolean> {
  const response = await fetch(url).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.ok ?? false;
}

/** Starts clients that make paid chats all the time. @returns the ids of the answered requests */
function payingClients(file: DevelopmentFile): { stop(): Promise<string[]> } {
  const answered: string[] = [];
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const id = await pay(file);
      if (id !== undefined) answered.push(id);
      // Clients pause after a refusal. Without a pause, they would keep the machine from starting what they
      // ask for.
      else await wait(PROVIDER_MS);
    }
  };
  const clients = Array.from({ length: PAYING_CLIENTS }, client);
  return {
    async stop() {
      stopped = true;
      await Promise.all(clients);
      return answered;
    },
  };
}
