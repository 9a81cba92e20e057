import { randomUUID } from 'node:crypto';
import { ControlPlaneClient } from '@model-gateway/contracts';
import {
  openBooks,
  postJson,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { expectLedgerAgrees, NANO_PER_USD, payingKey, warmKey } from './money-fixture.ts';

async function images(gateway: TestGateway, plane: number, rawKey: string, n: number) {
  const body = { model: 'sim/image-pro', prompt: 'a lighthouse', n };
  const response = await postJson(gateway.urlOf(plane), rawKey, 'images/generations', body);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

describe('money that another data plane holds unused', () => {
  it('unused money is recalled from another data plane before a request is refused', async () => {
    await using gateway = await startGateway({ dataPlanes: 2, controlPlanes: 2, ownPools: true });
    await using books = openBooks(gateway.databaseUrl);
    const { rawKey } = await payingKey(gateway, '0.40');
    for (const plane of [0, 1]) await warmKey(gateway.urlOf(plane), rawKey);
    expect((await images(gateway, 0, rawKey, 1)).status).toBe(200);
    // It keeps something for the next one.
    await until(async () => (await books.pools())[0]?.charged === 40_000_000n);
    expect((await books.pools())[0]?.held).toBeGreaterThan(0n);
    // All that is left.
    expect((await images(gateway, 1, rawKey, 9)).status).toBe(200);
    expect((await images(gateway, 0, rawKey, 1)).status).toBe(402);
    await expectLedgerAgrees(gateway);
    expect((await books.pools())[0]).toMatchObject({ remaining: 0n, charged: 400_000_000n });
  });

  it('a request gets 503, never 402, while another data plane does not return money, and then succeeds', async () => {
    await using gateway = await startGateway({ ownPools: true });
    await using books = openBooks(gateway.databaseUrl);
    const { rawKey, account } = await payingKey(gateway, '1.00');
    await warmKey(gateway.baseUrl, rawKey);
    // A data plane that took an eighth to spare, and is silent from then on.
    using stack = new DisposableStack();
    const silent = stack.adopt(
      new ControlPlaneClient({
        addresses: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`),
        token: TEST_SECRETS.INTERNAL_TOKEN,
        tls: {},
      }),
      (client) => client.close(),
    );
    const [allowanceId, instanceId] = [randomUUID(), randomUUID()];
    await books.query(
      `INSERT INTO key_watchers (instance_id, control_plane_id, acked_revision, lease_until)
       VALUES ($1, 'test', 0, now() + interval '1 min')`,
      [instanceId],
    );
    const granted = await silent.call(5_000, 'billing', 'acquireAllowance', {
      allowanceId,
      instanceId,
      payer: [{ kind: 'account', id: account }],
      needs: [String(NANO_PER_USD / 2n)],
      spare: String(NANO_PER_USD),
    });
    expect(BigInt(granted.granted)).toBeGreaterThan(NANO_PER_USD / 2n);
    expect((await images(gateway, 0, rawKey, 10)).status).toBe(200);
    const late = await images(gateway, 0, rawKey, 10);
    expect(late.status).toBe(503);
    expect(late.headers.get('retry-after')).toBe('1');
    expect(late.text).toContain('control_plane_unavailable');
    const asked = gateway.provider.requests.filter(({ path }) => path.endsWith('/images/generations'));
    expect(asked).toHaveLength(1);
    await silent.call(5_000, 'billing', 'returnAllowance', { allowanceId, close: true });
    expect((await images(gateway, 0, rawKey, 10)).status).toBe(200);
    await until(async () => (await books.pools())[0]?.charged === 800_000_000n);
  });
});
