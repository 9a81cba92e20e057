import {
  type CatalogMessage,
  GrpcStatus,
  grpcStatus,
  type WatchCatalogEventMessage,
} from '@model-gateway/contracts';
import { type CatalogDocumentInput, KNOWN_PRICES } from '@model-gateway/shared';
import { simulatedCatalog, until, watchLag } from '@model-gateway/test-kit';
import { dumpLastingTables } from '@model-gateway/test-kit/dump-tables';
import { expect } from 'vitest';
import {
  at,
  CALL_DEADLINE_MS,
  type ControlPlanes,
  it,
  startControlPlanes,
} from '../fixtures/control-planes-fixture.ts';

function apply({ admins }: ControlPlanes, document: unknown, { plane = 0, dryRun = false } = {}) {
  const request = { documentJson: JSON.stringify(document), dryRun };
  return at(admins, plane).call(CALL_DEADLINE_MS, 'catalog', 'applyCatalog', request);
}

function read({ callers }: ControlPlanes, plane = 0) {
  return at(callers, plane).call(CALL_DEADLINE_MS, 'catalog', 'getCatalog', {});
}

/** Omits fields that differ between two applies of one document. */
async function contentOf(control: ControlPlanes, plane = 0) {
  const { providers, models } = await read(control, plane);
  return { providers, models: models.map(({ createdAt: _at, priceVersion: _version, ...model }) => model) };
}

const FIRST = simulatedCatalog('http://first.example/v1');
/** Shares two models with the first catalog, at other prices and upstream names. */
const SECOND: CatalogDocumentInput = {
  providers: FIRST.providers.map((provider) => ({ ...provider, base_url: 'http://second.example/v1' })),
  models: [
    ...FIRST.models.slice(0, 2).map((model) => ({
      ...model,
      description: 'second',
      upstreams: [
        { provider: 'sim', model: 'second-a', priority: 1 },
        { provider: 'sim', model: 'second-b', priority: 2 },
      ],
      pricing: { input_per_million_usd: '7', output_per_million_usd: '8' },
    })),
    {
      id: 'sim/second-only',
      name: 'Second only',
      capability: 'chat',
      tier: 'free',
      upstreams: [{ provider: 'sim', model: 'second-only' }],
    },
  ],
};

it('a bad document is refused with every error and its path, and changes nothing', async ({ control }) => {
  await apply(control, FIRST);
  const before = await dumpLastingTables(control.databaseUrl);
  const bad = {
    providers: [{ ...FIRST.providers[0], base_url: 'ftp://x', headers: { host: 'x' } }],
    models: [
      ...FIRST.models,
      { ...FIRST.models[0], tier: 'cheap' },
      { ...FIRST.models[1], id: 'sim/unpriced', tier: 'paid', pricing: {}, surprise: 1 },
    ],
  };
  const error = await apply(control, bad).catch((thrown: unknown) => thrown);
  expect(grpcStatus(error)).toBe(GrpcStatus.INVALID_ARGUMENT);
  const text = String(error);
  const place = FIRST.models.length;
  for (const path of ['providers[0].base_url', 'providers[0].headers', `models[${place}].tier`])
    expect(text).toContain(path);
  expect(text).toMatch(new RegExp(`models\\[${place + 1}\\].*surprise`));
  expect(await dumpLastingTables(control.databaseUrl)).toBe(before);
});

it('thousands of errors are reported as far as they fit, with the number of the rest', async () => {
  await using control = await startControlPlanes();
  const model = { id: 'sim/模型 "%"', capability: 'chat', tier: 'free', 'неизвестное поле': 1 };
  const bad = { providers: [], models: Array.from({ length: 5_000 }, () => model) };
  const error = await apply(control, bad).catch((thrown: unknown) => thrown);
  expect(grpcStatus(error)).toBe(GrpcStatus.INVALID_ARGUMENT);
  expect(String(error)).toMatch(/models\[0\]/);
  expect(String(error)).toMatch(/… and \d+ more errors$/);
});

it('a document that is no JSON or no object is INVALID_ARGUMENT', async ({ control }) => {
  for (const document of [null, [], 'text', {}]) {
    const error = await apply(control, document).catch((thrown: unknown) => thrown);
    expect(grpcStatus(error)).toBe(GrpcStatus.INVALID_ARGUMENT);
  }
});

it('a document that only the database refuses is rolled back whole', async ({ control }) => {
  await apply(control, FIRST);
  // Fails at the document's last model, after everything else was written.
  await control.query(`ALTER TABLE models ADD CONSTRAINT no_second CHECK (id <> 'sim/second-only')`);
  const before = await dumpLastingTables(control.databaseUrl);
  await expect(apply(control, SECOND)).rejects.toThrow('INTERNAL');
  expect(await dumpLastingTables(control.databaseUrl)).toBe(before);
  await control.query('ALTER TABLE models DROP CONSTRAINT no_second');
  await apply(control, SECOND);
  expect((await read(control)).models).toHaveLength(3);
});

it('models of a newer release that this one cannot serve are left out, and survive other changes', async () => {
  await using control = await startControlPlanes();
  const [provider] = FIRST.providers;
  const newer = { ...provider, id: 'newer' };
  const at = (...providers: string[]) => providers.map((each) => ({ provider: each, model: 'm' }));
  const model = (id: string, upstreams: object[]) => ({ ...FIRST.models[0], id, upstreams });
  const known = { providers: [provider], models: [model('sim/both', at('sim'))] };
  await apply(control, {
    providers: [provider, newer],
    models: [model('sim/both', at('newer', 'sim')), model('sim/newer', at('newer')), FIRST.models[1]],
  });
  await control.query(`UPDATE providers SET kind = 'telepathy' WHERE id = 'newer'`);
  await control.query('ALTER TABLE models DROP CONSTRAINT models_capability');
  await control.query(`UPDATE models SET capability = 'dreams' WHERE id = $1`, [FIRST.models[1]?.id]);
  const { providers, models } = await read(control);
  expect(providers.map(({ id }) => id)).toEqual(['sim']);
  expect(models.map(({ id, upstreams }) => [id, upstreams.map((each) => each.provider)])).toEqual([
    ['sim/both', ['sim']],
  ]);
  const { models: changes } = await apply(control, known);
  expect(changes).toMatchObject({ added: [], changed: [], retired: [] });
  const rows = await control.query('SELECT id FROM models WHERE retired_at IS NULL ORDER BY id');
  expect(rows).toHaveLength(3);
  expect(await control.query('SELECT provider_id FROM model_upstreams')).toHaveLength(4);
});

it('an unknown API of a provider is left out, and the others remain', async ({ control }) => {
  const [provider] = FIRST.providers;
  await apply(control, { ...FIRST, providers: [{ ...provider, apis: ['responses', 'chat'] }] });
  expect((await read(control)).providers[0]?.apis).toEqual(['chat', 'responses']);
  await control.query(`UPDATE providers SET apis = '{chat,telepathy,responses}'`);
  expect((await read(control)).providers[0]?.apis).toEqual(['chat', 'responses']);
  await apply(control, FIRST);
  expect((await read(control)).providers[0]?.apis).toEqual([]);
});

it('an unknown price leaves out its model, not the whole catalog', async ({ control }) => {
  await apply(control, FIRST);
  await control.sql`
    UPDATE model_prices SET pricing = pricing || '{"dream_usd": "1"}' WHERE model_id = ${FIRST.models[1]?.id}`;
  const { models } = await read(control);
  expect(models).toHaveLength(FIRST.models.length - 1);
  expect(models.map(({ id }) => id)).not.toContain(FIRST.models[1]?.id);
});

const [free, paid, ...rest] = FIRST.models;
const mixed = (models: object[], more: object = {}) => ({
  id: 'sim/mixed',
  name: 'Mixed',
  kind: 'virtual',
  models,
  ...more,
});
const other = { ...free, id: 'sim/other' };
const named = {
  providers: FIRST.providers,
  models: [
    mixed([{ model: 'sim/chat-free', weight: 95 }, { model: 'sim/other' }], {
      aliases: ['mixed'],
      deprecated_at: '2030-01-01T01:00:00+01:00',
    }),
    { ...free, aliases: ['gpt-4o', 'vendor/gpt'], fallbacks: ['sim/other'] },
    other,
    paid,
    ...rest,
  ],
};
const unchanged = { added: [], changed: [], retired: [] };

it('model names are returned as in the file, and the same file again changes nothing', async () => {
  await using control = await startControlPlanes();
  const first = await apply(control, named);
  expect(first.models?.added).toHaveLength(named.models.length);
  const { models, virtualModels } = await read(control);
  expect(models.find(({ id }) => id === 'sim/chat-free')).toMatchObject({
    aliases: ['gpt-4o', 'vendor/gpt'],
    fallbacks: ['sim/other'],
  });
  expect(models.map(({ id }) => id)).not.toContain('sim/mixed');
  expect(virtualModels).toMatchObject([
    {
      id: 'sim/mixed',
      models: [
        { model: 'sim/chat-free', weight: 95 },
        { model: 'sim/other', weight: 1 },
      ],
      aliases: ['mixed'],
      fallbacks: [],
      deprecatedAt: '1893456000',
    },
  ]);
  const again = await apply(control, named);
  expect(again).toMatchObject({ revision: first.revision, models: unchanged });
  // Costs what its models cost, so it has no prices of its own.
  const prices = await control.query(`SELECT FROM model_prices WHERE model_id = 'sim/mixed'`);
  expect(prices).toHaveLength(0);
});

it('virtual models are added, changed and retired like models', async ({ control }) => {
  await apply(control, named);
  const [, ...models] = named.models;
  const changed = mixed([{ model: 'sim/chat-free' }], { fallbacks: ['sim/other'] });
  const change = await apply(control, { ...named, models: [changed, { ...free, aliases: ['x'] }, other] });
  expect(change.models?.changed.toSorted()).toEqual(['sim/chat-free', 'sim/mixed']);
  expect((await read(control)).virtualModels).toMatchObject([
    { models: [{ model: 'sim/chat-free', weight: 1 }], aliases: [], fallbacks: ['sim/other'] },
  ]);
  expect((await apply(control, { ...named, models })).models?.retired).toEqual(['sim/mixed']);
  expect((await read(control)).virtualModels).toEqual([]);
  expect((await apply(control, named)).models).toMatchObject({ added: ['sim/mixed'], changed: [] });
  expect((await read(control)).virtualModels).toHaveLength(1);
});

it('affinity and weights of credentials are returned as in the file, and the same file changes nothing', async ({
  control,
}) => {
  const [provider] = FIRST.providers;
  const weighted = [{ name: 'A_KEY', weight: 3 }, 'B_KEY'];
  const document = (affinity: object, credential_env: unknown) => ({
    providers: [{ ...provider, credential_env }],
    models: [{ ...free, ...affinity }, mixed([{ model: 'sim/chat-free' }], affinity)],
  });
  const none = document({ affinity: 'none' }, weighted);
  await apply(control, none);
  const stored = await read(control);
  expect(stored.providers).toMatchObject([
    { credentialEnv: 'A_KEY', credentialEnvs: ['A_KEY', 'B_KEY'], credentialWeights: [3, 1] },
  ]);
  expect(stored.models).toMatchObject([{ affinity: 'none' }]);
  expect(stored.virtualModels).toMatchObject([{ affinity: 'none' }]);
  expect(await apply(control, none)).toMatchObject({ models: unchanged, providers: unchanged });
  await apply(control, document({}, ['A_KEY', 'B_KEY']));
  const changed = await read(control);
  expect(changed.providers).toMatchObject([{ credentialEnvs: ['A_KEY', 'B_KEY'], credentialWeights: [] }]);
  for (const model of [...changed.models, ...changed.virtualModels]) expect(model.affinity).toBeUndefined();
});

it('names of retired models are left out', async ({ control }) => {
  await apply(control, named);
  await control.query(`UPDATE models SET retired_at = now() WHERE id = 'sim/other'`);
  const left = await read(control);
  expect(left.models.find(({ id }) => id === 'sim/chat-free')?.fallbacks).toEqual([]);
  expect(left.virtualModels).toMatchObject([{ models: [{ model: 'sim/chat-free' }] }]);
  await control.query(`UPDATE models SET retired_at = now() WHERE id = 'sim/chat-free'`);
  expect((await read(control)).virtualModels).toEqual([]);
});

const tiers = (input_per_million_usd: string) => ({
  providers: FIRST.providers,
  models: [
    {
      ...FIRST.models[0],
      tier: 'paid',
      pricing: {
        input_per_million_usd: '3',
        output_per_million_usd: '15',
        tiers: [{ above_input_tokens: 200_000, input_per_million_usd }],
      },
    },
  ],
});

it('a changed price tier makes a new price version', async ({ control }) => {
  await apply(control, tiers('6'));
  const { models } = await apply(control, tiers('6'));
  expect(models?.changed).toEqual([]);
  await apply(control, tiers('7'));
  const [model] = (await read(control)).models;
  expect(model).toMatchObject({
    priceVersion: 2,
    pricing: { input_per_million_usd: '3', 'tiers.200000.input_per_million_usd': '7' },
  });
});

it('price tiers are sent only to watchers that can charge them', async ({ control }) => {
  await apply(control, tiers('6'));
  const { stubs, metadata } = at(control.callers, 0);
  const sent = async (knownPrices: readonly string[]) => {
    const stream = stubs.catalog.watchCatalog({ knownPrices: [...knownPrices] }, metadata);
    stream.on('error', () => undefined);
    const catalog = await new Promise<CatalogMessage>((resolve) => {
      stream.on('data', (event) => event.catalog && resolve(event.catalog));
    });
    stream.cancel();
    return catalog.models.map(({ id }) => id);
  };
  expect(await sent([])).toEqual([]);
  expect(await sent(KNOWN_PRICES)).toEqual([FIRST.models[0]?.id]);
});

it('a dry run reports what the apply then does, and changes nothing', async ({ control }) => {
  await apply(control, FIRST);
  const before = await dumpLastingTables(control.databaseUrl);
  const rehearsal = await apply(control, SECOND, { dryRun: true });
  expect(await dumpLastingTables(control.databaseUrl)).toBe(before);
  const applied = await apply(control, SECOND);
  expect(applied).toMatchObject({ providers: rehearsal.providers, models: rehearsal.models });
  expect(Number(applied.revision)).toBe(Number(rehearsal.revision) + 1);
});

it('applying the document in force writes nothing, not even a revision', async ({ control }) => {
  const { revision } = await apply(control, FIRST);
  const before = await dumpLastingTables(control.databaseUrl);
  expect((await apply(control, FIRST)).revision).toBe(revision);
  expect(await dumpLastingTables(control.databaseUrl)).toBe(before);
});

it('an apply adds, changes and retires thousands of models at once', async ({ control }) => {
  const models = (description: string) =>
    Array.from({ length: 3_000 }, (_, index) => ({
      ...FIRST.models[0],
      id: `sim/model-${index}`,
      description,
    }));
  const added = await apply(control, { providers: FIRST.providers, models: models('one') });
  expect(added.models?.added).toHaveLength(3_000);
  const changed = await apply(control, { providers: FIRST.providers, models: models('two') });
  expect(changed.models?.changed).toHaveLength(3_000);
  const content = await read(control);
  expect(new Set(content.models.map(({ description }) => description))).toEqual(new Set(['two']));
  expect(content.models).toHaveLength(3_000);
  const retired = await apply(control, FIRST);
  expect(retired.models?.retired).toHaveLength(3_000);
  expect((await read(control)).models).toHaveLength(FIRST.models.length);
});

it('two concurrent applies leave one of the two documents, whole', async ({ pair: control }) => {
  await apply(control, SECOND);
  const second = await contentOf(control);
  await apply(control, FIRST);
  const first = await contentOf(control);
  expect(first).not.toEqual(second);
  for (let round = 0; round < 20; round++) {
    const [a, b] = round % 2 === 0 ? [FIRST, SECOND] : [SECOND, FIRST];
    await Promise.all([apply(control, a, { plane: 0 }), apply(control, b, { plane: 1 })]);
    const content = await contentOf(control, round % 2);
    expect([first, second]).toContainEqual(content);
  }
});

it('a catalog watch gets the current catalog at once, and a change at another control plane within a second', async () => {
  await using control = await startControlPlanes({ count: 2 });
  await apply(control, FIRST, { plane: 0 });
  const { stubs, metadata } = at(control.callers, 1);
  const stream = stubs.catalog.watchCatalog({}, metadata);
  using lag = watchLag();
  const catalogs: { revision: string; atMs: number }[] = [];
  let heartbeats = 0;
  stream.on('data', ({ catalog, heartbeat }: WatchCatalogEventMessage) => {
    if (catalog) catalogs.push({ revision: catalog.revision, atMs: performance.now() });
    if (heartbeat?.databaseReachable) heartbeats++;
  });
  stream.on('error', () => undefined);
  try {
    await until(() => catalogs.at(-1)?.revision === '1');
    for (const [index, document] of [SECOND, FIRST, SECOND].entries()) {
      const { revision } = await apply(control, document, { plane: 0 });
      const appliedAtMs = performance.now();
      await until(() => catalogs.at(-1)?.revision === revision);
      expect((catalogs.at(-1)?.atMs ?? Number.POSITIVE_INFINITY) - appliedAtMs).toBeLessThan(
        1_000 + lag.allowanceMs(),
      );
      expect(revision).toBe(String(index + 2));
    }
    await until(() => heartbeats >= 2);
    expect(catalogs.map(({ revision }) => revision).slice(-4)).toEqual(['1', '2', '3', '4']);
  } finally {
    stream.cancel();
  }
});
