import { randomUUID } from 'node:crypto';
import { GrpcStatus, grpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { SettlementStore } from '../../src/settlement/settlement-store.ts';
import { at, startControlPlanes, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const control = useControlPlanes({ count: 2 });
let model: string;

const settlement = (plane = 0) => new Settlement(at(control.callers, plane));
const freshModel = () => {
  model = `sim/${randomUUID()}`;
  return model;
};

async function counted(of = model, database = control) {
  const [row] = await database.query(
    `SELECT coalesce(sum(requests), 0)::int AS requests, coalesce(sum(failed_requests), 0)::int AS failures,
       coalesce(sum((SELECT sum(n) FROM unnest(latency_buckets) AS n)), 0)::int AS latencies
     FROM model_minutes WHERE model_id = $1`,
    [of],
  );
  return row;
}

it('a batch of outcomes is in the database when it is acknowledged', async () => {
  const records = [outcomeOf(freshModel()), outcomeOf(model, { outcome: 'failed' })];
  expect((await settlement().settle(records)).refused).toBe(0);
  expect(await counted()).toEqual({ requests: 2, failures: 1, latencies: 1 });
});

it('a batch of outcomes counts once, however often and wherever it is sent', async () => {
  const records = [outcomeOf(freshModel()), outcomeOf(model)];
  const id = randomUUID();
  const [here, there] = [settlement(0), settlement(1)];
  await Promise.all([here.settle(records, id), there.settle(records, id), here.settle(records, id)]);
  await there.settle(records, id);
  expect(await counted()).toEqual({ requests: 2, failures: 0, latencies: 2 });
});

it('a batch of outcomes adds to concurrent reports of the same minute', async () => {
  const models = [freshModel(), freshModel(), freshModel()];
  const streams = Array.from({ length: 6 }, (_, index) => settlement(index % 2));
  await Promise.all(
    streams.map(async (stream, index) => {
      for (let round = 0; round < 20; round++) {
        const order = index % 2 === 0 ? models : models.toReversed();
        await stream.settle(order.map((each) => outcomeOf(each)));
      }
    }),
  );
  for (const each of models) expect(await counted(each)).toMatchObject({ requests: 120, latencies: 120 });
});

it('a batch counts records whose values do not fit', async () => {
  const unknown = outcomeOf(freshModel(), { outcome: 'exploded', latencyMs: -1 });
  const long = outcomeOf(`${model}\0`);
  expect((await settlement().settle([unknown, long, outcomeOf(model, { outcome: 'failed' })])).refused).toBe(
    0,
  );
  expect(await counted()).toEqual({ requests: 2, failures: 1, latencies: 0 });
});

it('a batch stores records too old for any status figure', async () => {
  const old = outcomeOf(freshModel(), { endedAtMs: Date.now() - 26 * 3_600_000 });
  expect((await settlement().settle([old])).refused).toBe(0);
  expect(await counted()).toMatchObject({ requests: 0 });
  const stored = await control.query('SELECT 1 FROM usage_records WHERE request_id = $1', [old.requestId]);
  expect(stored).toHaveLength(1);
});

it('a batch without a valid id ends the stream and changes nothing', async () => {
  const stream = settlement();
  stream.send([outcomeOf(freshModel())], '');
  await until(() => stream.outcome !== undefined);
  expect(grpcStatus(stream.outcome?.error)).toBe(GrpcStatus.INVALID_ARGUMENT);
  expect(await counted()).toMatchObject({ requests: 0 });
});

it("a batch is acknowledged before its stream ends at the data plane's goodbye", async () => {
  const stream = settlement();
  stream.send([outcomeOf(freshModel())]);
  stream.end();
  await until(() => stream.outcome !== undefined);
  expect(stream.outcome).toEqual({ error: undefined });
  expect(stream.acks).toHaveLength(1);
});

it('a batch is forgotten with the minutes it counted, after a day and an hour', async () => {
  const batchId = randomUUID();
  await settlement().settle([outcomeOf(freshModel())], batchId);
  const store = new SettlementStore(control.prisma);
  const age = (interval: string) =>
    Promise.all([
      control.sql`UPDATE model_minutes SET minute = now() - ${interval}::interval WHERE model_id = ${model}`,
      control.sql`UPDATE settled_batches SET settled_at = now() - ${interval}::interval WHERE id = ${batchId}`,
    ]);
  const batches = () => control.query('SELECT id FROM settled_batches WHERE id = $1', [batchId]);
  await age('24 hours 55 minutes');
  await store.prune();
  expect(await counted()).toMatchObject({ requests: 1 });
  expect(await batches()).toHaveLength(1);
  await age('25 hours 1 minute');
  await store.prune();
  expect(await counted()).toMatchObject({ requests: 0 });
  expect(await batches()).toHaveLength(0);
});

it('a control plane that stops ends its streams after the commit in progress', async () => {
  await using own = await startControlPlanes();
  const stream = new Settlement(at(own.callers, 0));
  await stream.settle([outcomeOf(freshModel())]);
  await at(own.planes, 0).close();
  await until(() => stream.outcome !== undefined);
  expect(stream.outcome).toEqual({ error: undefined });
});

it('a control plane that cannot commit acknowledges nothing and ends the stream as unavailable', async () => {
  await using own = await startControlPlanes();
  const stream = new Settlement(at(own.callers, 0));
  await stream.settle([outcomeOf(freshModel())]);
  await own.allowConnections(false);
  try {
    await own.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    stream.send([outcomeOf(model)]);
    await until(() => stream.outcome !== undefined);
    expect(grpcStatus(stream.outcome?.error)).toBe(GrpcStatus.UNAVAILABLE);
    expect(stream.acks).toHaveLength(1);
  } finally {
    await own.allowConnections(true);
  }
  expect(await counted(model, own)).toMatchObject({ requests: 1 });
});
