import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listeningMs } from '@model-gateway/service-kit';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import {
  dumpTables,
  PROVIDER_CREDENTIAL,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ISO_TIMESTAMP, runWith } from './gatewayctl-fixture.ts';

const WRONG = 'wrong-credential-0123456789abcdef';

let gateway: TestGateway;
let rawKey: string;

/** Provider acme reads a variable that no data plane has, duo also a second one, held one that all have. */
function document(baseUrl: string): CatalogDocumentInput {
  const provider = (id: string, credential_env: string | string[]) => ({
    id,
    name: id,
    kind: 'openai-compatible' as const,
    base_url: baseUrl,
    credential_env,
  });
  const model = (id: string) => ({
    id: `${id}/small`,
    name: id,
    capability: 'chat' as const,
    tier: 'free' as const,
    upstreams: [{ provider: id, model: 'sim-chat-free' }],
  });
  return {
    providers: [
      provider('acme', 'ACME_API_KEY'),
      provider('duo', ['ACME_API_KEY', 'ACME_API_KEY_2']),
      provider('held', 'SIMULATED_API_KEY'),
    ],
    models: ['acme', 'duo', 'held'].map(model),
  };
}

beforeAll(async () => {
  gateway = await startGateway({ controlPlanes: 2, dataPlanes: 2, document });
  rawKey = (await gateway.createKey()).rawKey;
});
afterAll(() => gateway.close());

function gatewayctl(args: readonly string[], stdin = '', plane = 0) {
  return runWith(
    {
      CONTROL_PLANE_ADDRESS: `127.0.0.1:${gateway.controlPlanes[plane]?.grpcPort}`,
      ADMIN_TOKEN: TEST_SECRETS.ADMIN_TOKEN,
    },
    args,
    stdin,
  );
}

const listed = async (): Promise<unknown> =>
  JSON.parse((await gatewayctl(['credentials', 'list', '--json'])).out);

/** Returns the status of a chat at each data plane. */
async function statuses(model: string): Promise<number[]> {
  return await Promise.all(
    gateway.dataPlanes.map(async (_, index) => {
      const response = await fetch(`${gateway.urlOf(index)}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
      });
      await response.arrayBuffer();
      return response.status;
    }),
  );
}

const areAll = async (model: string, status: number) =>
  (await statuses(model)).every((each) => each === status);
const isServed = (model: string) => until(() => areAll(model, 200));

// Each test continues from the state of the one before.
describe("a provider's key that is set with gatewayctl", () => {
  it('is used by every data plane without a restart, within a second', async () => {
    expect(await statuses('acme/small')).toEqual([503, 503]);
    expect(await gatewayctl(['credentials', 'set', 'ACME_API_KEY'], `${PROVIDER_CREDENTIAL}\n`, 1)).toEqual({
      code: 0,
      err: '',
      out: `ACME_API_KEY is set (ends in ${PROVIDER_CREDENTIAL.slice(-4)}). Data planes use it within a second.\n`,
    });
    const startedAtMs = listeningMs();
    await isServed('acme/small');
    expect(listeningMs() - startedAtMs).toBeLessThan(3_000);
    await isServed('duo/small');
  });

  it('is used by a data plane that starts later, and counts as configured', async () => {
    const later = await gateway.startDataPlane();
    const response = await fetch(`http://127.0.0.1:${later.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/small', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await later.close();
    const { credentials } = await gateway.admin.call(30_000, 'admin', 'getStatus', {});
    const [acme] = credentials.filter(({ providerId }) => providerId === 'acme');
    expect(acme).toMatchObject({ missingIn: 0, unknownIn: 0 });
    expect(acme?.setIn).toBeGreaterThanOrEqual(2);
  });

  it('is listed with its source, its time and its last four characters only', async () => {
    expect(await listed()).toMatchObject([
      {
        name: 'ACME_API_KEY',
        source: 'stored',
        set_at: ISO_TIMESTAMP,
        last_four: PROVIDER_CREDENTIAL.slice(-4),
        providers: ['acme', 'duo'],
        environment: { set: 0 },
      },
      { name: 'ACME_API_KEY_2', source: 'missing', set_at: null, last_four: null, providers: ['duo'] },
      { name: 'SIMULATED_API_KEY', source: 'environment', set_at: null, last_four: null },
    ]);
    const { out } = await gatewayctl(['credentials', 'list']);
    expect(out).toMatch(/^ACME_API_KEY +stored +\S{4} +\S+Z +acme, duo$/m);
    expect(out).toMatch(/^ACME_API_KEY_2 +nowhere: it is missing +- +- +duo$/m);
    expect(out).toMatch(/^SIMULATED_API_KEY +environment of \d of \d data planes +- +- +held$/m);
    expect(out).not.toContain(PROVIDER_CREDENTIAL);
  });

  it('replaces one that the provider refuses, at once, and without waiting for breakers', async () => {
    await gatewayctl(['credentials', 'set', 'ACME_API_KEY'], WRONG);
    await until(() => areAll('acme/small', 502));
    for (let round = 0; round < 15; round++) await statuses('acme/small');
    await gatewayctl(['credentials', 'set', 'ACME_API_KEY'], PROVIDER_CREDENTIAL);
    const startedAtMs = listeningMs();
    await isServed('acme/small');
    expect(listeningMs() - startedAtMs).toBeLessThan(3_000);
  });

  it('is used instead of a variable of the same name, until it is removed', async () => {
    expect(await statuses('held/small')).toEqual([200, 200]);
    await gatewayctl(['credentials', 'set', 'SIMULATED_API_KEY'], WRONG);
    await until(() => areAll('held/small', 502));
    expect((await gatewayctl(['credentials', 'list'])).out).toMatch(
      /^SIMULATED_API_KEY +stored, instead of the variable of \d of \d data planes /m,
    );
    const { out } = await gatewayctl(['credentials', 'remove', 'SIMULATED_API_KEY']);
    expect(out).toMatch(
      /^SIMULATED_API_KEY is removed\. .* now comes from the environment of \d of \d data planes\.$/m,
    );
    await isServed('held/small');
  });

  it('is not used any more once it is removed', async () => {
    expect((await gatewayctl(['credentials', 'remove', 'ACME_API_KEY', '--json'])).code).toBe(0);
    const removedAtMs = listeningMs();
    await until(() => areAll('acme/small', 503));
    expect(listeningMs() - removedAtMs).toBeLessThan(3_000);
    const sent = gateway.provider.requests.length;
    expect(await statuses('duo/small')).toEqual([503, 503]);
    expect(gateway.provider.requests).toHaveLength(sent);
    const again = await gatewayctl(['credentials', 'remove', 'ACME_API_KEY']);
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringContaining('no stored credential ACME_API_KEY'),
    });
  });

  it('gets advice on adding its provider if the catalog lacks it', async () => {
    const openai = await gatewayctl(['credentials', 'set', 'OPENAI_API_KEY'], PROVIDER_CREDENTIAL);
    expect(openai.err).toMatch(
      /^No provider of the catalog names OPENAI_API_KEY\. Add its models:\ngatewayctl catalog add -f '.*\/deploy\/catalogs\/openai\.yaml'\n$/,
    );
    using folder = mkdtempDisposableSync(join(tmpdir(), 'gatewayctl-'));
    const facts = {
      control_plane_address: `127.0.0.1:${gateway.controlPlanes[0]?.grpcPort}`,
      admin_token: TEST_SECRETS.ADMIN_TOKEN,
    };
    writeFileSync(join(folder.path, 'dev.json'), JSON.stringify(facts));
    const args = ['credentials', 'set', 'OPENAI_API_KEY', '--data-dir', folder.path];
    expect((await runWith({}, args, PROVIDER_CREDENTIAL)).err).toBe(openai.err);
    const other = await gatewayctl(['credentials', 'set', 'NOBODYS_KEY'], PROVIDER_CREDENTIAL);
    expect(other.err).toContain('Name it in credential_env of a provider');
    await gatewayctl(['credentials', 'remove', 'OPENAI_API_KEY']);
    await gatewayctl(['credentials', 'remove', 'NOBODYS_KEY']);
  });

  it('is read from standard input only, which is said of a value on the command line', async () => {
    for (const words of [['ACME_API_KEY', WRONG], [`ACME_API_KEY=${WRONG}`]]) {
      expect(await gatewayctl(['credentials', 'set', ...words], 'value')).toEqual({
        code: 2,
        out: '',
        err:
          'error: the value is read from standard input: ' +
          'gatewayctl credentials set ACME_API_KEY < key.txt\n',
      });
    }
  });

  it('may be the JSON of a service account, but no text that a header cannot carry', async () => {
    const account = JSON.stringify({ type: 'service_account', client_email: 'a@b' }, null, 2);
    expect((await gatewayctl(['credentials', 'set', 'ACME_JSON'], account)).code).toBe(0);
    await gatewayctl(['credentials', 'remove', 'ACME_JSON']);
    for (const [value, problem] of [
      ['', 'the value is empty'],
      ['two\nlines', 'must be one line'],
      ['tab\there', 'must be one line'],
      ['k\u00e9y', 'printable ASCII'],
      ['x'.repeat(20_000), 'longer than 16384'],
    ] as const) {
      const { code, err } = await gatewayctl(['credentials', 'set', 'ACME_API_KEY'], value);
      expect([code, err]).toEqual([1, expect.stringContaining(problem)]);
    }
    const bad = await gatewayctl(['credentials', 'set', 'not-a-name'], 'value');
    expect(bad).toMatchObject({ code: 1, err: expect.stringContaining('not the name of an environment') });
    const own = await gatewayctl(['credentials', 'set', 'ADMIN_TOKEN'], 'value');
    expect(own).toMatchObject({ code: 1, err: expect.stringContaining('secret of the gateway itself') });
    const short = await gatewayctl(['credentials', 'set', 'ACME_API_KEY', '--json'], 'ollama');
    expect(JSON.parse(short.out)).toMatchObject({ last_four: null });
  });

  it('is in no table, log line or response', async () => {
    await gatewayctl(['credentials', 'set', 'ACME_API_KEY'], WRONG);
    await until(() => areAll('acme/small', 502));
    const tables = await dumpTables(gateway.databaseUrl);
    expect(tables).toContain('ACME_API_KEY');
    for (const text of [
      tables,
      gateway.logText(),
      (await gatewayctl(['credentials', 'list', '--json'])).out,
    ]) {
      expect(text).not.toContain(WRONG);
      expect(text).not.toContain(Buffer.from(WRONG).toString('hex'));
    }
  });

  it('is not sent to services without the pepper', async () => {
    const { stubs, metadata } = gateway.admin;
    const events: { credentials: { sealed: Buffer }[] }[] = [];
    const stream = stubs.catalog.watchCatalog({ withCredentials: true }, metadata);
    stream.on('data', (event) => events.push(event)).on('error', () => undefined);
    await until(() => events.some(({ credentials }) => credentials.length > 0));
    stream.cancel();
    const sealed = events.flatMap(({ credentials }) =>
      credentials.map((each) => each.sealed.toString('latin1')),
    );
    expect(sealed.join()).not.toContain(WRONG);
  });
});
