import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { grpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { at, CALL_DEADLINE_MS, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { HealthWatch } from '../fixtures/settlement-fixture.ts';

const control = useControlPlanes({ count: 2 });

interface Waits {
  modelId: string;
  providerId: string;
  calls: number;
  longestMs: number;
}
interface Report {
  instanceId?: string;
  waitingCalls?: Waits[];
  validMs?: number;
}

const report = (plane: number, given: Report) =>
  at(control.callers, plane).callOnce(CALL_DEADLINE_MS, 'catalog', 'reportWaitingCalls', {
    instanceId: 'plane',
    waitingCalls: [],
    validMs: 60_000,
    ...given,
  });
const seen = async (plane: number, modelId: string) =>
  (await at(control.admins, plane).call(CALL_DEADLINE_MS, 'admin', 'getStatus', {})).waitingCalls.filter(
    (waits) => waits.modelId === modelId,
  );
const waits = (modelId: string, calls: number, longestMs: number): Waits => ({
  modelId,
  providerId: 'acme',
  calls,
  longestMs,
});

it('waiting calls add up over data planes at any control plane, and age without another report', async () => {
  const model = randomUUID();
  await report(0, { instanceId: 'one', waitingCalls: [waits(model, 2, 20_000)] });
  await report(1, { instanceId: 'two', waitingCalls: [waits(model, 1, 120_000)] });
  for (const plane of [0, 1])
    expect(await seen(plane, model)).toMatchObject([{ providerId: 'acme', calls: 3 }]);
  const [first] = await seen(0, model);
  expect(Number(first?.longestMs)).toBeGreaterThanOrEqual(120_000);
  await until(async () => Number((await seen(0, model))[0]?.longestMs) > Number(first?.longestMs));
  using watch = new HealthWatch(at(control.callers, 1));
  await until(() => watch.events.at(-1)?.waitingCalls.some(({ modelId }) => modelId === model) === true);
});

it("waiting calls are those of a data plane's last report", async () => {
  const [gone, stays] = [randomUUID(), randomUUID()];
  await report(0, { waitingCalls: [waits(gone, 1, 10_000), waits(stays, 5, 10_000)] });
  await report(1, { waitingCalls: [waits(stays, 4, 15_000)] });
  expect(await seen(0, gone)).toEqual([]);
  expect(await seen(0, stays)).toMatchObject([{ calls: 4 }]);
  await report(0, {});
  expect(await seen(1, stays)).toEqual([]);
});

it('waiting calls of a silent data plane are forgotten', async () => {
  const model = randomUUID();
  await report(0, { instanceId: 'silent', waitingCalls: [waits(model, 1, 10_000)], validMs: 2_000 });
  await until(async () => (await seen(0, model)).length === 0);
});

it.each<[string, Report]>([
  ['no instance', { instanceId: '' }],
  ['a count of 0', { waitingCalls: [waits('m', 0, 10_000)] }],
  ['a model twice', { waitingCalls: [waits('m', 1, 10_000), waits('m', 2, 10_000)] }],
  ['no period of validity', { validMs: 0 }],
])('a report of waiting calls with %s is refused', async (_name, given) => {
  const error = await report(0, given).catch((thrown: unknown) => thrown);
  expect(grpcStatus(error)).toBe(status.INVALID_ARGUMENT);
});
