import { setTimeout as wait } from 'node:timers/promises';
import { until, watchLag } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { auditAnswers } from './kill-drill-audit.ts';
import {
  type Answer,
  at,
  type Load,
  type Plan,
  pendingRecords,
  send,
  startLoad,
  statusesOf,
} from './outage-money-load.ts';
import { type MoneyStack, poolProblems, startMoneyStack } from './outage-money-stack.ts';

const RECOVERY_MS = 5_000;
/** A call about money times out after 3 s. Nobody waits for two of them. */
const SLOWEST_MS = 5_500;
const OBSERVED_MS = 2_500;
/** A data plane spends the money that it holds for this long after the last message of a control plane. */
const LEASED_MS = 6_000;
/** From a client through Redis and the control plane, each late by as much as this thread was, and back. */
const STEPS = 20;
const FREE_MODEL = 'sim/chat-free';

type Payer = 'gentle' | 'heavy' | 'newcomer' | 'free';

interface Figures {
  fault: string;
  during: Record<string, Record<string, number>>;
  slowestMs: number;
  recoveredMs: Record<string, number>;
}

/** Everything about money needs the control plane; known keys and free models, with Redis there, do not. */
export async function controlPlaneOutage({
  fault,
  outageMs,
  redisUrl,
}: {
  fault: 'frozen' | 'killed';
  outageMs: number;
  redisUrl: string | undefined;
}): Promise<void> {
  await using stack = await startMoneyStack({ redisUrl });
  const controlPlane = at(stack.controlPlanes, 0);
  await outage(stack, `control plane ${fault}`, outageMs, async (isFelt) => {
    if (fault === 'frozen') {
      controlPlane.freeze();
      await isFelt();
      return { fromMs: performance.now(), end: async () => controlPlane.thaw() };
    }
    await controlPlane.kill();
    await isFelt();
    // A process takes a second to start: it has recovered when it is ready.
    await controlPlane.start();
    return { fromMs: performance.now(), end: async () => undefined };
  });
}

export async function postgresOutage({
  outageMs,
  redisUrl,
}: {
  outageMs: number;
  redisUrl: string | undefined;
}): Promise<void> {
  await using stack = await startMoneyStack({ redisUrl });
  await outage(stack, 'Postgres refuses', outageMs, async (isFelt) => {
    stack.postgresProxy?.cut();
    await isFelt();
    return { fromMs: performance.now(), end: async () => stack.postgresProxy?.restore() };
  });
}

/**
 * @param outageMs how long the outage lasts at least
 * @param happen causes the outage, and resolves when only `end` is left to do. `isFelt` resolves when the
 * outage has   lasted `outageMs` and has refused the payers who need money
 */
async function outage(
  stack: MoneyStack,
  fault: string,
  outageMs: number,
  happen: (isFelt: () => Promise<void>) => Promise<{ fromMs: number; end(): Promise<void> }>,
): Promise<void> {
  const load = await startOutageLoad(stack);
  using lag = watchLag();
  await until(() => load.isWarm());
  const beganMs = performance.now();
  let feltMs = beganMs + outageMs;
  const happening = happen(async () => {
    await wait(outageMs);
    await until(() => load.isRefused('heavy') && load.isRefused('newcomer'));
    feltMs = performance.now();
  });
  await wait(50);
  load.startNewcomer();
  const { fromMs, end } = await happening;
  await end();
  await wait(OBSERVED_MS);
  await until(() => load.isServed(fromMs));
  await load.stop();
  await until(async () => (await pendingRecords(at(stack.dataPlanes, 0))) === 0);

  const figures: Figures = { fault, during: {}, slowestMs: 0, recoveredMs: {} };
  for (const [payer, { answers }] of load.loads) {
    // On a slow machine the outage lasts longer than held money may be spent.
    const untilMs = payer === 'gentle' ? Math.min(feltMs, beganMs + LEASED_MS) : feltMs;
    const during = answers.filter(({ endedAtMs }) => endedAtMs > beganMs && endedAtMs < untilMs);
    const after = answers.filter(({ sentAtMs }) => sentAtMs >= fromMs);
    const lastFailure = after.findLast(({ status }) => status !== 200);
    figures.during[payer] = statusesOf(during);
    figures.slowestMs = Math.max(
      figures.slowestMs,
      ...answers.map((answer) => Math.round(answer.endedAtMs - answer.sentAtMs)),
    );
    figures.recoveredMs[payer] = lastFailure === undefined ? 0 : Math.round(lastFailure.endedAtMs - fromMs);
  }
  console.log(`outage: ${JSON.stringify(figures)}`);
  const all = [...load.loads.values()].flatMap(({ answers }) => answers);
  expect(
    all.filter(({ status }) => status !== 200 && status !== 503).map(({ status, code }) => [status, code]),
  ).toEqual([]);
  for (const answer of all.filter(({ status }) => status === 503)) {
    expect(answer.retryAfter).toMatch(/^[1-9]\d*$/);
    expect(answer.code).toBe('control_plane_unavailable');
  }
  expect(figures.slowestMs).toBeLessThan(SLOWEST_MS + lag.allowanceMs(STEPS));
  const { gentle = {}, heavy = {}, newcomer = {}, free = {} } = figures.during;
  expect(Object.keys(free)).toEqual(['200']);
  expect(Object.keys(gentle)).toEqual(['200']);
  expect(gentle['200']).toBeGreaterThan(1);
  expect(Object.keys(heavy).sort()).toEqual(['200', '503 control_plane_unavailable']);
  expect(Object.keys(newcomer)).toEqual(['503 control_plane_unavailable']);
  for (const payer of load.loads.keys()) {
    expect(figures.recoveredMs[payer], payer).toBeLessThan(RECOVERY_MS + lag.allowanceMs(STEPS));
  }

  const found = await auditAnswers(
    stack,
    all.filter(({ plan }) => plan.model !== FREE_MODEL),
  );
  expect(found.problems).toEqual([]);
  expect(found.unbilled).toEqual([]);
  expect(found.uncollected).toBe(0n);
  expect(found.records).toBe(stack.provider.requests.length);
  expect(poolProblems(await stack.pools())).toEqual([]);
  expect(await stack.verifyLedger()).toEqual([]);
}

/**
 * `gentle` sends a small request now and then. `heavy` sends many, each of which costs its whole reservation.
 * `newcomer` starts in the outage, with a known key but no held money. `free` uses a free model.
 */
async function startOutageLoad(stack: MoneyStack) {
  const { port } = at(stack.dataPlanes, 0);
  const payers = await Promise.all(['1000', '1000', '1000'].map((usd) => stack.createPayer(usd)));
  const [gentle, heavy, newcomer] = payers.map(({ rawKey }) => rawKey);
  const loads = new Map<Payer, Load>();
  const run = (payer: Payer, rawKey = '', pauseMs: number, plan: Plan = {}, lanes = 1) =>
    loads.set(
      payer,
      startLoad(lanes, pauseMs, () => send(port, rawKey, plan)),
    );
  run('gentle', gentle, 300);
  run('heavy', heavy, 10, { image: true }, 4);
  run('free', newcomer, 50, { model: FREE_MODEL });
  return {
    loads,
    isRefused: (payer: Payer) => loads.get(payer)?.answers.some(({ status }) => status === 503) ?? false,
    /** True if every payer's latest request was sent after `sinceMs` and served. */
    isServed: (sinceMs: number) =>
      [...loads.values()].every(({ answers }) => {
        const latest = answers.at(-1);
        return latest !== undefined && latest.sentAtMs >= sinceMs && isServed(latest);
      }),
    /** True once every key is cached, and spare money is held. */
    isWarm: () => [...loads.values()].every(({ answers }) => answers.filter(isServed).length >= 3),
    startNewcomer: () => run('newcomer', newcomer, 50),
    stop: () => Promise.all([...loads.values()].map((load) => load.stop())),
  };
}

function isServed({ status }: Answer): boolean {
  return status === 200;
}
