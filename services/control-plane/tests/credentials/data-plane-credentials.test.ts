import type { ProviderCredentialMessage, WatchCatalogEventMessage } from '@model-gateway/contracts';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import {
  at,
  CALL_DEADLINE_MS,
  type ControlPlanes,
  startControlPlanes,
} from '../fixtures/control-planes-fixture.ts';
import type { Watch } from '../fixtures/key-watch-fixture.ts';

function provider(id: string, credential_env?: string | string[]): CatalogDocumentInput['providers'][number] {
  return {
    id,
    name: id,
    kind: 'openai-compatible',
    base_url: `https://${id}.example/v1`,
    ...(credential_env === undefined ? {} : { credential_env }),
  };
}

function model(id: string, ...providers: string[]): CatalogDocumentInput['models'][number] {
  const upstreams = providers.map((each) => ({ provider: each, model: 'm' }));
  return { id, name: id, capability: 'chat', tier: 'free', upstreams };
}

const ACME: CatalogDocumentInput = {
  providers: [provider('acme', 'ACME_API_KEY'), provider('other', 'OTHER_API_KEY'), provider('local')],
  models: [model('acme/small', 'acme'), model('acme/both', 'acme', 'other'), model('local/free', 'local')],
};

function apply(
  { admins }: ControlPlanes,
  document: CatalogDocumentInput,
  { plane = 0, dryRun = false } = {},
) {
  const request = { documentJson: JSON.stringify(document), dryRun };
  return at(admins, plane).call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', request);
}

function readStatus({ admins }: ControlPlanes) {
  return at(admins, 0).call(CALL_DEADLINE_MS, 'admin', 'getStatus', {});
}

/** Starts a data plane that keeps its lease. @param has undefined: its release does not reply */
async function dataPlane(control: ControlPlanes, plane: number, has?: string[]): Promise<Watch> {
  const watch = await control.dataPlane(plane);
  if (has !== undefined) watch.answerCredentials(...has);
  return watch;
}

const counts = ({ variable, setIn, missingIn, unknownIn }: ProviderCredentialMessage) => ({
  variable,
  of: [setIn, missingIn, unknownIn],
});

it('credentials are known before a catalog that names them is in force, wherever data planes watch', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await dataPlane(control, 0, ['OTHER_API_KEY']);
  await dataPlane(control, 1, ['OTHER_API_KEY']);
  const rehearsal = await apply(control, ACME, { dryRun: true });
  expect(rehearsal.missingCredentials.map(counts)).toEqual([{ variable: 'ACME_API_KEY', of: [0, 2, 0] }]);
  const { missingCredentials } = await apply(control, ACME, { plane: 1 });
  expect(missingCredentials).toEqual([
    {
      providerId: 'acme',
      variable: 'ACME_API_KEY',
      setIn: 0,
      missingIn: 2,
      unknownIn: 0,
      models: [
        { modelId: 'acme/small', configuration: 'not_configured' },
        { modelId: 'acme/both', configuration: 'partly_configured' },
      ],
    },
  ]);
});

it('credentials are counted per data plane', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  await dataPlane(control, 1, ['OTHER_API_KEY']);
  const { missingCredentials } = await apply(control, ACME);
  expect(missingCredentials.map(counts)).toEqual([{ variable: 'ACME_API_KEY', of: [1, 1, 0] }]);
  const { credentials, dataPlanes } = await readStatus(control);
  expect(credentials.map(counts)).toEqual([
    { variable: 'ACME_API_KEY', of: [1, 1, 0] },
    { variable: 'OTHER_API_KEY', of: [2, 0, 0] },
  ]);
  expect(dataPlanes.map((plane) => plane.missingCredentials).sort()).toEqual([[], ['ACME_API_KEY']]);
});

it('a data plane of an earlier release that does not reply is not taken for lacking credentials', async () => {
  await using control = await startControlPlanes();
  const silent = await dataPlane(control, 0);
  const { missingCredentials } = await apply(control, ACME);
  expect(missingCredentials.map(counts)).toEqual([
    { variable: 'ACME_API_KEY', of: [0, 0, 1] },
    { variable: 'OTHER_API_KEY', of: [0, 0, 1] },
  ]);
  expect(missingCredentials.flatMap(({ models }) => models.map((each) => each.configuration))).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ]);
  expect(silent.askedVariables).toEqual(new Set(['ACME_API_KEY', 'OTHER_API_KEY']));
  expect(silent.outcome).toBeUndefined();
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  expect((await apply(control, ACME)).missingCredentials).toEqual([]);
});

it('a provider with several credentials reports each missing one, and needs only one', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const names = ['FIRST_KEY', 'SECOND_KEY', 'THIRD_KEY'];
  const document = { providers: [provider('acme', names)], models: [model('acme/small', 'acme')] };
  await apply(control, document);
  const client = at(control.callers, 1);
  const stream = client.stubs.catalog.watchCatalog({ withProviderCredentials: true }, client.metadata);
  const told: number[][] = [];
  stream.on('data', ({ providerCredentials }: WatchCatalogEventMessage) => {
    for (const each of providerCredentials?.providers ?? []) told.push(counts(each).of);
  });
  stream.on('error', () => undefined);
  await dataPlane(control, 0, ['FIRST_KEY']);
  await dataPlane(control, 1, ['FIRST_KEY', 'SECOND_KEY']);
  const { missingCredentials } = await apply(control, document);
  expect(missingCredentials.map(counts)).toEqual([
    { variable: 'SECOND_KEY', of: [1, 1, 0] },
    { variable: 'THIRD_KEY', of: [0, 2, 0] },
  ]);
  expect(missingCredentials.map((each) => each.providerConfiguration)).toEqual(['configured', 'configured']);
  expect(missingCredentials[0]?.models).toEqual([{ modelId: 'acme/small', configuration: 'configured' }]);
  await until(() => told.at(-1)?.join() === '2,0,0');
  await dataPlane(control, 0, []);
  await until(() => told.at(-1)?.join() === '2,1,0');
  stream.cancel();
  const { credentials, dataPlanes } = await readStatus(control);
  expect(credentials.map((each) => each.providerConfiguration)).toEqual(names.map(() => 'partly_configured'));
  expect(dataPlanes.map((plane) => plane.missingCredentials.length).sort()).toEqual([1, 2, 3]);
});

it('replies about credentials are deleted with their data plane', async () => {
  await using control = await startControlPlanes();
  await apply(control, ACME);
  const lacking = await dataPlane(control, 0, []);
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  const acme = async () => (await readStatus(control)).credentials.map(counts)[0]?.of;
  await expect.poll(acme, { timeout: 20_000 }).toEqual([1, 1, 0]);
  lacking.end();
  await expect.poll(acme, { timeout: 20_000 }).toEqual([1, 0, 0]);
});

it('credentials still count while a busy machine delays every data plane for seconds', async () => {
  await using control = await startControlPlanes();
  await apply(control, ACME);
  const held = control.watch();
  await held.welcome();
  held.answerCredentials('ACME_API_KEY');
  const acme = async () => (await readStatus(control)).credentials.map(counts)[0]?.of;
  await expect.poll(acme, { timeout: 20_000 }).toEqual([1, 0, 0]);
  const lapse = (seconds: number) =>
    control.query(`UPDATE key_watchers SET lease_until = now() - $1::int * interval '1 second'`, [seconds]);
  await lapse(2);
  expect(await acme()).toEqual([1, 0, 0]);
  await lapse(11);
  expect(await acme()).toEqual([0, 0, 0]);
  await lapse(2);
  // Only the reply of the one data plane with a lease counts.
  await dataPlane(control, 0, []);
  await expect.poll(acme, { timeout: 20_000 }).toEqual([0, 1, 0]);
});

it('replies about credentials contain only requested names', async () => {
  await using control = await startControlPlanes();
  const watch = await dataPlane(control, 0, []);
  await apply(control, ACME);
  watch.reportCredentials(['HOME', 'ACME_API_KEY'], ['HOME', 'ACME_API_KEY']);
  const rows = () => control.query('SELECT variable, is_set FROM data_plane_credentials ORDER BY 1');
  await expect.poll(rows, { timeout: 20_000 }).toEqual([
    { variable: 'ACME_API_KEY', is_set: true },
    { variable: 'OTHER_API_KEY', is_set: false },
  ]);
});

it('catalog services get counts of credentials without names, at once and after every change', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await apply(control, ACME);
  const client = at(control.callers, 1);
  const stream = client.stubs.catalog.watchCatalog({ withProviderCredentials: true }, client.metadata);
  const told: WatchCatalogEventMessage['providerCredentials'][] = [];
  stream.on('data', ({ providerCredentials }: WatchCatalogEventMessage) => {
    if (providerCredentials) told.push(providerCredentials);
  });
  stream.on('error', () => undefined);
  const tells = (setIn: number, missingIn: number) =>
    until(() => {
      const acme = told.at(-1)?.providers.find(({ providerId }) => providerId === 'acme');
      return acme?.setIn === setIn && acme.missingIn === missingIn;
    });
  const lacking = await dataPlane(control, 0, []);
  await tells(0, 1);
  await dataPlane(control, 0, ['ACME_API_KEY']);
  await tells(1, 1);
  lacking.end();
  await tells(1, 0);
  stream.cancel();
  expect(JSON.stringify(told)).not.toContain('API_KEY');
  expect(told.flatMap((each) => each?.providers.map(({ providerId }) => providerId) ?? [])).not.toContain(
    'local',
  );
});

it('the last counts of credentials stay while no data plane runs, such as during a restart', async () => {
  await using control = await startControlPlanes();
  await apply(control, ACME);
  const client = at(control.callers, 0);
  const stream = client.stubs.catalog.watchCatalog({ withProviderCredentials: true }, client.metadata);
  const told: number[] = [];
  stream.on('data', ({ providerCredentials }: WatchCatalogEventMessage) => {
    const acme = providerCredentials?.providers.find(({ providerId }) => providerId === 'acme');
    if (acme) told.push(acme.setIn + acme.missingIn + acme.unknownIn);
  });
  stream.on('error', () => undefined);
  const only = await dataPlane(control, 0, []);
  await until(() => told.length > 0);
  only.end();
  await until(async () => (await readStatus(control)).dataPlanes.length === 0);
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  const before = told.length;
  await until(() => told.length > before + 1);
  stream.cancel();
  expect(told).not.toContain(0);
});
