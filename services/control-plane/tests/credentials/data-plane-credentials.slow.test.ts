import type { ProviderCredentialMessage, WatchCatalogEventMessage } from '@model-gateway/contracts';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import { until } from '@model-gateway/test-kit';
import { expect } from 'vitest';
import {
  at,
  CALL_DEADLINE_MS,
  type ControlPlanes,
  it,
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

/** Catalog service's side of WatchCatalog; collects the credentials of each message, newest last. */
function watchCredentials(control: ControlPlanes, plane: number) {
  const { stubs, metadata } = at(control.callers, plane);
  const messages: ProviderCredentialMessage[][] = [];
  const stream = stubs.catalog.watchCatalog({ withProviderCredentials: true }, metadata);
  stream.on('data', ({ providerCredentials }: WatchCatalogEventMessage) => {
    if (providerCredentials) messages.push(providerCredentials.providers);
  });
  stream.on('error', () => undefined);
  return {
    messages,
    until: (providerId: string, of: number[]) =>
      until(() => {
        const provider = messages.at(-1)?.find((each) => each.providerId === providerId);
        return provider !== undefined && counts(provider).of.join() === of.join();
      }),
    [Symbol.dispose]: () => stream.cancel(),
  };
}

it('credentials are known before a catalog that names them is in force, wherever data planes watch', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await dataPlane(control, 0, ['OTHER_API_KEY']);
  await dataPlane(control, 1, ['OTHER_API_KEY']);
  const dryRun = await apply(control, ACME, { dryRun: true });
  expect(dryRun.missingCredentials.map(counts)).toEqual([{ variable: 'ACME_API_KEY', of: [0, 2, 0] }]);
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

it('credentials are counted per data plane', async ({ pair: control }) => {
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

it('the credentials of an earlier release, which does not reply, count as unknown', async ({ control }) => {
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
  expect(silent.requestedVariables).toEqual(new Set(['ACME_API_KEY', 'OTHER_API_KEY']));
  expect(silent.outcome).toBeUndefined();
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  expect((await apply(control, ACME)).missingCredentials).toEqual([]);
});

it('a provider with several credentials reports each missing one, and needs only one', async () => {
  await using control = await startControlPlanes({ count: 2 });
  const names = ['FIRST_KEY', 'SECOND_KEY', 'THIRD_KEY'];
  const document = { providers: [provider('acme', names)], models: [model('acme/small', 'acme')] };
  await apply(control, document);
  using watch = watchCredentials(control, 1);
  await dataPlane(control, 0, ['FIRST_KEY']);
  await dataPlane(control, 1, ['FIRST_KEY', 'SECOND_KEY']);
  const { missingCredentials } = await apply(control, document);
  expect(missingCredentials.map(counts)).toEqual([
    { variable: 'SECOND_KEY', of: [1, 1, 0] },
    { variable: 'THIRD_KEY', of: [0, 2, 0] },
  ]);
  expect(missingCredentials.map((each) => each.providerConfiguration)).toEqual(['configured', 'configured']);
  expect(missingCredentials[0]?.models).toEqual([{ modelId: 'acme/small', configuration: 'configured' }]);
  await watch.until('acme', [2, 0, 0]);
  await dataPlane(control, 0, []);
  await watch.until('acme', [2, 1, 0]);
  const { credentials, dataPlanes } = await readStatus(control);
  expect(credentials.map((each) => each.providerConfiguration)).toEqual(names.map(() => 'partly_configured'));
  expect(dataPlanes.map((plane) => plane.missingCredentials.length).sort()).toEqual([1, 2, 3]);
});

it('replies about credentials are deleted with their data plane', async ({ control }) => {
  await apply(control, ACME);
  const lacking = await dataPlane(control, 0, []);
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  const acme = async () => (await readStatus(control)).credentials.map(counts)[0]?.of;
  await expect.poll(acme).toEqual([1, 1, 0]);
  lacking.end();
  await expect.poll(acme).toEqual([1, 0, 0]);
});

it('credentials still count while a busy machine delays every data plane for seconds', async () => {
  await using control = await startControlPlanes();
  await apply(control, ACME);
  const watch = control.watch();
  await watch.welcome();
  watch.answerCredentials('ACME_API_KEY');
  const acme = async () => (await readStatus(control)).credentials.map(counts)[0]?.of;
  await expect.poll(acme).toEqual([1, 0, 0]);
  const lapse = (seconds: number) =>
    control.query(`UPDATE key_watchers SET lease_until = now() - $1::int * interval '1 second'`, [seconds]);
  await lapse(2);
  expect(await acme()).toEqual([1, 0, 0]);
  await lapse(11);
  expect(await acme()).toEqual([0, 0, 0]);
  await lapse(2);
  // Only the reply of the one data plane with a lease counts.
  await dataPlane(control, 0, []);
  await expect.poll(acme).toEqual([0, 1, 0]);
});

it('replies about credentials contain only requested names', async ({ control }) => {
  const watch = await dataPlane(control, 0, []);
  await apply(control, ACME);
  watch.reportCredentials(['HOME', 'ACME_API_KEY'], ['HOME', 'ACME_API_KEY']);
  const rows = () => control.query('SELECT variable, is_set FROM data_plane_credentials ORDER BY 1');
  await expect.poll(rows).toEqual([
    { variable: 'ACME_API_KEY', is_set: true },
    { variable: 'OTHER_API_KEY', is_set: false },
  ]);
});

it('catalog services get counts of credentials without names, at once and after every change', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await apply(control, ACME);
  using watch = watchCredentials(control, 1);
  const lacking = await dataPlane(control, 0, []);
  await watch.until('acme', [0, 1, 0]);
  await dataPlane(control, 0, ['ACME_API_KEY']);
  await watch.until('acme', [1, 1, 0]);
  lacking.end();
  await watch.until('acme', [1, 0, 0]);
  expect(JSON.stringify(watch.messages)).not.toContain('API_KEY');
  expect(JSON.stringify(watch.messages)).not.toContain('local');
});

it('the last counts of credentials stay while no data plane runs, such as during a restart', async () => {
  await using control = await startControlPlanes();
  await apply(control, ACME);
  using watch = watchCredentials(control, 0);
  const only = await dataPlane(control, 0, []);
  await until(() => watch.messages.length > 0);
  only.end();
  await until(async () => (await readStatus(control)).dataPlanes.length === 0);
  await dataPlane(control, 0, ['ACME_API_KEY', 'OTHER_API_KEY']);
  const before = watch.messages.length;
  await until(() => watch.messages.length > before + 1);
  expect(watch.messages.flat().map((each) => counts(each).of.join())).not.toContain('0,0,0');
});
