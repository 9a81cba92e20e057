import { chatBody, metricOf, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';

/** Longer than the word of the control plane on a key counts. */
const HELD_UP_MS = 3_500;
/** More than one address may look keys up for at a time. */
const REQUESTS = 200;

it.each(['sim/chat-free', 'sim/chat-pro'])(
  'a burst at a process that stood still past its leases is answered with few look-ups (%s)',
  async (model) => {
    await using gateway = await startGateway();
    const { rawKey } = await gateway.createKey();
    expect(await chat(gateway, rawKey, model)).toBe(200);
    const before = await lookUps(gateway);
    const answers = Array.from({ length: REQUESTS }, () => chat(gateway, rawKey, model));
    // They are on their way, and this thread is the whole gateway.
    // It stands still without using the processor, which other tests need.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, HELD_UP_MS);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect((await lookUps(gateway)) - before).toBeLessThan(REQUESTS / 10);
  },
);

async function chat(gateway: TestGateway, rawKey: string, model: string): Promise<number> {
  const body = chatBody({ model, max_tokens: 1 });
  const response = await postJson(gateway.baseUrl, rawKey, 'chat/completions', body);
  await response.arrayBuffer();
  return response.status;
}

const lookUps = ({ controlPlanes }: TestGateway) =>
  metricOf(controlPlanes[0], 'gateway_control_calls_total', { method: 'ResolveKey' });
