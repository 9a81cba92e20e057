import { setTimeout as wait } from 'node:timers/promises';
import { metricOf, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import { payingKey, warmKey } from './money-fixture.ts';

export interface CallsDrill {
  dataPlanes: number;
  requests: number;
  /** Between the starts of two requests; 0: one follows the other. */
  intervalMs: number;
}

/**
 * Requests of one key, spread over data planes, whose pool has plenty; the first one on each is not counted.
 * @returns calls about money per request, the settlement stream aside
 */
export async function callsPerRequest({ dataPlanes, requests, intervalMs }: CallsDrill): Promise<number> {
  await using gateway = await startGateway({ dataPlanes, controlPlanes: 2, ownPools: true });
  const { rawKey } = await payingKey(gateway, '1000.00');
  for (let plane = 0; plane < dataPlanes; plane++) {
    await warmKey(gateway.urlOf(plane), rawKey);
    await sendImage(gateway, plane, rawKey);
  }
  const before = await moneyCalls(gateway);
  // The counter does count: money for the first requests was fetched.
  expect(before).toBeGreaterThanOrEqual(dataPlanes);
  const startedAtMs = performance.now();
  const running: Promise<void>[] = [];
  for (let sent = 0; sent < requests; sent++) {
    await wait(Math.max(0, startedAtMs + sent * intervalMs - performance.now()));
    const request = sendImage(gateway, sent % dataPlanes, rawKey);
    if (intervalMs === 0) await request;
    else running.push(request);
  }
  await Promise.all(running);
  return ((await moneyCalls(gateway)) - before) / requests;
}

/** Sends a request that costs exactly its reservation, so that nothing is left for the next one. */
async function sendImage(gateway: TestGateway, plane: number, rawKey: string): Promise<void> {
  const response = await postJson(gateway.urlOf(plane), rawKey, 'images/generations', {
    model: 'sim/image-pro',
    prompt: 'a lighthouse',
  });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
}

/** Returns gateway_allowance_calls_total, summed over everything. */
export async function moneyCalls({ dataPlanes }: TestGateway): Promise<number> {
  const calls = dataPlanes.map((plane) => metricOf(plane, 'gateway_allowance_calls_total'));
  return (await Promise.all(calls)).reduce((sum, count) => sum + count, 0);
}
