import type { CatalogDocumentInput } from '@model-gateway/shared';
import {
  postJson,
  simulatedCatalog,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { backUpDatabase } from '@model-gateway/test-kit/back-up-database';
import { openSql } from '@model-gateway/test-kit/open-sql';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';
import { verifyLedger } from '../money/money-fixture.ts';

/** Long, for a busy machine. */
const WAIT_MS = 120_000;
const RESTORED = 'the database was restored or failed over';

function imagesAt(usd: string, baseUrl: string): CatalogDocumentInput {
  const document = simulatedCatalog(baseUrl);
  const priced = (model: (typeof document.models)[number]) =>
    model.id === 'sim/image-pro' ? { ...model, pricing: { image_usd: usd } } : model;
  return { ...document, models: document.models.map(priced) };
}

async function statusOf(gateway: TestGateway, rawKey: string, plane = 0): Promise<number> {
  // On a machine under load, a look-up may time out with 503. Send the request again.
  for (;;) {
    const response = await postJson(gateway.urlOf(plane), rawKey, 'images/generations', {
      model: 'sim/image-free',
      prompt: 'a gate',
    });
    await response.arrayBuffer();
    if (response.status !== 503) return response.status;
  }
}

/** Sets the price of an image, waits until the data planes have it, and buys one. */
async function buyImage(gateway: TestGateway, rawKey: string, usd: string): Promise<string> {
  await gateway.applyCatalog(imagesAt(usd, gateway.provider.baseUrl));
  const revision = await catalogRevision(gateway);
  await until(
    () => gateway.logText().split(`"revision":${revision},`).length > gateway.dataPlanes.length,
    WAIT_MS,
  );
  for (;;) {
    const response = await postJson(gateway.baseUrl, rawKey, 'images/generations', {
      model: 'sim/image-pro',
      prompt: 'a gate',
    });
    const text = await response.text();
    if (response.status === 503) continue;
    expect(response.status, text).toBe(200);
    return response.headers.get('x-request-id') ?? '';
  }
}

async function catalogRevision(gateway: TestGateway): Promise<string> {
  const { revision } = await gateway.admin.call(WAIT_MS, 'catalog', 'getCatalog', {});
  return revision;
}

const rows = z.array(z.object({ version: z.number(), charged: z.string() }));

async function bought(gateway: TestGateway, requestId: string): Promise<z.infer<typeof rows>[number]> {
  await using sql = openSql(gateway.databaseUrl);
  const read = async () =>
    rows.parse(
      await sql.rows(
        'SELECT price_version AS version, charged::text FROM usage_records WHERE request_id = $1',
        requestId,
      ),
    );
  await until(async () => (await read()).length === 1, WAIT_MS);
  const [row] = await read();
  if (row === undefined) throw new Error('the request is not settled');
  return row;
}

describe.each([
  ['without Redis', false],
  ['with Redis', true],
])('a database that is restored under running control planes, %s', (_name, withRedis) => {
  let gateway: TestGateway;
  const redis = inject('redis');

  beforeEach(async (context) => {
    if (withRedis && redis === undefined) return context.skip();
    gateway = await startGateway({
      controlPlanes: 2,
      dataPlanes: 2,
      ...(withRedis && redis !== undefined ? { redisUrl: redis.url } : {}),
    });
  });
  afterEach(async () => {
    await gateway?.close();
  });

  it('a restore is noticed: price versions are never reused, and lost acknowledgements are not trusted', async () => {
    const kept = await gateway.createKey();
    const leaked = await gateway.createKey();
    const first = await bought(gateway, await buyImage(gateway, kept.rawKey, '0.1'));
    await using backup = await backUpDatabase(gateway.databaseUrl);

    const lost = await bought(gateway, await buyImage(gateway, kept.rawKey, '0.2'));
    expect(lost).toEqual({ version: first.version + 1, charged: '200000000' });
    const late = await gateway.createKey();
    await gateway.revokeKey(leaked.id);
    expect([await statusOf(gateway, leaked.rawKey), await statusOf(gateway, late.rawKey)]).toEqual([
      401, 200,
    ]);
    await until(() => gateway.logText().includes(`"key_id":"${leaked.id}"`), WAIT_MS);
    const log = gateway.logText();

    await backup.restore();
    await until(() => gateway.logText().split(RESTORED).length > gateway.controlPlanes.length, WAIT_MS);
    await until(async () => (await statusOf(gateway, late.rawKey)) === 401, WAIT_MS);
    await until(async () => (await statusOf(gateway, late.rawKey, 1)) === 401, WAIT_MS);

    const after = await bought(gateway, await buyImage(gateway, kept.rawKey, '0.3'));
    expect(after.version).toBeGreaterThan(lost.version);
    expect(after.charged).toBe('300000000');

    // It was revoked after the backup, which only the log of the control planes shows.
    if (!withRedis) expect(await statusOf(gateway, leaked.rawKey)).toBe(200);
    const environment = {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[1]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    };
    const listed = await runWith(environment, ['keys', 'revoke', '--from-log', '-', '--dry-run'], log);
    expect(listed.out).toMatch(new RegExp(`${leaked.id} .*active +active`));
    const revoked = await runWith(environment, ['keys', 'revoke', '--from-log', '-'], log);
    expect(revoked).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringMatching(/1 of 1 logged keys revoked\n$/),
    });
    for (const plane of [0, 1]) expect(await statusOf(gateway, leaked.rawKey, plane)).toBe(401);

    // Revocations still work at once.
    expect([await statusOf(gateway, kept.rawKey, 0), await statusOf(gateway, kept.rawKey, 1)]).toEqual([
      200, 200,
    ]);
    expect(await gateway.revokeKey(kept.id)).toMatchObject({ unconfirmedInstances: [] });
    for (const plane of [0, 1]) expect(await statusOf(gateway, kept.rawKey, plane)).toBe(401);
    expect((await verifyLedger(gateway)).disagreements).toEqual([]);
  });

  it('a revocation that was acknowledged only in the lost history is not reported as done', async () => {
    const keys = await Promise.all(Array.from({ length: 4 }, () => gateway.createKey()));
    await using backup = await backUpDatabase(gateway.databaseUrl);
    // The data planes are ahead of the backup by these revisions.
    for (const key of keys.slice(1)) await gateway.revokeKey(key.id);
    const [first] = keys;
    if (first === undefined) throw new Error('no key');
    for (const plane of [0, 1]) expect(await statusOf(gateway, first.rawKey, plane)).toBe(200);
    await backup.restore();
    // At once, before any process notices the restore.
    await until(async () => {
      const answer = await gateway.revokeKey(first.id).catch(() => undefined);
      return answer?.unconfirmedInstances.length === 0;
    }, WAIT_MS);
    for (const plane of [0, 1]) expect(await statusOf(gateway, first.rawKey, plane)).toBe(401);
  });
});
