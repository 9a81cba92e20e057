import type { CatalogDocumentInput, ModelObject } from '@model-gateway/shared';
import { modelList, modelObject, modelStatusList, statusSummary } from '@model-gateway/shared';
import {
  PROVIDER_CREDENTIAL,
  simulatedCatalog,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWith } from './gatewayctl-fixture.ts';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ catalog: true, controlPlanes: 2, dataPlanes: 2 });
});
afterAll(() => gateway.close());

/** Returns the simulated catalog with one further provider. One of its models has another provider, too. */
function ownCatalog(baseUrl: string): CatalogDocumentInput {
  const sound = simulatedCatalog(baseUrl);
  const model = (id: string, ...providers: string[]) => ({
    id,
    name: id,
    capability: 'chat' as const,
    tier: 'free' as const,
    upstreams: providers.map((provider) => ({ provider, model: 'sim-chat-free' })),
  });
  return {
    providers: [
      ...sound.providers,
      {
        id: 'acme',
        name: 'Acme AI',
        kind: 'openai-compatible',
        base_url: baseUrl,
        credential_env: 'ACME_API_KEY',
      },
    ],
    models: [...sound.models, model('acme/small', 'acme'), model('acme/spare', 'acme', 'sim')],
  };
}

function gatewayctl(args: readonly string[], stdin = '') {
  const [first] = gateway.controlPlanes;
  return runWith(
    { CONTROL_PLANE_ADDRESS: `127.0.0.1:${first?.grpcPort}`, ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN },
    args,
    stdin,
  );
}

const apply = (...options: string[]) =>
  gatewayctl(
    ['catalog', 'apply', '-f', '-', ...options],
    JSON.stringify(ownCatalog(gateway.provider.baseUrl)),
  );

const get = async (path: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${gateway.catalog?.port}${path}`)).json();
const listed = async (id: string): Promise<ModelObject | undefined> =>
  modelList.parse(await get('/v1/models')).data.find((model) => model.id === id);
const rowOf = async (id: string) =>
  modelStatusList.parse(await get('/v1/status/models')).data.find((row) => row.id === id);
const summary = async () => {
  const { components, status } = statusSummary.parse(await get('/v1/status'));
  const acme = components.find(({ id }) => id === 'provider:acme');
  return { ...status, status: acme?.status, configuration: acme?.configuration };
};

async function chat(port: number, model: string): Promise<number> {
  const { rawKey } = await gateway.createKey();
  const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  await response.arrayBuffer();
  return response.status;
}

// The tests are one story: each begins where the one before has ended.
describe('a provider whose credential no data plane has', () => {
  it('is warned of before and after its catalog is applied, with the variable, the provider and its models', async () => {
    const warning =
      'Warning: no data plane has ACME_API_KEY, so provider acme cannot be used, ' +
      'and nobody can call acme/small: set it with gatewayctl credentials set ACME_API_KEY.\n';
    const rehearsal = await apply('--dry-run');
    expect(rehearsal).toMatchObject({ code: 0, err: warning });
    expect(await listed('acme/small')).toBeUndefined();
    expect(await apply()).toMatchObject({ code: 0, err: warning });
    const { code, out, err } = await apply('--json');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toMatchObject({
      warnings: [
        {
          provider: 'acme',
          variable: 'ACME_API_KEY',
          configuration: 'not_configured',
          data_planes: { set: 0, missing: 2, unknown: 0 },
          models: [
            { id: 'acme/small', configuration: 'not_configured' },
            { id: 'acme/spare', configuration: 'partly_configured' },
          ],
          message: expect.stringMatching(/^no data plane has ACME_API_KEY/),
        },
      ],
    });
  });

  it('has models that are not configured wherever models are listed', async () => {
    await until(async () => (await listed('acme/small'))?.status === 'not_configured');
    expect(modelObject.parse(await get('/v1/models/acme/small'))).toMatchObject({
      status: 'not_configured',
      configuration: 'not_configured',
    });
    expect(await rowOf('acme/small')).toMatchObject({
      status: 'not_configured',
      configuration: 'not_configured',
      requests_5m: 0,
    });
  });

  it('is named in the status of the gateway', async () => {
    expect(await summary()).toMatchObject({
      indicator: 'major',
      description: 'Not configured: Acme AI',
      sentence: 'Acme AI: not configured, because no data plane has the credential that it needs.',
      status: 'major_outage',
      configuration: 'not_configured',
    });
  });

  it('leaves a model that has another provider serving, as partly configured', async () => {
    expect(await listed('acme/spare')).toMatchObject({
      status: 'operational',
      configuration: 'partly_configured',
    });
    expect(await rowOf('acme/spare')).toMatchObject({ configuration: 'partly_configured' });
    expect(await chat(gateway.dataPlanes[0]?.port ?? 0, 'acme/spare')).toBe(200);
    expect(await listed('sim/chat-free')).not.toHaveProperty('configuration');
  });

  it('is listed by gatewayctl status, with its models', async () => {
    const { out } = await gatewayctl(['status']);
    expect(out).toMatch(/^health +acme: not configured, because no data plane has ACME_API_KEY\.$/m);
    expect(out).toMatch(/^acme +ACME_API_KEY +0 of 2 have it +not configured$/m);
    expect(out).toMatch(/^acme\/small +not configured$/m);
    expect(out).toMatch(/^acme\/spare +partly configured$/m);
    expect(out).not.toContain('SIMULATED_API_KEY');
    expect(JSON.parse((await gatewayctl(['status', '--json'])).out)).toMatchObject({
      data_planes: [{ missing_credentials: ['ACME_API_KEY'] }, { missing_credentials: ['ACME_API_KEY'] }],
      credentials: [
        { provider: 'acme', configuration: 'not_configured' },
        { provider: 'sim', configuration: 'configured', data_planes: { set: 2, missing: 0, unknown: 0 } },
      ],
    });
  });

  it('is partly configured once some data planes have it, and the warning says how many', async () => {
    await gateway.startDataPlane({ ACME_API_KEY: PROVIDER_CREDENTIAL });
    await until(async () => (await listed('acme/small'))?.configuration === 'partly_configured');
    expect(await listed('acme/small')).toMatchObject({ status: 'partial_outage' });
    expect(await summary()).toMatchObject({
      status: 'partial_outage',
      configuration: 'partly_configured',
      description: 'Not operational: Acme AI',
    });
    expect((await apply()).err).toMatch(
      /^Warning: 1 of 3 data planes has ACME_API_KEY, which provider acme needs: set it .*\.\n$/,
    );
    expect((await gatewayctl(['status'])).out).toMatch(
      /^acme +ACME_API_KEY +1 of 3 has it +partly configured$/m,
    );
  });

  it('turns green by itself once every data plane runs with it', async () => {
    await Promise.all(gateway.dataPlanes.map((dataPlane) => dataPlane.close()));
    await until(async () => (await listed('acme/small'))?.status === 'operational');
    expect(await listed('acme/small')).not.toHaveProperty('configuration');
    expect(await rowOf('acme/spare')).not.toHaveProperty('configuration');
    expect(await summary()).toMatchObject({
      indicator: 'none',
      configuration: undefined,
      description: 'All systems operational',
      status: 'operational',
    });
    const { port } = await gateway.startDataPlane({ ACME_API_KEY: PROVIDER_CREDENTIAL });
    expect(await chat(port, 'acme/small')).toBe(200);
    expect(await apply()).toMatchObject({ code: 0, err: '' });
    expect((await gatewayctl(['status'])).out).not.toContain('ACME_API_KEY');
  });
});

it('while no data plane runs, a credential is not said to be missing, only not known', async () => {
  await using lone = await startGateway({ dataPlanes: 0 });
  const [controlPlane] = lone.controlPlanes;
  const environment = {
    CONTROL_PLANE_ADDRESS: `127.0.0.1:${controlPlane?.grpcPort}`,
    ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
  };
  const catalog = JSON.stringify(simulatedCatalog(lone.provider.baseUrl));
  const { code, err } = await runWith(environment, ['catalog', 'apply', '-f', '-'], catalog);
  expect(code).toBe(0);
  expect(err).toMatch(/^Warning: no data plane is running, so it is not known whether SIMULATED_API_KEY is/);
  const { out } = await runWith(environment, ['status']);
  expect(out).toMatch(/^sim +SIMULATED_API_KEY +none is running +not known$/m);
});
