import { randomUUID } from 'node:crypto';
import { until, untilWithin } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { at, startControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { HealthWatch, outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

/** Maximum age of figures on the status page. */
const FRESH_MS = 5_000;

const control = useControlPlanes({ count: 2 });

const settlement = (plane = 0) => new Settlement(at(control.callers, plane));
const watch = (plane = 0, withModelHealth = true) =>
  new HealthWatch(at(control.callers, plane), withModelHealth);

it('watchers get figures at once, and within five seconds from every control plane', async () => {
  const model = `sim/${randomUUID()}`;
  using here = watch(0);
  using there = watch(1);
  await until(() => here.events.length > 0 && there.events.length > 0);
  expect(here.figuresOf(model)).toBeUndefined();
  await settlement(0).settle([outcomeOf(model), outcomeOf(model, { outcome: 'failed' })]);
  await untilWithin(FRESH_MS, () => [here, there].every((each) => each.figuresOf(model)?.requests5m === 2));
  expect(there.figuresOf(model)).toMatchObject({
    status: 'operational',
    uptime5m: 0.5,
    uptime1h: 0.5,
    uptime24h: 0.5,
    errorRate5m: 0.5,
    timeToFirstTokenMs: null,
  });
  using late = watch(1);
  await until(() => late.figuresOf(model)?.requests5m === 2);
  expect(Math.abs(Number(late.events.at(-1)?.updatedAt) - Date.now() / 1_000)).toBeLessThan(60);
});

it('watchers get percentiles within 10 % of the exact ones', async () => {
  const model = `sim/${randomUUID()}`;
  // Shuffled over batches, control planes and minutes.
  const order = Array.from({ length: 1_000 }, (_, index) => ((index * 617) % 1_000) + 1);
  await Promise.all(
    [0, 1].map(async (plane) => {
      const stream = settlement(plane);
      const mine = order.filter((_, index) => index % 2 === plane);
      for (let start = 0; start < mine.length; start += 100) {
        const records = mine.slice(start, start + 100).map((rank) =>
          outcomeOf(model, {
            latencyMs: rank * 7,
            timeToFirstTokenMs: rank / 2,
            endedAtMs: Date.now() - (rank % 3) * 60_000,
          }),
        );
        await stream.settle(records);
      }
    }),
  );
  using watching = watch();
  await until(() => watching.figuresOf(model)?.requests5m === 1_000);
  const figures = watching.figuresOf(model);
  const within = (found: number | undefined, exact: number) =>
    expect(Math.abs((found ?? 0) - exact)).toBeLessThanOrEqual(exact / 10);
  within(figures?.latencyMs?.p50, 3_500);
  within(figures?.latencyMs?.p95, 6_650);
  within(figures?.timeToFirstTokenMs?.p50, 250);
  within(figures?.timeToFirstTokenMs?.p95, 475);
});

it('watchers see a provider fail while its model is operational at another provider', async () => {
  const model = `sim/${randomUUID()}`;
  const [bad, good] = [randomUUID(), randomUUID()];
  const failedOver = () => {
    const record = outcomeOf(model, { providerId: good });
    return {
      ...record,
      attempts: [...outcomeOf(model, { providerId: bad, outcome: 'failed' }).attempts, ...record.attempts],
    };
  };
  await settlement().settle([failedOver(), failedOver(), failedOver(), failedOver()]);
  using watching = watch();
  await until(() => watching.figuresOf(model) !== undefined);
  expect(watching.figuresOf(model)).toMatchObject({ status: 'operational', requests5m: 4, uptime5m: 1 });
  expect(watching.providerFigures(bad)).toMatchObject({
    status: 'major_outage',
    requests5m: 4,
    uptime5m: 0,
  });
  expect(watching.providerFigures(good)).toMatchObject({ status: 'operational', requests5m: 4 });
});

it('traffic of an earlier hour shows in its windows only', async () => {
  const model = `sim/${randomUUID()}`;
  const ago = (minutes: number) => ({ outcome: 'failed', endedAtMs: Date.now() - minutes * 60_000 });
  await settlement().settle([
    outcomeOf(model, ago(30)),
    outcomeOf(model, ago(120)),
    outcomeOf(model, { endedAtMs: Date.now() - 120 * 60_000 }),
    outcomeOf(model, { endedAtMs: Date.now() - 121 * 60_000 }),
  ]);
  // Started now, because a running one keeps sums over hours for a minute.
  await using own = await startControlPlanes({ reachedAt: () => control.databaseUrl });
  using watching = new HealthWatch(at(own.callers, 0));
  await until(() => watching.figuresOf(model) !== undefined);
  const figures = watching.figuresOf(model);
  expect(figures).toMatchObject({ requests5m: 0, uptime1h: 0, uptime24h: 0.5, latencyMs: null });
  expect(figures).not.toHaveProperty('uptime5m');
  expect(figures).not.toHaveProperty('errorRate5m');
});

it('watchers that did not request figures get none', async () => {
  using interested = watch(0);
  using silent = watch(0, false);
  await until(() => interested.events.length > 1);
  expect(silent.events).toEqual([]);
});
