import { randomUUID } from 'node:crypto';
import { status } from '@grpc/grpc-js';
import { grpcStatus } from '@model-gateway/contracts';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { at, useControlPlanes } from '../fixtures/control-planes-fixture.ts';
import { HealthWatch, outcomeOf, Settlement } from '../fixtures/settlement-fixture.ts';

const control = useControlPlanes({ count: 2 });

interface Report {
  instanceId?: string;
  probes?: { providerId: string; outcome: string }[];
  validMs?: number;
}

const report = (plane: number, given: Report) =>
  at(control.callers, plane).callOnce(30_000, 'catalog', 'reportProbes', {
    instanceId: 'plane',
    probes: [],
    validMs: 60_000,
    ...given,
  });

it('probes are shared by all control planes, and two failures in a row are an outage', async () => {
  const providerId = randomUUID();
  using watch = new HealthWatch(at(control.callers, 1));
  const sees = (wanted: string) => until(() => watch.providerFigures(providerId)?.status === wanted);
  const failed = [{ providerId, outcome: 'failed' }];
  await report(0, { probes: failed });
  await sees('degraded_performance');
  // Moved to another control plane.
  await report(1, { probes: failed });
  await sees('major_outage');
  await report(0, { instanceId: 'other', probes: [{ providerId, outcome: 'ok' }] });
  await sees('partial_outage');
  await report(0, { probes: [{ providerId, outcome: 'ok' }] });
  await sees('operational');
  expect(watch.providerFigures(providerId)).toMatchObject({ requests5m: 0, latencyMs: null });
});

it('overdue probes do not count', async () => {
  const providerId = randomUUID();
  using watch = new HealthWatch(at(control.callers, 0));
  await report(0, { probes: [{ providerId, outcome: 'refused' }], validMs: 4_000 });
  await until(() => watch.providerFigures(providerId)?.status === 'degraded_performance');
  await until(() => watch.providerFigures(providerId) === undefined);
});

it('the outcomes of requests override probes', async () => {
  const providerId = randomUUID();
  using watch = new HealthWatch(at(control.callers, 0));
  for (let count = 0; count < 2; count++) await report(0, { probes: [{ providerId, outcome: 'failed' }] });
  await until(() => watch.providerFigures(providerId)?.status === 'major_outage');
  await new Settlement(at(control.callers, 0)).settle([outcomeOf('m/probed', { providerId })]);
  await until(() => watch.providerFigures(providerId)?.status === 'operational');
  expect(watch.providerFigures(providerId)?.requests5m).toBe(1);
});

it.each<[string, Report]>([
  ['no instance', { instanceId: '' }],
  ['an outcome that nobody knows', { probes: [{ providerId: 'p', outcome: 'fine' }] }],
  ['a provider twice', { probes: ['ok', 'failed'].map((outcome) => ({ providerId: 'p', outcome })) }],
  ['no period of validity', { validMs: 0 }],
])('a probe report with %s is refused', async (_name, given) => {
  const error = await report(0, given).catch((thrown: unknown) => thrown);
  expect(grpcStatus(error)).toBe(status.INVALID_ARGUMENT);
});
