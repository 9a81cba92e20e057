import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  modelEntry,
  providerEntry,
  SIMULATED_ENTRA_CLIENT,
  SIMULATED_ENTRA_SECRET,
  SIMULATED_ENTRA_TENANT,
  SIMULATED_FEDERATED_TOKEN,
  startGateway,
  type TestGateway,
  until,
  withoutCredential,
} from '@model-gateway/test-kit';
import type OpenAI from 'openai';
import { toFile } from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { openAiOf } from '../endpoints/official-clients.ts';

let stack = new AsyncDisposableStack();
afterEach(async () => {
  await stack.disposeAsync();
  stack = new AsyncDisposableStack();
});

const IDENTITY = { AZURE_TENANT_ID: SIMULATED_ENTRA_TENANT, AZURE_CLIENT_ID: SIMULATED_ENTRA_CLIENT };
const SECRET = { ...IDENTITY, AZURE_CLIENT_SECRET: SIMULATED_ENTRA_SECRET };

/** A resource of Azure whose entry names no key. */
async function startAzure(environment: Record<string, string>): Promise<TestGateway> {
  return stack.use(
    await startGateway({
      document: (baseUrl) => ({
        providers: [
          withoutCredential(
            providerEntry('azure', new URL('/openai/v1', baseUrl).href, { kind: 'azure-openai' }),
          ),
        ],
        models: [
          modelEntry('azure/chat', { azure: 'sim-chat-free' }),
          modelEntry('azure/hear', { azure: 'sim-transcribe-free' }, { capability: 'transcription' }),
        ],
      }),
      environment: (baseUrl) => ({ AZURE_AUTHORITY_HOST: new URL(baseUrl).origin, ...environment }),
    }),
  );
}

async function clientOf(gateway: TestGateway): Promise<OpenAI> {
  const { rawKey } = await gateway.createKey();
  return openAiOf(gateway, rawKey);
}

const HI = { model: 'azure/chat', messages: [{ role: 'user' as const, content: 'hi' }] };

async function tokenFile(token: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'azure-'));
  stack.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'token');
  await writeFile(file, `${token}\n`);
  return file;
}

describe('tokens of Entra ID', () => {
  it("an application's token is fetched once by its secret, and sent instead of a key", async () => {
    const gateway = await startAzure(SECRET);
    const client = await clientOf(gateway);
    const answers = await Promise.all([1, 2, 3].map(() => client.chat.completions.create(HI)));
    expect(answers.every(({ choices }) => choices.length === 1)).toBe(true);
    for (const { headers } of gateway.provider.requests) {
      expect(headers.authorization).toMatch(/^Bearer sim-token-entra-/);
      expect(headers['api-key']).toBeUndefined();
    }
    expect(gateway.provider.tokens.asked).toBe(1);
    const file = await toFile(Buffer.from('RIFF'), 'a.wav');
    expect((await client.audio.transcriptions.create({ model: 'azure/hear', file })).text).not.toBe('');
    expect(gateway.provider.requests.at(-1)?.headers.authorization).toMatch(/^Bearer sim-token-entra-/);
  });

  it('a token is fetched with a secret stored at run time, and is not used after the removal of the secret', async () => {
    const gateway = await startAzure(IDENTITY);
    const client = await clientOf(gateway);
    const isServed = () =>
      client.chat.completions.create(HI, { maxRetries: 0 }).then(
        () => true,
        () => false,
      );
    expect(await isServed()).toBe(false);
    const name = 'AZURE_CLIENT_SECRET';
    await gateway.admin.call(10_000, 'admin', 'setCredential', { name, value: SIMULATED_ENTRA_SECRET });
    await until(isServed);
    expect(gateway.provider.requests.at(-1)?.headers.authorization).toMatch(/^Bearer sim-token-entra-/);
    await gateway.admin.call(10_000, 'admin', 'removeCredential', { name });
    await until(async () => !(await isServed()));
  });

  it("a workload's token is fetched with the file's token, which is read anew each time", async () => {
    const file = await tokenFile(SIMULATED_FEDERATED_TOKEN);
    const gateway = await startAzure({ ...IDENTITY, AZURE_FEDERATED_TOKEN_FILE: file });
    const { tokens } = gateway.provider;
    tokens.next.lastsMs = 1_000;
    const client = await clientOf(gateway);
    await client.chat.completions.create(HI);
    await writeFile(file, 'another one, that nobody knows');
    // A request after the end of the first token is refused.
    while (tokens.asked === 1) await client.chat.completions.create(HI).catch(() => undefined);
    await expect
      .poll(() => gateway.logText())
      .toContain('the token server answered 401: invalid_client AADSTS7000215');
  });

  it.each([
    ['without an application', {}, 'AZURE_TENANT_ID is not set'],
    ['without a proof', IDENTITY, 'AZURE_FEDERATED_TOKEN_FILE is not set'],
    [
      'by a wrong secret',
      { ...IDENTITY, AZURE_CLIENT_SECRET: 'a-secret-that-is-wrong' },
      'the token server answered 401: invalid_client AADSTS7000215',
    ],
  ])(
    'tokens %s are one clear log line without a secret, and 502 to callers',
    async (_how, environment, words) => {
      const gateway = await startAzure(environment);
      const client = await clientOf(gateway);
      await expect(client.chat.completions.create(HI)).rejects.toMatchObject({
        status: 502,
        code: 'upstream_error',
      });
      const lines = gateway.logLines('cannot be fetched');
      expect(lines).toHaveLength(1);
      expect(JSON.stringify(lines)).toContain('tokens of Entra ID');
      expect(JSON.stringify(lines)).toContain(words);
      expect(gateway.logText()).not.toContain('a-secret-that-is-wrong');
    },
  );
});
