import { randomUUID } from 'node:crypto';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { HealthWatch, outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const HOURS = 60;

const control = useControlPlanes();

/** Stores requests settled minutes ago, some of them failed. */
async function remember(
  modelId: string,
  minutes: readonly [minutesAgo: number, requests: number, failed: number][],
) {
  for (const [minutesAgo, requests, failed] of minutes) {
    await control.query(
      `INSERT INTO model_minutes (model_id, provider_id, minute, attempts, failed_attempts, requests,
         failed_requests, latency_buckets, first_token_buckets)
       VALUES ($1, $1, date_trunc('minute', now() - $2 * interval '1 minute'), $3, $4, $3, $4,
         array_fill(0, ARRAY[75]), array_fill(0, ARRAY[75]))`,
      [modelId, minutesAgo, requests, failed],
    );
  }
}

/** Fails four more requests and returns the minutes in trouble. */
async function troubledFor(model: string): Promise<number> {
  const failed = Array.from({ length: 4 }, () => outcomeOf(model, { providerId: model, outcome: 'failed' }));
  await new Settlement(at(control.callers, 0)).settle(failed);
  using watching = new HealthWatch(at(control.callers, 0));
  await until(() => watching.figuresOf(model)?.since !== undefined);
  expect(watching.providerFigures(model)?.since).toBe(watching.figuresOf(model)?.since);
  return Math.round((Date.now() / 1_000 - Number(watching.figuresOf(model)?.since)) / 60);
}

it.each<[string, [number, number, number][], number]>([
  [
    'is its first bad minute after the last good one',
    [
      [60, 9, 0],
      [30, 4, 4],
      [20, 4, 4],
    ],
    30,
  ],
  ['is long ago when no good response has followed', [[10 * HOURS, 4, 4]], 10 * HOURS],
  [
    'is not before a good minute that lies more than five minutes before the next bad one',
    [
      [30, 4, 4],
      [20, 9, 0],
    ],
    0,
  ],
  [
    'does not move because of good minutes between bad ones at most five minutes apart',
    [
      [6, 4, 4],
      [5, 9, 0],
      [3, 4, 4],
      [2, 9, 0],
    ],
    6,
  ],
])("the start of a model's trouble %s", async (_name, minutes, expected) => {
  const model = `sim/${randomUUID()}`;
  await remember(model, minutes);
  expect(Math.abs((await troubledFor(model)) - expected)).toBeLessThanOrEqual(1);
});

it("a model's last minute is kept for 30 days, every other one for 25 hours", async () => {
  const [rare, gone] = [`sim/${randomUUID()}`, `sim/${randomUUID()}`];
  await remember(rare, [
    [20 * 24 * HOURS, 1, 1],
    [10 * 24 * HOURS, 4, 4],
  ]);
  await remember(gone, [[31 * 24 * HOURS, 4, 4]]);
  await new SettlementStore(control.prisma).prune();
  const rows = (table: string) =>
    control.query(`SELECT model_id, requests FROM ${table} WHERE model_id = ANY($1::text[])`, [[rare, gone]]);
  expect(await rows('model_minutes')).toEqual([]);
  expect(await rows('model_last_minutes')).toEqual([{ model_id: rare, requests: 4 }]);
});
