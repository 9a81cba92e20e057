import { describe, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../../packages/test-kit/src/index.ts';

/** The promise is about every single time; `npm run test:long` repeats it at the same size several times over. */
const ROUNDS = 1_000;
/** Rounds under way at once: they share nothing but the planes. */
const LANES = 10;

function complete(
  gateway: TestGateway,
  dataPlane: number,
  rawKey: string,
  body: object = {},
): Promise<Response> {
  return fetch(`${gateway.urlOf(dataPlane)}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'sim/chat-free',
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 1,
      ...body,
    }),
  });
}

describe('a revoked key', () => {
  it(`is refused on the very next request by each of 3 data planes behind 2 control planes, ${ROUNDS} times of ${ROUNDS}`, {
    timeout: 150_000,
  }, async () => {
    await using gateway = await startGateway({ dataPlanes: 3, controlPlanes: 2 });
    const accountId = await gateway.createAccount();
    const planes = [0, 1, 2];
    let round = 0;
    const lane = async () => {
      while (round++ < ROUNDS) {
        const key = await gateway.createKey(accountId);
        const before = await Promise.all(planes.map((plane) => complete(gateway, plane, key.rawKey)));
        expect(before.map(({ status }) => status)).toEqual([200, 200, 200]);
        const revoked = await gateway.revokeKey(key.id);
        expect(revoked.unconfirmedInstances).toEqual([]);
        const after = await Promise.all(planes.map((plane) => complete(gateway, plane, key.rawKey)));
        expect(after.map(({ status }) => status)).toEqual([401, 401, 401]);
        await Promise.all([...before, ...after].map((response) => response.text()));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  });

  it('loses its open streams on every data plane within a second, told by an error event', async () => {
    await using gateway = await startGateway({ dataPlanes: 3, controlPlanes: 2 });
    const key = await gateway.createKey();
    const other = await gateway.createKey();
    const open = async (plane: number, rawKey: string) => {
      const response = await complete(gateway, plane, rawKey, {
        stream: true,
        max_tokens: 500,
        simulate: { token_delay_ms: 20, content: 'word '.repeat(100) },
      });
      expect(response.status).toBe(200);
      const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
      await reader.read();
      return { reader, ended: readToEnd(reader) };
    };
    const streams = await Promise.all([0, 1, 2].map((plane) => open(plane, key.rawKey)));
    const bystander = await open(0, other.rawKey);
    const revokedAtMs = performance.now();
    await gateway.revokeKey(key.id);
    for (const { text, endedAtMs } of await Promise.all(streams.map(({ ended }) => ended))) {
      expect(endedAtMs - revokedAtMs).toBeLessThan(1_000);
      expect(text).toContain('"code":"invalid_api_key"');
      expect(text).not.toContain('[DONE]');
    }
    expect((await bystander.ended).text).toContain('[DONE]');
  });

  it('is refused without a look-up of anything but its hash, and an unknown key is no different', async () => {
    await using gateway = await startGateway();
    const key = await gateway.createKey();
    const twin = `${key.rawKey.slice(0, 20)}${'A'.repeat(37)}`;
    expect((await complete(gateway, 0, key.rawKey)).status).toBe(200);
    // Shares twenty characters with a real key: still another key, and its checksum is wrong.
    expect((await complete(gateway, 0, twin)).status).toBe(401);
    expect((await complete(gateway, 0, key.rawKey)).status).toBe(200);
  });
});

async function readToEnd(reader: ReadableStreamDefaultReader<Uint8Array>) {
  let text = '';
  try {
    for (let result = await reader.read(); !result.done; result = await reader.read()) {
      text += Buffer.from(result.value).toString();
    }
  } catch {
    // Broken off, as a failed stream must be.
  }
  return { text, endedAtMs: performance.now() };
}
