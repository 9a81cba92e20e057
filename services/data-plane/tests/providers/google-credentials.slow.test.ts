import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  SIMULATED_PROJECT,
  SIMULATED_SUBJECT_TOKEN,
  simulatedServiceAccount,
  startGateway,
  type TestGateway,
} from '@model-gateway/test-kit';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askerOf, askInBursts, askUntil } from './ask-in-bursts.ts';
import { vertexDocument } from './vertex.ts';

/** Long enough for a request to reach the provider within it on a busy machine. */
const LASTS_MS = 6_000;

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
  vi.unstubAllEnvs();
});

interface Options {
  environment?: (baseUrl: string) => Record<string, string>;
  credential_env?: string;
  place?: string;
}

async function startVertex({ environment = () => ({}), ...places }: Options): Promise<TestGateway> {
  return stack.use(
    await startGateway({
      document: (baseUrl) => vertexDocument(baseUrl, places),
      environment,
    }),
  );
}

const SERVICE_ACCOUNT: Options = {
  credential_env: 'SERVICE_ACCOUNT',
  environment: (baseUrl) => ({ SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) }),
};

const askerAt = (gateway: TestGateway) => askerOf(gateway, 'vertex/gemini');

async function fileWith(content: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'google-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'credentials.json');
  await writeFile(file, content);
  return file;
}

describe('credentials of Google Cloud', () => {
  it("a service account's key is read from the file that the provider's variable names", async () => {
    const file = await fileWith('');
    const gateway = await startVertex({
      credential_env: 'KEY_FILE',
      environment: () => ({ KEY_FILE: file }),
    });
    await writeFile(file, simulatedServiceAccount(gateway.provider.baseUrl));
    expect(await (await askerAt(gateway))()).toBe(200);
  });

  it('application default credentials are used when the catalog names no variable', async () => {
    const file = await fileWith('');
    const gateway = await startVertex({ environment: () => ({ GOOGLE_APPLICATION_CREDENTIALS: file }) });
    await writeFile(file, simulatedServiceAccount(gateway.provider.baseUrl));
    expect(await (await askerAt(gateway))()).toBe(200);
  });

  it('an identity of another cloud is exchanged by its token', async () => {
    const tokenFile = await fileWith(SIMULATED_SUBJECT_TOKEN);
    const file = await fileWith('');
    const gateway = await startVertex({
      place: `/v1/projects/${SIMULATED_PROJECT}/locations/global`,
      environment: () => ({ GOOGLE_APPLICATION_CREDENTIALS: file }),
    });
    vi.stubEnv('GOOGLE_APPLICATION_CREDENTIALS', file);
    await writeFile(
      file,
      JSON.stringify({
        type: 'external_account',
        audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q',
        subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
        token_url: new URL('/v1/token', gateway.provider.baseUrl).href,
        credential_source: { file: tokenFile },
      }),
    );
    expect(await (await askerAt(gateway))()).toBe(200);
    expect(gateway.provider.requests[0]?.path).toContain('/locations/global/');
  });

  it('the credentials of the machine come with its project', async () => {
    const gateway = await startVertex({});
    vi.stubEnv('GCE_METADATA_HOST', new URL(gateway.provider.baseUrl).host);
    vi.stubEnv('METADATA_SERVER_DETECTION', 'assume-present');
    vi.stubEnv('HOME', '/nowhere');
    vi.stubEnv('CLOUDSDK_CONFIG', '/nowhere');
    expect(await (await askerAt(gateway))()).toBe(200);
    expect(gateway.provider.requests[0]?.path).toContain(`/projects/${SIMULATED_PROJECT}/`);
  });

  it.each([
    ['no JSON', '{"type": nothing', 'holds no JSON'],
    [
      'a key in base64',
      Buffer.from('{"type":"service_account","private_key":"-----BEGIN').toString('base64'),
      'neither',
    ],
    ['longer than a path', 'x'.repeat(10_000), 'neither'],
    ['of another kind', '{"type":"authorized_user"}', 'holds no key of a service account'],
    ['a key that lacks something', '{"type":"service_account","client_email":"a@b"}', 'lacks private_key'],
  ])(
    'credentials that are %s are one clear log line without the key, and 502 to callers',
    async (_what, key, words) => {
      const gateway = await startVertex({ credential_env: 'KEY', environment: () => ({ KEY: key }) });
      const ask = await askerAt(gateway);
      expect(await ask()).toBe(502);
      const lines = gateway.logLines('cannot be fetched');
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(lines)).toContain('credentials of Google Cloud in KEY');
      expect(JSON.stringify(lines)).toContain(words);
      expect(gateway.logText()).not.toContain(key);
    },
  );

  it('tokens that expire during a burst of 1,000 requests fail none, and are fetched once each', async () => {
    const gateway = await startVertex(SERVICE_ACCOUNT);
    const { tokens } = gateway.provider;
    const ask = await askerAt(gateway);
    tokens.next.lastsMs = LASTS_MS;
    const startedAtMs = Date.now();
    expect(await askInBursts(ask, 1_000, 50)).toEqual([200]);
    expect(await askUntil(() => tokens.asked > 1, ask, 10)).toEqual([200]);
    // A token is replaced when four fifths of its time are over.
    const most = 1 + Math.ceil((Date.now() - startedAtMs) / (LASTS_MS * 0.8));
    expect(tokens.asked).toBe(tokens.issued);
    expect(tokens.asked).toBeLessThanOrEqual(most);
  });

  it('a token that is rejected early is replaced during a burst of requests by one request, without a failure', async () => {
    const gateway = await startVertex(SERVICE_ACCOUNT);
    const { tokens } = gateway.provider;
    const ask = await askerAt(gateway);
    // The first one is accepted for less than the hour that it should last.
    tokens.next.acceptedMs = 11_000;
    expect(await ask()).toBe(200);
    tokens.next.acceptedMs = undefined;
    expect(await askUntil(() => tokens.issued > 1, ask, 20)).toEqual([200]);
    expect(await askInBursts(ask, 100, 100)).toEqual([200]);
    expect(tokens.asked).toBe(2);
    expect(gateway.logText()).toContain('accepts a credential no more');
  });

  it('credentials without permission are named in the log, without the token', async () => {
    const gateway = await startVertex({ ...SERVICE_ACCOUNT, place: '/v1/projects/other/locations/eu' });
    expect(await (await askerAt(gateway))()).toBe(502);
    const lines = gateway.logLines('refuses the identity of the gateway');
    expect(lines).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('credentials of Google Cloud in SERVICE_ACCOUNT');
    expect(gateway.logText()).not.toContain('sim-token-google');
  });

  it('tokens that cannot be fetched are 502, and requests work again once they can', async () => {
    const gateway = await startVertex(SERVICE_ACCOUNT);
    const { tokens } = gateway.provider;
    const ask = await askerAt(gateway);
    tokens.next.isDown = true;
    // Some see the breaker of the provider open.
    for (const status of await askInBursts(ask, 100, 100)) expect([502, 503]).toContain(status);
    expect(tokens.asked).toBe(1);
    expect(gateway.logText()).toContain('the token server answered 503: temporarily_unavailable');
    tokens.next.isDown = false;
    while ((await ask()) !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
  });
});
