import { setTimeout as wait } from 'node:timers/promises';
import { generateApiKey } from '@model-gateway/shared';
import { envelopeOf, postJson, startGateway, type TestGateway, until } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';

async function complete(gateway: TestGateway, rawKey: string) {
  const response = await postJson(
    gateway.baseUrl,
    rawKey,
    'chat/completions',
    '{"model":"sim/chat-free","messages":[{"role":"user","content":"hello"}]}',
  );
  return { status: response.status, headers: response.headers, body: await response.text() };
}

const readiness = (gateway: TestGateway) =>
  fetch(`http://127.0.0.1:${gateway.dataPlanes[0]?.internalPort}/health/ready`);

describe('a gateway without a control plane', () => {
  it('a known key is served while its lease lasts, and then gets 503 with Retry-After, never 401', async () => {
    await using gateway = await startGateway({ catalog: true });
    const key = await gateway.createKey();
    expect((await complete(gateway, key.rawKey)).status).toBe(200);
    await gateway.controlPlanes[0]?.close();

    const seen = new Set<number>();
    await until(async () => {
      const answer = await complete(gateway, key.rawKey);
      seen.add(answer.status);
      if (answer.status !== 503) return false;
      expect(envelopeOf(answer)).toMatchObject({
        type: 'service_unavailable',
        code: 'control_plane_unavailable',
      });
      expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
      return true;
    });
    expect([...seen].every((status) => status === 200 || status === 503)).toBe(true);

    const unknown = await complete(gateway, generateApiKey());
    expect(unknown.status).toBe(503);
    expect((await complete(gateway, 'gw_live_malformed')).status).toBe(401);
    expect((await readiness(gateway)).status).toBe(503);
    expect((await fetch(`${gateway.baseUrl}/health`)).status).toBe(200);
    expect((await fetch(`${gateway.baseUrl}/v1/models`)).status).toBe(200);
  });

  it('a second control plane takes over without an error', async () => {
    await using gateway = await startGateway({ controlPlanes: 2 });
    const key = await gateway.createKey();
    expect((await complete(gateway, key.rawKey)).status).toBe(200);
    await gateway.controlPlanes[0]?.close();
    const fresh = await gateway.createKey();
    const until4s = performance.now() + 4_000;
    while (performance.now() < until4s) {
      expect((await complete(gateway, key.rawKey)).status).toBe(200);
      // The pause leaves CPU time to other tests.
      await wait(20);
    }
    expect((await complete(gateway, fresh.rawKey)).status).toBe(200);
    await gateway.revokeKey(key.id);
    expect((await complete(gateway, key.rawKey)).status).toBe(401);
  });
});

it('chats go on without the catalog service, and the public reads return 503 in the error envelope', async () => {
  await using gateway = await startGateway({ catalog: true });
  const key = await gateway.createKey();
  await gateway.catalog?.close();
  expect((await complete(gateway, key.rawKey)).status).toBe(200);
  const response = await fetch(`${gateway.baseUrl}/v1/models?secret=1`);
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toBe('1');
  const body = await response.text();
  expect(envelopeOf({ body })).toMatchObject({ type: 'service_unavailable' });
  expect(body).not.toContain('secret');
});
