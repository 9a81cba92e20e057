import { startGateway, watchLag } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { complete, revocationDrill } from './revocation-drill.ts';

/**
 * The promise is about every single time; `npm run test:long` does ten thousand. An acknowledgement that
 * comes before the cache is right shows within the first few: each round asks three data planes at once.
 */
const ROUNDS = 100;

describe('a revoked key', () => {
  it(`a revoked key is refused on the very next request by each of 3 data planes behind 2 control planes, ${ROUNDS} times of ${ROUNDS}`, {}, async () => {
    await using gateway = await startGateway({ dataPlanes: 3, controlPlanes: 2 });
    await revocationDrill(gateway, ROUNDS);
  });

  it('a revoked key loses its open streams on every data plane within a second, with an error event', async () => {
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
    using lag = watchLag();
    const revokedAtMs = performance.now();
    await gateway.revokeKey(key.id);
    for (const { text, endedAtMs } of await Promise.all(streams.map(({ ended }) => ended))) {
      expect(endedAtMs - revokedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
      expect(text).toContain('"code":"invalid_api_key"');
      expect(text).not.toContain('[DONE]');
    }
    expect((await bystander.ended).text).toContain('[DONE]');
  });

  it('a key that shares twenty characters with a real one is refused', async () => {
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
