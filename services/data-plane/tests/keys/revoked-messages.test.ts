import { startGateway, type TestGateway, watchLag } from '@model-gateway/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bothApis, CHAT, CLAUDE } from '../endpoints/both-apis.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ document: bothApis, dataPlanes: 2 });
});
afterAll(() => gateway.close());
beforeEach(() => gateway.provider.clear());

async function open(baseUrl: string, rawKey: string, model: string) {
  gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(2_000) });
  const response = await fetch(`${baseUrl}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': rawKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      max_tokens: 5_000,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
    }),
  });
  expect(response.status).toBe(200);
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const first = Buffer.from((await reader.read()).value ?? []).toString();
  const ended = (async () => {
    let text = first;
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        text += Buffer.from(next.value).toString();
      }
    } catch {
      return { text, endedAtMs: performance.now(), isBrokenOff: true };
    }
    return { text, endedAtMs: performance.now(), isBrokenOff: false };
  })();
  return { ended };
}

/** The last event of a stream of Messages. */
function lastEvent(text: string): unknown {
  const [, data = ''] = /event: error\ndata: (.*)\n\n$/.exec(text) ?? [];
  return JSON.parse(data);
}

describe.each([CLAUDE, CHAT])('an open stream of Messages from %s', (model) => {
  it('ends within a second when its key is revoked, by an error event and without message_stop', async () => {
    const key = await gateway.createKey();
    const streams = await Promise.all([0, 1].map((plane) => open(gateway.urlOf(plane), key.rawKey, model)));
    using lag = watchLag();
    const revokedAtMs = performance.now();
    await gateway.revokeKey(key.id);
    for (const { endedAtMs, isBrokenOff, text } of await Promise.all(streams.map(({ ended }) => ended))) {
      expect(endedAtMs - revokedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
      expect(isBrokenOff).toBe(true);
      expect(lastEvent(text)).toMatchObject({
        type: 'error',
        error: { type: 'authentication_error', code: 'invalid_api_key' },
      });
      expect(text).not.toContain('message_stop');
    }
    const refused = await fetch(`${gateway.baseUrl}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': key.rawKey, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(refused.status).toBe(401);
  });

  it('ends in an error event when the data plane has drained for too long', async () => {
    const plane = await gateway.startDataPlane({ DRAIN_TIMEOUT_MS: '300' });
    const { rawKey } = await gateway.createKey();
    const stream = await open(`http://127.0.0.1:${plane.port}`, rawKey, model);
    await plane.close();
    const { isBrokenOff, text } = await stream.ended;
    expect(isBrokenOff).toBe(true);
    expect(lastEvent(text)).toMatchObject({ type: 'error', error: { type: 'overloaded_error' } });
    expect(text).not.toContain('message_stop');
  });
});
