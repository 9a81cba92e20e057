import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { simulatedCatalog, startGateway, until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { limitMemory } from '../../hostile/memory-limit.ts';
import { watchMemory } from '../../hostile/resident-memory.ts';
import { spawnDataPlane } from '../../process/data-plane-process.ts';
import type { HonestFigures } from './honest-thread.ts';

const MEBIBYTE = 1024 * 1024;
/** The memory limit in docker-compose.yml. */
const MEMORY_BYTES = 512 * MEBIBYTE;
const HONEST_KEYS = 4;
const ALL_ATTACKS_MS = 120_000;

/** The number of each outcome, by attack. */
type HostileAnswers = Record<string, Record<string, number>>;

export interface HostileDrillOptions {
  quietMs: number;
  attackMs: number;
}

/**
 * Runs a data plane with the memory of docker-compose.yml, one hostile key without rate limits that attacks
 * in every way at once, and honest keys. The process must live, and serve the honest keys.
 */
export async function hostileDrill({ quietMs, attackMs }: HostileDrillOptions): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const startThread = (file: string, workerData?: unknown) =>
    stack.adopt(new Worker(new URL(file, import.meta.url), { workerData }), async (thread) => {
      await thread.terminate();
    });
  const provider = startThread('../../hostile/fat-provider-thread.ts');
  const [providerPort] = await once(provider, 'message');
  const gateway = stack.use(
    await startGateway({
      dataPlanes: 0,
      // No account has money, so that paid requests are refused after their body was read.
      ownPools: true,
      document: () => simulatedCatalog(`http://127.0.0.1:${providerPort}/v1`),
    }),
  );
  const limit = limitMemory(MEMORY_BYTES);
  if (limit !== undefined) stack.use(limit);
  // Without a memory limit, at least the heap has the size that it would have with one.
  const environment: Record<string, string> =
    limit === undefined ? { NODE_OPTIONS: '--max-old-space-size=256' } : {};
  const plane = stack.use(await spawnDataPlane(gateway, 1_000, environment, limit?.procsFile));
  const port = Number(new URL(plane.baseUrl).port);
  const keys = await Promise.all(Array.from({ length: HONEST_KEYS + 1 }, () => gateway.createKey()));
  const [hostileKey = '', ...honestKeys] = keys.map(({ rawKey }) => rawKey);
  await until(async () => (await fetch(`${plane.baseUrl}/health`)).ok);

  const honest = startThread('./honest-thread.ts', { port, rawKeys: honestKeys });
  const figures = async (): Promise<HonestFigures> => {
    honest.postMessage('');
    return (await once(honest, 'message'))[0];
  };
  await until(async () => (await figures()).served > 0);
  await figures();
  await wait(quietMs);
  const quiet = await figures();

  const memory = watchMemory(plane.child.pid ?? 0);
  const attacker = startThread('./attacker-thread.ts', { port, rawKey: hostileKey });
  const dead = plane.exit.then(([code, signal]) => {
    throw new Error(`the data plane is dead: ${signal ?? code}`);
  });
  const hostile = async (): Promise<HostileAnswers> => {
    attacker.postMessage('');
    return (await once(attacker, 'message'))[0];
  };
  const attack = async () => {
    await hostile();
    await figures();
    await wait(attackMs);
    // On a busy machine the attacks are slow: each must have run at least once.
    await until(
      async () => Object.values(await hostile()).every((counts) => sum(counts) > 0),
      ALL_ATTACKS_MS,
    );
  };
  await Promise.race([attack(), dead]);
  const beside = await figures();
  const answers = await hostile();
  await attacker.terminate();
  const rise = memory.stop();

  const lines = Object.entries(answers).map(
    ([name, counts]) => `hostile, ${name}: ${JSON.stringify(counts)}`,
  );
  console.info(
    [
      `one hostile key among ${HONEST_KEYS} honest ones, ${attackMs / 1_000} s, ${limit === undefined ? 'no limit of memory could be set' : '512 MiB of memory'}`,
      `honest, in quiet: ${lineOf(quiet)}`,
      `honest, beside it: ${lineOf(beside)}`,
      `memory: ${Math.round((memory.idleBytes + rise) / MEBIBYTE)} MiB resident at most, ${Math.round(memory.idleBytes / MEBIBYTE)} MiB before`,
      ...lines,
    ].join('\n'),
  );
  // No body stays in memory, and honest clients are served as before.
  await until(async () => (await metric(plane.internalUrl, 'gateway_body_bytes')) < 10 * MEBIBYTE);
  await figures();
  await until(async () => (await figures()).served > 0);

  expect(plane.child.exitCode).toBe(null);
  expect(beside.served).toBeGreaterThan(0);
  expect(withoutOutage(beside.refused)).toEqual({});
  expect(memory.idleBytes + rise).toBeLessThan(MEMORY_BYTES);
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

/**
 * Leaves out 503s of keys that the control plane confirms too late: it shares this process with the drill.
 */
function withoutOutage(refused: Record<string, number>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(refused).filter(([what]) => !what.includes('control_plane_unavailable')),
  );
}

function lineOf({ served, p50Ms, p99Ms, maxMs, refused }: HonestFigures): string {
  const [p50, p99, max] = [p50Ms, p99Ms, maxMs].map(Math.round);
  return `${served} served, p50 ${p50} ms, p99 ${p99} ms, slowest ${max} ms, refused: ${JSON.stringify(refused)}`;
}

async function metric(internalUrl: string, name: string): Promise<number> {
  const text = await (await fetch(`${internalUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}
