import { setTimeout as wait } from 'node:timers/promises';
import { until } from '@model-gateway/test-kit';
import { type OwnPostgres, startOwnPostgres } from '@model-gateway/test-kit/own-postgres';
import { expect } from 'vitest';
import { z } from 'zod';
import { auditAnswers } from './kill-drill-audit.ts';
import { type Answer, at, type Plan, send, startLoad, statusesOf } from './outage-money-load.ts';
import { type MoneyStack, poolProblems, type SettlementMode, startMoneyStack } from './outage-money-stack.ts';

export type Victim = 'data-plane' | 'control-plane' | 'postgres';
/**
 * `unsettled` kills Postgres and, while it is away, the first data plane in acknowledged mode. `calm` kills
 * nothing, and waits until the sweeper has run.
 */
export type Step = Victim | 'unsettled' | 'calm';

export interface KillDrill {
  /** The mode of each data plane. */
  settlement: readonly SettlementMode[];
  /** Run in this order, at random moments. */
  steps: readonly Step[];
  /** True if a kill may come before the requests that the previous kill delayed are settled. */
  overlapping: boolean;
  lanes: number;
}

interface Kill {
  victim: Victim;
  index: number;
  /** `performance.now()`, as are all times here. */
  atMs: number;
  readyAtMs: number;
}

const CONTROL_PLANES = 2;
const CALM_MS = 15_000;
/**
 * After Postgres was killed, the provider gets this many more requests, if data planes still have money for
 * them, and their responses get this long to reach the clients, before a data plane is killed.
 */
const UNSETTLED_ANSWERS = 5;
const UNSETTLED_MS = 300;
/** The sweeper frees an allowance this long after the last message of its data plane. */
const TTL_MS = 10_000;
/** The sweeper runs once a second; this allows for a busy machine, and is less than one more TTL. */
const SWEEP_MS = 7_000;
/** `lease_until` in key_watchers is this long after the last message of the data plane. */
const LEASE_MS = 3_500;
const SAMPLE_MS = 100;
/** A batch waits for 20 ms, then for its commit, on a machine that is busy with everything at once. */
const FLUSH_WINDOW_MS = 2_500;

/**
 * Puts load on a whole gateway of processes, kills and restarts one after the other, and then audits the
 * money.
 */
export async function killDrill({ settlement, steps, overlapping, lanes }: KillDrill): Promise<void> {
  await using postgres = await startOwnPostgres();
  await using stack = await startMoneyStack({
    databaseUrl: postgres.databaseUrl,
    controlPlanes: CONTROL_PLANES,
    dataPlanes: settlement.length,
    settlement,
  });
  const rich = await stack.createPayer('1000');
  // This money runs out during the drill.
  const poor = await stack.createPayer((0.0003 * (steps.length + 3)).toFixed(6));

  const sampling = startSampling(stack);
  const dataPlaneOf = new Map<Answer, number>();
  const load = startLoad(lanes, 5, async (lane) => {
    const dataPlane = lane % settlement.length;
    const { rawKey } = lane % 5 === 4 ? poor : rich;
    const answer = await send(at(stack.dataPlanes, dataPlane).port, rawKey, randomPlan());
    dataPlaneOf.set(answer, dataPlane);
    if (answer.status !== 200) await wait(50);
    return answer;
  });
  const startedAtMs = performance.now();
  const kills: Kill[] = [];
  const nextVictim = { 'data-plane': settlement.length - 1, 'control-plane': 0 };
  const kill = async (victim: Victim, index: number, meanwhile?: () => Promise<void>) => {
    const atMs = performance.now();
    await killAndRestart(stack, postgres, victim, index, meanwhile);
    kills.push({ victim, index, atMs, readyAtMs: performance.now() });
  };
  for (const step of steps) {
    await wait(200 + Math.random() * 1_000);
    if (!overlapping) await until(() => isSettled(stack));
    if (step === 'calm') await wait(CALM_MS);
    else if (step === 'postgres') await kill('postgres', 0);
    else if (step === 'unsettled') {
      const index = settlement.indexOf('acknowledged');
      let restarted: Promise<void> | undefined;
      await kill('postgres', 0, async () => {
        const enough = stack.provider.requests.length + UNSETTLED_ANSWERS;
        await until(() => stack.provider.requests.length >= enough, 2_000).catch(() => undefined);
        await wait(UNSETTLED_MS);
        restarted = kill('data-plane', index);
      });
      await restarted;
    } else {
      const count = step === 'data-plane' ? settlement.length : CONTROL_PLANES;
      await kill(step, nextVictim[step]++ % count);
    }
  }
  await wait(500);
  await load.stop();
  const stoppedAtMs = performance.now();
  await until(async () => (await stack.heldNanoUsd().catch(() => 1n)) === 0n, 2 * TTL_MS + 2 * SWEEP_MS);
  const freedAtMs = performance.now();
  const samples = await sampling.stop();

  const abandoned = await abandonedAllowances(stack, samples.leases, kills, startedAtMs);
  const found = await auditAnswers(stack, load.answers);
  const lost = found.unbilled.map((answer) => {
    const dataPlane = dataPlaneOf.get(answer) ?? -1;
    const beforeKillMs = kills
      .filter(({ victim, index }) => victim === 'data-plane' && index === dataPlane)
      .map(({ atMs }) => atMs - answer.endedAtMs)
      // The last bytes may be read when their sender is dead already.
      .filter((ms) => ms > -FLUSH_WINDOW_MS);
    return { mode: at(settlement, dataPlane), beforeKillMs: Math.round(Math.min(...beforeKillMs)) };
  });
  const complete = load.answers.filter((answer) => answer.complete);
  const byMode = (mode: SettlementMode) =>
    complete.filter((answer) => settlement[dataPlaneOf.get(answer) ?? -1] === mode).length;
  const figures = {
    kills: countOf(kills.map(({ victim }) => victim)),
    seconds: seconds(stoppedAtMs - startedAtMs),
    answers: statusesOf(load.answers),
    complete: { background: byMode('background'), acknowledged: byMode('acknowledged') },
    providerSaw: stack.provider.requests.length,
    records: found.records,
    uncollectedNanoUsd: String(found.uncollected),
    completeButUnbilled: lost,
    samples: samples.taken,
    heldMoneyFreedSecondsAfterLoad: seconds(freedAtMs - stoppedAtMs),
    abandonedAllowances: abandoned,
    readyAgainMs: slowest(kills),
  };
  console.log(`kill drill: ${JSON.stringify(figures)}`);

  expect(samples.problems).toEqual([]);
  expect(samples.taken).toBeGreaterThan(10);
  expect(byMode(at(settlement, 0))).toBeGreaterThan(50);
  expect(new Set(complete.map(({ plan }) => plan.streamed))).toEqual(new Set([true, false]));
  expect(Object.keys(figures.answers).filter((name) => !ALLOWED_ANSWERS.test(name))).toEqual([]);
  expect(found.problems).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
  // Each request reached the provider once, or more often after a retry: none is billed twice.
  expect(found.records).toBeLessThanOrEqual(stack.provider.requests.length);
  expect(abandoned.count).toBeGreaterThan(0);
  expect(abandoned.maxSecondsAfterDue).toBeLessThanOrEqual(SWEEP_MS / 1_000);
  expect(lost.filter(({ mode }) => mode === 'acknowledged')).toEqual([]);
  expect(lost.filter(({ beforeKillMs }) => !(beforeKillMs < FLUSH_WINDOW_MS))).toEqual([]);
}

/** Only the poor payer gets 402. Nobody gets 401 or 500. */
const ALLOWED_ANSWERS = /^(200|200 broken off|no answer|503 .*|402 insufficient_balance)$/;

function randomPlan(): Plan {
  const streamed = Math.random() < 0.5;
  const words = 1 + Math.floor(Math.random() * 40);
  const content = 'word '.repeat(words).trim();
  if (!streamed) return { streamed, maxTokens: 60, simulate: { content, delay_ms: randomMs(120) } };
  return {
    streamed,
    maxTokens: 60,
    simulate: { content, token_delay_ms: randomMs(12) },
    ...(Math.random() < 0.1 ? { abortAfterEvents: 1 + Math.floor(Math.random() * words) } : {}),
  };
}

function randomMs(max: number): number {
  return Math.floor(Math.random() * max);
}

/** @param meanwhile runs before the process is started again */
async function killAndRestart(
  stack: MoneyStack,
  postgres: OwnPostgres,
  victim: Victim,
  index: number,
  meanwhile: () => Promise<void> = () => wait(Math.random() * 500),
): Promise<void> {
  if (victim === 'postgres') {
    postgres.kill();
    await meanwhile();
    await postgres.restart();
    return;
  }
  const process = at(victim === 'data-plane' ? stack.dataPlanes : stack.controlPlanes, index);
  await process.kill();
  await meanwhile();
  await process.start();
}

/** True once no data plane has anything left to report. */
async function isSettled({ dataPlanes }: MoneyStack): Promise<boolean> {
  const lags = await Promise.all(
    dataPlanes.map(async ({ internalPort }) => {
      const response = await fetch(`http://127.0.0.1:${internalPort}/metrics`);
      return Number(/^gateway_settlement_lag_seconds (\S+)$/m.exec(await response.text())?.[1]);
    }),
  );
  return lags.every((lag) => lag < 0.1);
}

const leaseRows = z.array(z.object({ id: z.string(), leaseUntil: z.date() }));

/** Checks all pools, and records the leases of all data planes, every SAMPLE_MS until it is stopped. */
function startSampling(stack: MoneyStack) {
  const problems = new Set<string>();
  const leases = new Map<string, number>();
  let taken = 0;
  let running = true;
  const look = async () => {
    for (const problem of poolProblems(await stack.pools())) problems.add(problem);
    const rows = await stack.sql.rows(
      'SELECT instance_id AS id, lease_until AS "leaseUntil" FROM key_watchers',
    );
    for (const { id, leaseUntil } of leaseRows.parse(rows)) leases.set(id, leaseUntil.getTime());
    taken += 1;
  };
  const sampling = (async () => {
    while (running) {
      // Postgres may be away.
      await look().catch(() => undefined);
      await wait(SAMPLE_MS);
    }
  })();
  return {
    async stop() {
      running = false;
      await sampling;
      return { problems: [...problems], leases, taken };
    },
  };
}

const closedRows = z.array(z.object({ instanceId: z.string(), closedAt: z.date() }));

/**
 * Measures how long the allowances of dead data planes stayed open: since the last message of the data plane,
 * and since the sweeper was allowed to close them.
 */
async function abandonedAllowances(
  stack: MoneyStack,
  leases: ReadonlyMap<string, number>,
  kills: readonly Kill[],
  startedAtMs: number,
) {
  const rows = await stack.sql.rows(
    `SELECT instance_id AS "instanceId", closed_at AS "closedAt" FROM allowances WHERE closed_at IS NOT NULL`,
  );
  const afterLastWord: number[] = [];
  const afterDue: number[] = [];
  for (const { instanceId, closedAt } of closedRows.parse(rows)) {
    const leaseUntil = leases.get(instanceId) ?? 0;
    // The data plane was alive and closed it itself.
    if (leaseUntil === 0 || closedAt.getTime() < leaseUntil) continue;
    const lastWordMs = leaseUntil - LEASE_MS - performance.timeOrigin;
    const closedMs = closedAt.getTime() - performance.timeOrigin;
    afterLastWord.push(seconds(closedMs - lastWordMs));
    afterDue.push(seconds(closedMs - dueMs(lastWordMs, kills, startedAtMs)));
  }
  return {
    count: afterDue.length,
    maxSecondsAfterLastWord: Math.max(...afterLastWord),
    maxSecondsAfterDue: Math.max(...afterDue),
  };
}

/**
 * Returns when a sweeper may first close an allowance: once a control plane and Postgres have both been up
 * for a TTL.
 */
function dueMs(lastWordMs: number, kills: readonly Kill[], startedAtMs: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (let index = 0; index < CONTROL_PLANES; index++) {
    const ends = kills.filter((kill) => kill.victim === 'postgres' || isControlPlane(kill, index));
    for (const beginMs of [startedAtMs, ...ends.map(({ readyAtMs }) => readyAtMs)]) {
      const readyMs = Math.max(lastWordMs, beginMs) + TTL_MS;
      const isBroken = ends.some(({ atMs, readyAtMs }) => readyAtMs > beginMs && atMs < readyMs);
      if (!isBroken) earliest = Math.min(earliest, readyMs);
    }
  }
  return earliest;
}

function isControlPlane({ victim, index }: Kill, of: number): boolean {
  return victim === 'control-plane' && index === of;
}

function slowest(kills: readonly Kill[]): Record<string, number> {
  const times: Record<string, number> = {};
  for (const { victim, atMs, readyAtMs } of kills) {
    times[victim] = Math.max(times[victim] ?? 0, Math.round(readyAtMs - atMs));
  }
  return times;
}

function countOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function seconds(ms: number): number {
  return Math.round(ms / 100) / 10;
}
