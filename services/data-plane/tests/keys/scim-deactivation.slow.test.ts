import { readAll, startGateway, type TestGateway, watchLag } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { complete } from './revocation-drill.ts';

const PLANES = [0, 1];
const created = z.object({ id: z.string() });

/** Provisions a user with a key, and returns what deactivates and reactivates it. */
async function provision(gateway: TestGateway, email: string) {
  const { token } = await gateway.admin.call(30_000, 'scim', 'createScimToken', {
    name: 'okta',
    account: '',
  });
  const send = async (method: string, path: string, body: unknown, plane = 0) => {
    const response = await fetch(
      `http://127.0.0.1:${gateway.controlPlanes[plane]?.adminPort}/scim/v2${path}`,
      {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/scim+json' },
        body: JSON.stringify(body),
      },
    );
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    return await response.json();
  };
  const { id } = created.parse(await send('POST', '/Users', { userName: email, active: true }));
  const { key, rawKey } = await gateway.admin.call(30_000, 'accounts', 'createKey', {
    account: email,
    name: 'test',
  });
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
  return {
    keyId: key?.id ?? '',
    rawKey,
    setActive: (active: boolean, plane = 0) =>
      send(
        'PATCH',
        `/Users/${id}`,
        { schemas, Operations: [{ op: 'Replace', path: 'active', value: active }] },
        plane,
      ),
  };
}

describe('a user that its identity provider deactivates', () => {
  it('is refused with the next request on every data plane, and works again once it is reactivated, 20 times', async () => {
    await using gateway = await startGateway({ dataPlanes: 2, controlPlanes: 2, signupPoolUsd: '100' });
    const user = await provision(gateway, 'deactivated@example.com');
    const statuses = () =>
      Promise.all(PLANES.map(async (plane) => (await complete(gateway, plane, user.rawKey)).status));
    for (let round = 0; round < 20; round++) {
      expect([round, await statuses()]).toEqual([round, [200, 200]]);
      await user.setActive(false, round % 2);
      expect([round, await statuses()]).toEqual([round, [401, 401]]);
      await user.setActive(true, round % 2);
    }
  });

  it('loses its open streams on every data plane within a second', async () => {
    await using gateway = await startGateway({ dataPlanes: 2, controlPlanes: 2, signupPoolUsd: '100' });
    const user = await provision(gateway, 'streaming@example.com');
    const streams = await Promise.all(
      PLANES.map(async (plane) => {
        const response = await complete(gateway, plane, user.rawKey, {
          stream: true,
          max_tokens: 2_000,
          simulate: { token_delay_ms: 20, content: 'word '.repeat(1_000) },
        });
        expect(response.status).toBe(200);
        return { ended: readAll(response).then((read) => ({ ...read, endedAtMs: performance.now() })) };
      }),
    );
    using lag = watchLag();
    const startedAtMs = performance.now();
    await user.setActive(false);
    for (const { endedAtMs, text } of await Promise.all(streams.map(({ ended }) => ended))) {
      expect(endedAtMs - startedAtMs).toBeLessThan(1_000 + lag.allowanceMs());
      expect(text).toContain('"code":"invalid_api_key"');
      expect(text).not.toContain('[DONE]');
    }
  });
});
