import { setTimeout as wait } from 'node:timers/promises';
import { connectRedis } from '@model-gateway/limits';
import { until } from '@model-gateway/test-kit';
import { startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { startRedisServer } from '@model-gateway/test-kit/redis';
import { expect } from 'vitest';
import { auditAnswers } from '../kill-drill-audit.ts';
import {
  type Answer,
  at,
  type Plan,
  pendingRecords,
  send,
  startLoad,
  statusesOf,
} from '../outage-money-load.ts';
import { type MoneyStack, poolProblems, startMoneyStack } from '../outage-money-stack.ts';
import { FAULTS, type FaultyStack } from './faults.ts';
import { ATTACKS, attack } from './hostile-load.ts';
import { type ProcessFigures, readFigures, settlementLagMs } from './process-figures.ts';

export interface Soak {
  /**
   * The round that runs at this time is the last. Every round has each fault once, under load, and ends with
   * figures that are taken while no request runs.
   */
  minutes: number;
  honestLanes: number;
  hostileLanes: number;
}

const DATA_PLANES = 2;
/** Fewer rounds have no two halves to compare. */
const MIN_ROUNDS = 3;
/** Rounds whose figures are not compared, because code and caches get warm in them. */
const WARM_UP_SHARE = 1 / 4;
const PAUSE_MS = 100;
/** Load before and after each fault. */
const AROUND_FAULT_MS = { before: 4_000, after: 6_000 };
/**
 * A stream slot is a lease of 30 s and an allowance one of 10 s; the sweeper and the housekeeping run after
 * that.
 */
const QUIET_MS = 60_000;
/** Connections of a pool that nobody uses close after ten seconds. */
const IDLE_CONNECTIONS_MS = 12_000;
/** Share of honest requests that are sent with a fault of their provider. */
const FAILING_SHARE = 0.03;
/** A batch waits for 20 ms, then for its commit, on a machine that is busy with everything at once. */
const FLUSH_WINDOW_MS = 1_000;
/** Never 401 or 500. Another 4xx would be a mistake of this test. */
const ALLOWED_ANSWERS = /^(200|200 broken off|no answer|503 .*|502 upstream_error|504 upstream_timeout)$/;
/** Makes services collect garbage on SIGUSR2, so that only live memory is compared. */
const COLLECTING = {
  NODE_OPTIONS: `--expose-gc --import ${new URL('collect-on-signal.ts', import.meta.url).href}`,
};
const COLLECTED_MS = 2_000;
/**
 * How far the highest figure of the second half may exceed that of the first. Resident memory includes what
 * was freed but not yet returned to the system, which varies; a leak grows in every round.
 */
const MAX_GROWTH = { rssMiB: 40, heapMiB: 10, timers: 8, sockets: 8, descriptors: 10 };

/** Figures while no request runs. */
interface Quiet {
  dataPlane: ProcessFigures;
  controlPlane: ProcessFigures;
  streamSlots: number;
  openAllowances: number;
  checkpoints: number;
  leases: number;
}

/**
 * Sends honest requests with aborts, and attacks of a hostile key and of strangers, while every part but one
 * of each kind is killed, frozen or restarted. The processes that were never stopped must use no more
 * resources at the end.
 */
export async function soak({ minutes, honestLanes, hostileLanes }: Soak): Promise<void> {
  await using postgres = await startOwnPostgres();
  const redis = await startRedisServer();
  if (redis === undefined) throw new Error('this test needs a redis-server');
  await using stack = await startMoneyStack({
    databaseUrl: postgres.databaseUrl,
    redisUrl: redis.url,
    controlPlanes: 2,
    dataPlanes: DATA_PLANES,
    settlement: ['acknowledged', 'background'],
    environment: COLLECTING,
    controlPlaneEnvironment: COLLECTING,
  });
  const faulty: FaultyStack = { stack, postgres, redis };
  await using closing = new AsyncDisposableStack();
  closing.defer(() => faulty.redis.stop());
  const honest = await stack.createPayer('10000');
  const hostile = await stack.createPayer('0.001', { defaultLimits: true });
  const pids = survivorPids(stack);

  const dataPlaneOf = new Map<Answer, number>();
  const answers: Answer[] = [];
  /** The kills of the second data plane, with its settlement lag at that time. */
  const kills: { atMs: number; lagMs: number }[] = [];
  const attacks: Record<string, number> = {};
  const quiet: Quiet[] = [];
  const names = Object.keys(ATTACKS);
  const startedAtMs = performance.now();
  const elapsedMinutes = () => (performance.now() - startedAtMs) / 60_000;
  while (quiet.length < MIN_ROUNDS || elapsedMinutes() < minutes) {
    const load = startLoad(honestLanes, PAUSE_MS, async (lane) => {
      const dataPlane = lane % DATA_PLANES;
      const answer = await send(at(stack.dataPlanes, dataPlane).port, honest.rawKey, randomPlan());
      dataPlaneOf.set(answer, dataPlane);
      return answer;
    });
    let attacking = true;
    const attackers = Array.from({ length: hostileLanes }, async (_, lane) => {
      for (let index = lane; attacking; index += hostileLanes) {
        const name = at(names, index % names.length);
        const { port } = at(stack.dataPlanes, index % DATA_PLANES);
        await attack(name, { port, rawKey: hostile.rawKey });
        attacks[name] = (attacks[name] ?? 0) + 1;
        await wait(PAUSE_MS);
      }
    });
    for (const [name, happen] of Object.entries(FAULTS)) {
      await wait(AROUND_FAULT_MS.before);
      if (name === 'a data plane killed') {
        const lagMs = await settlementLagMs(at(stack.dataPlanes, 1));
        kills.push({ atMs: performance.now(), lagMs });
      }
      await happen(faulty);
      await wait(AROUND_FAULT_MS.after);
      expectSurvivors(stack, pids, name);
    }
    attacking = false;
    await Promise.all([load.stop(), ...attackers]);
    answers.push(...load.answers);
    quiet.push(await takeQuietFigures(faulty));
    console.log(
      `soak: round ${quiet.length} after ${elapsedMinutes().toFixed(1)} minutes, ` +
        `${answers.length} honest answers, ${JSON.stringify(quiet.at(-1))}`,
    );
    for (const plane of [...stack.dataPlanes, ...stack.controlPlanes]) {
      expect(plane.logText).not.toMatch(/uncaught|unexpected failure/);
    }
  }

  const found = await auditAnswers(stack, answers);
  const lost = found.unbilled.map((answer) => {
    const next = kills.find(({ atMs }) => atMs > answer.endedAtMs - FLUSH_WINDOW_MS);
    return {
      dataPlane: dataPlaneOf.get(answer),
      beforeKillMs: Math.round((next?.atMs ?? Number.POSITIVE_INFINITY) - answer.endedAtMs),
      lagMs: Math.round(next?.lagMs ?? 0),
    };
  });
  const figures = {
    rounds: quiet.length,
    minutes: Number(elapsedMinutes().toFixed(1)),
    faults: quiet.length * Object.keys(FAULTS).length,
    answers: statusesOf(answers),
    latencyMs: latencies(answers),
    attacks,
    records: found.records,
    completeButUnbilled: lost,
    uncollectedNanoUsd: String(found.uncollected),
    firstQuiet: quiet[0],
    lastQuiet: quiet.at(-1),
  };
  console.log(`soak: ${JSON.stringify(figures)}`);

  expect(Object.keys(figures.answers).filter((name) => !ALLOWED_ANSWERS.test(name))).toEqual([]);
  const unanswered = answers.filter((answer) => answer.status === undefined && dataPlaneOf.get(answer) === 0);
  expect(unanswered, 'no answer from the data plane that was never stopped').toEqual([]);
  expect(found.problems).toEqual([]);
  expect(lost.filter(({ dataPlane }) => dataPlane === 0)).toEqual([]);
  // A record that the database has not committed yet is lost with the process that remembers it.
  expect(lost.filter(({ beforeKillMs, lagMs }) => beforeKillMs > FLUSH_WINDOW_MS + lagMs)).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
  expect(poolProblems(await stack.pools())).toEqual([]);
  const warm = quiet.slice(Math.ceil(quiet.length * WARM_UP_SHARE));
  const half = Math.ceil(warm.length / 2);
  for (const part of ['dataPlane', 'controlPlane'] as const) {
    for (const figure of ['rssMiB', 'heapMiB', 'timers', 'sockets', 'descriptors'] as const) {
      const highest = (rounds: readonly Quiet[]) => Math.max(...rounds.map((round) => round[part][figure]));
      const [before, after] = [highest(warm.slice(0, half)), highest(warm.slice(-half))];
      expect(after, `${part}: ${figure}`).toBeLessThanOrEqual(before + MAX_GROWTH[figure]);
    }
  }
  expect(quiet.at(-1)).toMatchObject({ streamSlots: 0, openAllowances: 0, checkpoints: 0 });
}

/** Waits until everything has come to rest, then counts. */
async function takeQuietFigures({ stack, redis }: FaultyStack): Promise<Quiet> {
  const { sql } = stack;
  const count = async (from: string) => {
    const rows = await sql.rows(`SELECT count(*)::int AS count FROM ${from}`);
    const [row] = rows;
    return typeof row === 'object' && row !== null && 'count' in row ? Number(row.count) : Number.NaN;
  };
  const openAllowances = () => count('allowances WHERE closed_at IS NULL');
  const checkpoints = () => count('usage_checkpoints');
  const connection = connectRedis({ url: redis.url, commandTimeoutMs: 5_000 });
  try {
    await connection.whenReady(5_000);
    const streamSlots = async () => {
      const keys = await connection.client.keys('gateway:streams:*');
      const places = await Promise.all(keys.map((key) => connection.client.zcard(key)));
      return places.reduce((sum, each) => sum + each, 0);
    };
    const isAtRest = async () => {
      const pending = await Promise.all(stack.dataPlanes.map(pendingRecords));
      const left = [...pending, await openAllowances(), await checkpoints(), await streamSlots()];
      return left.every((each) => each === 0);
    };
    // The caller compares the figures, which show what never comes to rest.
    await until(() => isAtRest().catch(() => false), QUIET_MS).catch(() => undefined);
    await wait(IDLE_CONNECTIONS_MS);
    const survivors = [at(stack.dataPlanes, 0), at(stack.controlPlanes, 0)];
    for (const survivor of survivors) survivor.signal('SIGUSR2');
    await wait(COLLECTED_MS);
    return {
      dataPlane: await readFigures(at(stack.dataPlanes, 0)),
      controlPlane: await readFigures(at(stack.controlPlanes, 0)),
      streamSlots: await streamSlots(),
      openAllowances: await openAllowances(),
      checkpoints: await checkpoints(),
      leases: await count('key_watchers WHERE lease_until > now()'),
    };
  } finally {
    connection.close();
  }
}

/** Returns the ids of the processes that no fault ends. */
function survivorPids({ dataPlanes, controlPlanes }: MoneyStack): (number | undefined)[] {
  return [at(dataPlanes, 0).pid, at(controlPlanes, 0).pid];
}

function expectSurvivors(stack: MoneyStack, pids: readonly (number | undefined)[], after: string): void {
  for (const process of [at(stack.dataPlanes, 0), at(stack.controlPlanes, 0)]) {
    expect(process.hasEnded, `ended by itself around "${after}":\n${process.logText}`).toBe(false);
  }
  expect(survivorPids(stack)).toEqual(pids);
}

function randomPlan(): Plan {
  const kind = Math.random();
  if (kind < FAILING_SHARE) return { simulate: { status: 500 } };
  if (kind < 2 * FAILING_SHARE) return { streamed: true, simulate: { reset: { after_events: 2 } } };
  if (kind < 0.15) return { image: true };
  const words = 1 + Math.floor(Math.random() * 40);
  const content = 'word '.repeat(words).trim();
  if (kind < 0.5) return { simulate: { content, delay_ms: Math.floor(Math.random() * 100) } };
  return {
    streamed: true,
    simulate: { content, token_delay_ms: Math.floor(Math.random() * 15) },
    ...(Math.random() < 0.2 ? { abortAfterEvents: 1 + Math.floor(Math.random() * words) } : {}),
  };
}

/** Returns the latencies of images, which the provider sends at once. */
function latencies(answers: readonly Answer[]): { p50: number; p99: number } {
  const times = answers
    .filter(({ plan, complete }) => plan.image === true && complete)
    .map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs)
    .sort((a, b) => a - b);
  const quantile = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? Number.NaN);
  return { p50: quantile(0.5), p99: quantile(0.99) };
}
