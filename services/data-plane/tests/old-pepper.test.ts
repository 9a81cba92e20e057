import { ControlPlaneClient, type ResolveKeyResponseMessage } from '@model-gateway/contracts';
import { generateApiKey, lookupHash, pepperFingerprint } from '@model-gateway/shared';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { runWith } from '../../../packages/cli/tests/gatewayctl-fixture.ts';
import {
  PROVIDER_CREDENTIAL,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '../../../packages/test-kit/src/index.ts';
import { parseControlPlaneConfig, startControlPlane } from '../../control-plane/src/index.ts';
import { parseDataPlaneConfig, startDataPlane } from '../src/index.ts';
import { post } from './money-fixture.ts';

const { ADMIN_TOKEN, API_KEY_LOOKUP_PEPPER: OLD, INTERNAL_TOKEN } = TEST_SECRETS;
const NEW = 'another-pepper-0123456789abcdefghijklmn';

interface Peppers {
  API_KEY_LOOKUP_PEPPER: string;
  API_KEY_LOOKUP_PEPPER_OLD?: string;
}
const MOVING: Peppers = { API_KEY_LOOKUP_PEPPER: NEW, API_KEY_LOOKUP_PEPPER_OLD: OLD };
const MOVED: Peppers = { API_KEY_LOOKUP_PEPPER: NEW };
const UNMOVED: Peppers = { API_KEY_LOOKUP_PEPPER: OLD };

/** Started beside the control plane and the data plane of the gateway, which have the old pepper alone. */
class Rotation implements AsyncDisposable {
  readonly gateway: TestGateway;
  readonly #redisUrl: string | undefined;
  readonly #stack = new AsyncDisposableStack();

  constructor(gateway: TestGateway, redisUrl: string | undefined) {
    this.gateway = gateway;
    this.#redisUrl = redisUrl;
  }

  async controlPlane(peppers: Peppers) {
    const controlPlane = await startControlPlane(
      parseControlPlaneConfig({
        ...this.#common,
        ...peppers,
        ADMIN_TOKEN,
        DATABASE_URL: this.gateway.databaseUrl,
      }),
    );
    this.#stack.defer(() => controlPlane.close());
    const address = `127.0.0.1:${controlPlane.grpcPort}`;
    const gatewayctl = (...args: string[]) => runWith({ CONTROL_PLANE_ADDRESS: address, ADMIN_TOKEN }, args);
    const metrics = async () =>
      await (await fetch(`http://127.0.0.1:${controlPlane.internalPort}/metrics`)).text();
    return { address, gatewayctl, metrics };
  }

  /** @returns sends a request with a key to it */
  async dataPlane(controlPlane: { address: string }, peppers: Peppers) {
    const dataPlane = await startDataPlane(
      parseDataPlaneConfig({
        ...this.#common,
        ...peppers,
        CONTROL_PLANE_ADDRESS: controlPlane.address,
        SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
        DRAIN_TIMEOUT_MS: '1000',
      }),
    );
    this.#stack.defer(() => dataPlane.close());
    await until(
      async () => (await fetch(`http://127.0.0.1:${dataPlane.internalPort}/health/ready`)).status === 200,
    );
    return (rawKey: string) => statusOf(`http://127.0.0.1:${dataPlane.port}`, rawKey);
  }

  async [Symbol.asyncDispose]() {
    await this.#stack.disposeAsync();
  }

  get #common() {
    return {
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      INTERNAL_TOKEN,
      LOG_LEVEL: 'silent',
      REDIS_URL: this.#redisUrl,
    };
  }
}

async function statusOf(baseUrl: string, rawKey: string): Promise<number> {
  const response = await post(baseUrl, rawKey, 'images/generations', {
    model: 'sim/image-free',
    prompt: 'a gate',
  });
  await response.arrayBuffer();
  return response.status;
}

describe.each([
  ['without Redis', false],
  ['with Redis', true],
])('a pepper that is replaced, %s', (_name, withRedis) => {
  const redisUrl = withRedis ? inject('redis')?.url : undefined;
  let rotation: Rotation;
  beforeEach(async (context) => {
    if (withRedis && redisUrl === undefined) return context.skip();
    rotation = new Rotation(await startGateway(redisUrl === undefined ? {} : { redisUrl }), redisUrl);
  });
  afterEach(async () => {
    await rotation?.[Symbol.asyncDispose]();
    await rotation?.gateway.close();
  });

  it('refuses no key on the way, whichever pepper a data plane has, and a revocation reaches all of them', async () => {
    const { gateway } = rotation;
    const before = await gateway.createKey();
    const other = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const unmoved = await rotation.dataPlane(controlPlane, UNMOVED);
    const moving = await rotation.dataPlane(controlPlane, MOVING);
    const created = await controlPlane.gatewayctl(
      'keys',
      'create',
      '--account',
      before.accountId,
      '--name',
      'x',
      '--json',
    );
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
    expect(await controlPlane.gatewayctl('keys', 'revoke', before.id)).toMatchObject({ code: 0, err: '' });
    expect(await everywhere(before.rawKey)).toEqual([401, 401, 401, 401]);
    await gateway.revokeKey(id);
    expect(await everywhere(rawKey)).toEqual([401, 401, 401, 401]);
    expect(await everywhere(other.rawKey)).toEqual([200, 200, 200, 200]);
  });

  it('tells which keys have not moved; the others need the old pepper no more', async () => {
    const { gateway } = rotation;
    const seen = await gateway.createKey();
    const unseen = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const notMoved = async () =>
      JSON.parse((await controlPlane.gatewayctl('keys', 'old-pepper', '--json')).out);
    expect(await notMoved()).toMatchObject({ total: 2 });
    const moving = await rotation.dataPlane(controlPlane, MOVING);
    expect(await moving(seen.rawKey)).toBe(200);
    expect(await notMoved()).toMatchObject({ total: 1, keys: [{ id: unseen.id }] });

    const after = await rotation.controlPlane(MOVED);
    const moved = await rotation.dataPlane(after, MOVED);
    expect([await moved(seen.rawKey), await moved(unseen.rawKey)]).toEqual([200, 401]);
  });

  it('asks once for both hashes, once for an unknown key, and never again while that is known', async () => {
    const { gateway } = rotation;
    const { rawKey } = await gateway.createKey();
    const controlPlane = await rotation.controlPlane(MOVING);
    const moving = await rotation.dataPlane(controlPlane, MOVING);
    const lookups = async () => {
      const text = await controlPlane.metrics();
      return Number(
        /gateway_control_calls_total\{method="ResolveKey",status="OK"\} (\d+)/.exec(text)?.[1] ?? 0,
      );
    };
    expect([await moving(rawKey), await moving(rawKey), await lookups()]).toEqual([200, 200, 1]);
    const invented = generateApiKey();
    expect([await moving(invented), await moving(invented), await lookups()]).toEqual([401, 401, 2]);
  });

  it("moves no key to a pepper that is not the control plane's", async () => {
    const { gateway } = rotation;
    const { rawKey } = await gateway.createKey();
    const { address } = await rotation.controlPlane(MOVING);
    const third = 'a-third-pepper-0123456789abcdefghijklmn';
    const client = new ControlPlaneClient({ addresses: [address], token: INTERNAL_TOKEN, tls: {} });
    const { key } = await client.call<ResolveKeyResponseMessage>(10_000, (stubs, ...rest) =>
      stubs.keys.resolveKey(
        {
          lookupHash: lookupHash(third, rawKey),
          previousLookupHash: lookupHash(OLD, rawKey),
          pepperFingerprint: pepperFingerprint(third),
        },
        ...rest,
      ),
    );
    client.close();
    expect(key).toBeNull();
    expect(await statusOf(gateway.baseUrl, rawKey)).toBe(200);
  });
});
