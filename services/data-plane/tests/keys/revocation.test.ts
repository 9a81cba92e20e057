import { readAll, watchLag, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { complete, revocationDrill } from './revocation-drill.ts';

/**
 * The promise is about every single time; `npm run test:long` does ten thousand. An acknowledgement that
 * comes before the cache is right shows within the first few: each round asks three data planes at once.
 */
const ROUNDS = 40;

describe('a revoked key', () => {
  const gateway = withGateway({ dataPlanes: 3, controlPlanes: 2 });

  it(`a revoked key is refused on the very next request by each of 3 data planes behind 2 control planes, ${ROUNDS} times of ${ROUNDS}`, {}, async () => {
    await revocationDrill(gateway, ROUNDS);
  });

  it('a revoked key loses its open streams on every data plane within a second, with an error event', async () => {
    const key = await gateway.createKey();
    const other = await gateway.createKey();
    const open = async (plane: number, rawKey: string, words: number) => {
      const response = await complete(gateway, plane, rawKey, {
        stream: true,
        max_tokens: 2_000,
        simulate: { token_delay_ms: 20, content: 'word '.repeat(words) },
      });
      expect(response.status).toBe(200);
      const ended = readAll(response).then((read) => ({ ...read, endedAtMs: performance.now() }));
      return { ended };
    };
    const streams = await Promise.all([0, 1, 2].map((plane) => open(plane, key.rawKey, 1_000)));
    const bystander = await open(0, other.rawKey, 100);
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
});
