import { ControlPlaneClient } from '@model-gateway/contracts';
import {
  chatBody,
  envelopeOf,
  metricOf,
  postJson,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { signedInOwner } from '@model-gateway/test-kit/signed-in-owner';
import { describe, expect, it } from 'vitest';

/** Creates a playground key that expires after so many milliseconds. */
async function shortKey(gateway: TestGateway, validMs: number) {
  const accountId = await gateway.createAccount();
  const user = await signedInOwner(gateway.databaseUrl, accountId);
  const dashboard = new ControlPlaneClient({
    addresses: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`),
    token: TEST_SECRETS.INTERNAL_TOKEN,
    tls: {},
  });
  try {
    const { keyId, rawKey } = await dashboard.callOnce(30_000, 'dashboard', 'createPlaygroundKey', {}, user);
    const expiresAtMs = Date.now() + validMs;
    await using sql = openSql(gateway.databaseUrl);
    await sql.run('UPDATE api_keys SET expires_at = $1 WHERE id = $2', new Date(expiresAtMs), keyId);
    return { rawKey, expiresAtMs };
  } finally {
    dashboard.close();
  }
}

async function complete({ baseUrl }: TestGateway, rawKey: string) {
  const response = await postJson(baseUrl, rawKey, 'chat/completions', chatBody({ model: 'sim/chat-pro' }));
  return { status: response.status, headers: response.headers, body: await response.text() };
}

/** Sends requests without a pause until one is refused. */
async function useUntilRefused(gateway: TestGateway, rawKey: string) {
  let lastServedMs = 0;
  for (;;) {
    const askedAtMs = Date.now();
    const answer = await complete(gateway, rawKey);
    if (answer.status !== 200) return { answer, lastServedMs, refusedAtMs: Date.now() };
    lastServedMs = askedAtMs;
  }
}

const missedLookups = ({ dataPlanes }: TestGateway) =>
  metricOf(dataPlanes[0], 'gateway_key_lookups_total', { result: 'miss' });

describe.concurrent('a key that expires', () => {
  it('an expiring key is served and billed until its end, and refused from then on out of the cache', async () => {
    await using gateway = await startGateway();
    // Long enough for a busy machine to serve a request before the key expires.
    const { rawKey, expiresAtMs } = await shortKey(gateway, 6_000);
    expect((await complete(gateway, rawKey)).status).toBe(200);
    const lookups = await missedLookups(gateway);
    const { answer, lastServedMs, refusedAtMs } = await useUntilRefused(gateway, rawKey);
    expect(answer.status).toBe(401);
    expect(envelopeOf(answer)).toMatchObject({ type: 'invalid_api_key', code: 'invalid_api_key' });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
    expect(refusedAtMs).toBeGreaterThanOrEqual(expiresAtMs);
    // No request that was sent after the expiry was served.
    expect(lastServedMs).toBeLessThan(expiresAtMs);
    expect(await missedLookups(gateway)).toBe(lookups);
    await using sql = openSql(gateway.databaseUrl);
    await until(async () => {
      const rows = await sql.rows(`SELECT request_id FROM usage_records WHERE charged > 0 LIMIT 1`);
      return rows.length === 1;
    });
  });

  it('an expiring key is refused at its end while no control plane answers', async () => {
    await using gateway = await startGateway();
    const { rawKey, expiresAtMs } = await shortKey(gateway, 6_000);
    expect((await complete(gateway, rawKey)).status).toBe(200);
    // The key expires within the 2 s for which the data plane trusts its last confirmation.
    await until(() => Date.now() >= expiresAtMs - 1_000);
    await gateway.controlPlanes[0]?.close();
    await until(() => Date.now() >= expiresAtMs);
    expect((await complete(gateway, rawKey)).status).toBe(401);
  });

  it('an expired key is refused by a data plane that has never seen it', async () => {
    await using gateway = await startGateway();
    const { rawKey } = await shortKey(gateway, -1);
    expect((await complete(gateway, rawKey)).status).toBe(401);
  });
});
