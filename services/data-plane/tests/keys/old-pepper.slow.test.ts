import { ControlPlaneClient } from '@model-gateway/contracts';
import { generateApiKey, lookupHash, pepperFingerprint } from '@model-gateway/shared';
import { dumpTables, postJson, startGateway, TEST_SECRETS, until } from '@model-gateway/test-kit';
import { type Peppers, ServicesBeside } from '@model-gateway/test-kit/services-beside';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { runWith } from '../../../../packages/cli/tests/gatewayctl-fixture.ts';

const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER: OLD, INTERNAL_TOKEN } = TEST_SECRETS;
const NEW = 'another-pepper-0123456789abcdefghijklmn';

const MOVING: Peppers = { API_KEY_LOOKUP_PEPPER: NEW, API_KEY_LOOKUP_PEPPER_OLD: OLD };
const MOVED: Peppers = { API_KEY_LOOKUP_PEPPER: NEW };
const UNMOVED: Peppers = { API_KEY_LOOKUP_PEPPER: OLD };

async function statusOf(baseUrl: string, rawKey: string): Promise<number> {
  // Under load a look-up may exceed its deadline and get 503: the request is then sent again.
  for (;;) {
    const response = await postJson(baseUrl, rawKey, 'images/generations', {
      model: 'sim/image-free',
      prompt: 'a gate',
    });
    await response.arrayBuffer();
    if (response.status !== 503) return response.status;
  }
}

function statusAt(baseUrl: string): (rawKey: string) => Promise<number> {
  return (rawKey) => statusOf(baseUrl, rawKey);
}

function gatewayctlAt({ address }: { address: string }, ...args: string[]) {
  return runWith({ CONTROL_PLANE_ADDRESS: address, ADMIN_TOKEN }, args);
}

describe.each([
  ['without Redis', false],
  ['with Redis', true],
])('a pepper rotation, %s', (_name, withRedis) => {
  const redisUrl = withRedis ? inject('redis')?.url : undefined;
  let rotation: ServicesBeside;
  beforeEach(async (context) => {
    if (withRedis && redisUrl === undefined) return context.skip();
    rotation = new ServicesBeside(await startGateway(redisUrl === undefined ? {} : { redisUrl }), redisUrl);
  });
  afterEach(async () => {
    await rotation?.[Symbol.asyncDispose]();
    await rotation?.gateway.close();
  });

  it('a pepper rotation refuses no key on any data plane, and a revocation reaches all of them', async () => {
    const { gateway } = rotation;
    const before = await gateway.createKey();
    const other = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const unmoved = statusAt(await rotation.dataPlane(controlPlane, UNMOVED));
    const moving = statusAt(await rotation.dataPlane(controlPlane, MOVING));
    const args = ['keys', 'create', '--account', before.accountId, '--name', 'x', '--json'];
    const created = await gatewayctlAt(controlPlane, ...args);
    const { key: rawKey, id } = JSON.parse(created.out);
    const everywhere = async (raw: string) => [
      await statusOf(gateway.baseUrl, raw),
      await unmoved(raw),
      await moving(raw),
      await unmoved(raw),
    ];
    for (const raw of [before.rawKey, other.rawKey, rawKey])
      expect(await everywhere(raw)).toEqual([200, 200, 200, 200]);
    // Its data planes know the key by different hashes.
    expect(await gatewayctlAt(controlPlane, 'keys', 'revoke', before.id)).toMatchObject({ code: 0, err: '' });
    expect(await everywhere(before.rawKey)).toEqual([401, 401, 401, 401]);
    await gateway.revokeKey(id);
    expect(await everywhere(rawKey)).toEqual([401, 401, 401, 401]);
    expect(await everywhere(other.rawKey)).toEqual([200, 200, 200, 200]);
  });

  it('the list of keys on the old pepper shrinks as they are used, and moved ones no longer need it', async () => {
    const { gateway } = rotation;
    const seen = await gateway.createKey();
    const unseen = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const notMoved = async () =>
      JSON.parse((await gatewayctlAt(controlPlane, 'keys', 'old-pepper', '--json')).out);
    expect(await notMoved()).toMatchObject({ total: 2 });
    const moving = statusAt(await rotation.dataPlane(controlPlane, MOVING));
    expect(await moving(seen.rawKey)).toBe(200);
    expect(await notMoved()).toMatchObject({ total: 1, keys: [{ id: unseen.id }] });

    const after = await rotation.controlPlane(MOVED);
    const moved = statusAt(await rotation.dataPlane(after, MOVED));
    expect([await moved(seen.rawKey), await moved(unseen.rawKey)]).toEqual([200, 401]);
  });

  it('stored credentials of providers can be read on every data plane, before, during and after', async () => {
    const { gateway } = rotation;
    const { rawKey } = await gateway.createKey();
    // The provider refuses it, which shows that it is used instead of the variable.
    const stored = { name: 'SIMULATED_API_KEY', value: 'stored-credential-0123456789' };
    const isUsed = async (baseUrl: string) => (await statusOf(baseUrl, rawKey)) === 502;
    await gateway.admin.call(10_000, 'admin', 'setCredential', stored);
    await until(() => isUsed(gateway.baseUrl));
    const moving = await rotation.controlPlane(MOVING);
    for (const peppers of [UNMOVED, MOVING, MOVED])
      await until(async () => isUsed(await rotation.dataPlane(moving, peppers)));
    expect(await isUsed(gateway.baseUrl)).toBe(true);
    const rows = async () => (await dumpTables(gateway.databaseUrl)).match(/\(SIMULATED_API_KEY,/g)?.length;
    expect(await rows()).toBe(2);
    const moved = await rotation.controlPlane(MOVED);
    expect(await rows()).toBe(1);
    expect(await isUsed(await rotation.dataPlane(moved, MOVED))).toBe(true);
    const { out } = await gatewayctlAt(moved, 'credentials', 'list', '--json');
    expect(JSON.parse(out)).toMatchObject([{ source: 'stored', last_four: '6789' }]);
  });

  it('a data plane looks up both hashes in one call, and keeps what it has learnt', async () => {
    const { gateway } = rotation;
    const { rawKey } = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const moving = statusAt(await rotation.dataPlane(controlPlane, MOVING));
    const lookups = async () => {
      const text = await controlPlane.metrics();
      return Number(
        /gateway_control_calls_total\{method="ResolveKey",status="OK"\} (\d+)/.exec(text)?.[1] ?? 0,
      );
    };
    expect([await moving(rawKey), await lookups()]).toEqual([200, 1]);
    const invented = generateApiKey();
    expect([await moving(invented), await lookups()]).toEqual([401, 2]);
    // Nothing is cached while the busy machine delays the watch over keys.
    await until(async () => {
      const before = await lookups();
      expect([await moving(rawKey), await moving(invented)]).toEqual([200, 401]);
      return (await lookups()) === before;
    });
  });

  it('a key is never moved to a pepper that the control plane does not have', async () => {
    const { gateway } = rotation;
    const { rawKey } = await gateway.createKey();
    const { address } = await rotation.controlPlane(MOVING);
    const third = 'a-third-pepper-0123456789abcdefghijklmn';
    const client = new ControlPlaneClient({ addresses: [address], token: INTERNAL_TOKEN, tls: {} });
    const { key } = await client.call(10_000, 'keys', 'resolveKey', {
      lookupHash: lookupHash(third, rawKey),
      previousLookupHash: lookupHash(OLD, rawKey),
      pepperFingerprint: pepperFingerprint(third),
    });
    client.close();
    expect(key).toBeNull();
    expect(await statusOf(gateway.baseUrl, rawKey)).toBe(200);
  });
});
