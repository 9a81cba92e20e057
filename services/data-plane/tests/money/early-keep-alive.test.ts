import { chatBody, envelopeOf, postJson, startGateway, type TestGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { payingKey } from './money-fixture.ts';

/** Sooner than any control plane answers, as if the process had stood still while it waited for money. */
const KEEP_ALIVE_MS = 1;

/** Opens a stream with a new key, whose money no data plane has fetched. */
async function streamOfNewKey(gateway: TestGateway, includedUsd: string): Promise<Response> {
  const { rawKey } = await payingKey(gateway, includedUsd);
  return postJson(
    gateway.baseUrl,
    rawKey,
    'chat/completions',
    chatBody({ model: 'sim/chat-pro', max_tokens: 20, stream: true, simulate: { delay_ms: 50 } }),
  );
}

it('a stream that waits for money past its first keep-alive is served or refused as any other', async () => {
  await using gateway = await startGateway({
    ownPools: true,
    overrides: { streamTimings: { keepAliveMs: KEEP_ALIVE_MS } },
  });
  const served = await streamOfNewKey(gateway, '1');
  expect(served.status).toBe(200);
  expect(served.headers.get('x-gateway-model')).toBe('sim/chat-pro');
  const text = await served.text();
  expect(text).toContain(': keep-alive');
  expect(text).toContain('data: [DONE]');

  const refused = await streamOfNewKey(gateway, '0.000001');
  expect(refused.status).toBe(402);
  expect(envelopeOf({ body: await refused.text() }).code).toBe('insufficient_balance');
});
