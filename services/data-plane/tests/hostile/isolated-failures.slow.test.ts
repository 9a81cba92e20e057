import {
  modelEntry,
  postJson,
  providerEntry,
  startGateway,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';
import { startFailingProvider, WAYS, type Way } from './ways-to-fail.ts';

/** While one tenant makes a provider fail in any way, another tenant must still be served. */

/** Attempts before a circuit breaker decides: fewer than in production, because every case makes them. */
const MIN_ATTEMPTS = 8;
/** More failures than a circuit breaker allows, `TOGETHER` of them at once. */
const REQUESTS = 10;
const TOGETHER = 5;
/** A provider that answers does so within this time on a busy machine, too. */
const SILENT_MS = 700;

const provider = withStarted(startFailingProvider);
const entry = (id: string, baseUrl: string, silentMs = SILENT_MS) =>
  providerEntry(id, baseUrl, {
    timeouts_ms: { first_byte: silentMs, first_byte_plain: silentMs, idle: silentMs, total: 2 * silentMs },
  });
const modelsOf = (id: string) => ['one', 'two'].map((model) => modelEntry(`${id}/${model}`, { [id]: model }));
const idOf = (name: string) => `way-${WAYS.findIndex(([other]) => other === name)}`;

const gateway = withGateway(() => {
  const providers = [
    // One for each way, so that no way sees what another one has left behind.
    ...WAYS.map(([name, { silentMs }], index) =>
      entry(idOf(name), `${provider.baseUrl}/${index}/v1`, silentMs),
    ),
    entry('agreed', `${provider.baseUrl}/${WAYS.findIndex(([name]) => name === 'a 500')}/v1`),
    entry('refused', 'http://127.0.0.1:1/v1'),
    // A server without TLS.
    entry('tls', `${provider.baseUrl.replace('http:', 'https:')}/v1`),
    entry('unauthorized', `${provider.baseUrl}/401/v1`),
  ];
  return {
    document: () => ({ providers, models: providers.flatMap(({ id }) => modelsOf(id)) }),
    overrides: { breakers: new ProviderBreakers(MIN_ATTEMPTS) },
  };
});

/** Keys of one account. */
let hostile: string[];
let honest: string;
beforeAll(async () => {
  const { accountId, rawKey } = await gateway.createKey();
  hostile = [
    rawKey,
    ...(await Promise.all([1, 2].map(() => gateway.createKey(accountId)))).map((key) => key.rawKey),
  ];
  honest = (await gateway.createKey()).rawKey;
});

async function ask(key: string, model: string, says: string, way: Partial<Way> = {}): Promise<number> {
  const { path = 'chat/completions', stream = false } = way;
  const input = path === 'responses' ? { input: says } : { messages: [{ role: 'user', content: says }] };
  const body = { model, stream, ...input, ...(path === 'messages' ? { max_tokens: 10 } : {}) };
  return (await gateway.ask(path, body, { key })).status;
}

/** Sends more failing requests than a breaker allows, spread over these keys. */
async function fail(keys: readonly string[], model: string, way?: Way): Promise<void> {
  for (let sent = 0; sent < REQUESTS; sent += TOGETHER) {
    const keysNow = Array.from({ length: TOGETHER }, (_, index) => keys[(sent + index) % keys.length] ?? '');
    await Promise.all(keysNow.map((key) => ask(key, model, 'fail', way)));
  }
}

describe.each(WAYS)('a tenant whose requests end with %s', (name, way) => {
  it(`leaves the same and another model to others, and is ${way.isCounted ? '' : 'not '}shut out`, async () => {
    const [one, two] = [`${idOf(name)}/one`, `${idOf(name)}/two`];
    await fail(hostile, one, way);
    for (const key of hostile)
      expect((await ask(key, one, 'fail', way)) === 503).toBe(way.isCounted === true);
    expect(await ask(honest, one, 'serve')).toBe(200);
    expect(await ask(honest, two, 'serve')).toBe(200);
    // Now there is a payer that is served, so the hostile one may go on.
    await fail(hostile, one, way);
    expect(await ask(honest, one, 'serve')).toBe(200);
    expect(await ask(honest, two, 'serve')).toBe(200);
  });
});

it('three tenants whose requests fail shut everyone out of that model, and of no other', async () => {
  const keys = await Promise.all([1, 2, 3].map(async () => (await gateway.createKey()).rawKey));
  await fail(keys, 'agreed/one');
  expect(await ask(honest, 'agreed/one', 'serve')).toBe(503);
  expect(await ask(honest, 'agreed/two', 'serve')).toBe(200);
});

it.each(['refused', 'tls', 'unauthorized'])(
  'a failure that no caller can cause shuts everyone out of the provider: %s',
  async (id) => {
    await fail(hostile, `${id}/one`);
    expect(await ask(honest, `${id}/one`, 'serve')).toBe(503);
    expect(await ask(honest, `${id}/two`, 'serve')).toBe(503);
  },
);

it('one tenant whose requests fail shuts everyone out while the probe of the provider fails', async () => {
  await using probing = await startGateway({
    document: () => ({
      providers: [entry('probed', `${provider.baseUrl}/0/v1`)],
      models: modelsOf('probed'),
    }),
    environment: { PROVIDER_PROBE_INTERVAL_MS: '1000' },
    overrides: { breakers: new ProviderBreakers(MIN_ATTEMPTS) },
  });
  await until(() => provider.probes > 1);
  const keys = await Promise.all([1, 2].map(() => probing.createKey()));
  const statuses = [];
  for (let count = 0; count <= REQUESTS; count++) {
    // The last request is of the other tenant.
    const key = keys[count === REQUESTS ? 1 : 0]?.rawKey ?? '';
    const body = {
      model: 'probed/one',
      messages: [{ role: 'user', content: count === REQUESTS ? 'serve' : 'fail' }],
    };
    const response = await postJson(probing.baseUrl, key, 'chat/completions', body);
    await response.text();
    statuses.push(response.status);
  }
  expect(statuses[0]).toBe(502);
  expect(statuses.at(-1)).toBe(503);
});
