import { randomBytes } from 'node:crypto';
import { dumpTables, envelopeOf, PROVIDER_CREDENTIAL, until, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { bothApis } from '../endpoints/both-apis.ts';
import { MODEL_ROUTES, writeRequest } from '../endpoints/model-requests.ts';

/** Value of a variable that no catalog names. It must never show. */
const OTHER_SECRET = `other-${randomBytes(12).toString('hex')}`;

const gateway = withGateway({
  environment: { UNRELATED_API_KEY: OTHER_SECRET, EMPTY_API_KEY: '' },
  document: (baseUrl) => {
    const sound = bothApis(baseUrl);
    const [provider] = sound.providers;
    if (provider === undefined) throw new Error('no provider');
    const locked = (id: string, credential_env: string) => ({ ...provider, id, credential_env });
    return {
      providers: [...sound.providers, locked('acme', 'ACME_API_KEY'), locked('empty', 'EMPTY_API_KEY')],
      models: [
        ...sound.models,
        ...sound.models.map((model) => ({
          ...model,
          id: model.id.replace(/^sim/, 'acme'),
          upstreams: model.upstreams.map((upstream) => ({ ...upstream, provider: 'acme' })),
        })),
        {
          ...model('empty/chat'),
          upstreams: [
            { provider: 'empty', model: 'sim-chat-free' },
            { provider: 'acme', model: 'sim-chat-free' },
          ],
        },
        {
          ...model('acme/spare'),
          upstreams: [
            { provider: 'acme', model: 'sim-chat-free', priority: 1 },
            { provider: 'sim', model: 'sim-chat-free', priority: 2 },
          ],
        },
      ],
    };
  },
});

function model(id: string) {
  return { id, name: id, capability: 'chat' as const, tier: 'free' as const };
}

const send = (path: string, contentType: string, body: Uint8Array<ArrayBuffer>) =>
  gateway.ask(path, body, { headers: { 'content-type': contentType } });

const chat = (id: string) => gateway.chat({ model: id });

const linesAbout = (word: string) => gateway.logLines(`"msg":"${word}`);

describe('a model whose provider has no credential here', () => {
  it.each(MODEL_ROUTES)('$name is refused without Retry-After', async (route) => {
    const { contentType, bytes } = writeRequest(route, `acme/${route.model}-pro`);
    const { status, headers, body } = await send(route.path, contentType, new Uint8Array(bytes));
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBeNull();
    const { code, message } = envelopeOf({ body });
    expect(code).toBe('model_unavailable');
    expect(message).toContain('is not configured');
    // Only the operator needs to know what is missing.
    expect(body).not.toContain('API_KEY');
    expect(gateway.provider.requests).toEqual([]);
  });

  it('a model without a credential costs nothing, and reserves nothing', async () => {
    const { rawKey: own } = await gateway.createKey();
    expect((await gateway.chat({ model: 'acme/chat-pro' }, { key: own })).status).toBe(503);
    const usage = await fetch(`${gateway.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    expect(await usage.json()).toMatchObject({ pools: [{ used_usd: '0.000000000' }] });
  });

  it('the log names the variable and the provider, once however many requests come', async () => {
    await Promise.all(Array.from({ length: 30 }, () => chat('empty/chat')));
    expect(linesAbout('a provider cannot be used: set this variable')).toEqual([
      expect.objectContaining({ provider: 'acme', variable: 'ACME_API_KEY', level: 40 }),
      expect.objectContaining({ provider: 'empty', variable: 'EMPTY_API_KEY', level: 40 }),
    ]);
    const refusedLines = linesAbout('requests are refused: set this variable');
    expect(refusedLines.map(({ provider }) => provider).sort()).toEqual(['acme', 'empty']);
    expect(refusedLines.find(({ provider }) => provider === 'empty')).toMatchObject({
      variable: 'EMPTY_API_KEY',
      model: 'empty/chat',
      level: 50,
    });
  });

  it('another provider of the model that has a credential serves it', async () => {
    const { status, headers } = await chat('acme/spare');
    expect(status).toBe(200);
    expect(headers.get('retry-after')).toBeNull();
    expect(gateway.provider.requests).toHaveLength(1);
  });

  it('an open circuit breaker of another provider gives Retry-After, unlike a missing credential', async () => {
    // Enough failures for its breaker.
    for (let count = 0; count < 40; count++) {
      gateway.provider.script({ status: 500 });
      const { status, headers } = await chat('acme/spare');
      if (status !== 503) continue;
      expect(headers.get('retry-after')).toBe('1');
      return;
    }
    expect.fail('the breaker did not open');
  });

  it('the data plane reports only variables that the catalog names', async () => {
    await until(async () => (await dumpTables(gateway.databaseUrl)).includes(',ACME_API_KEY,f)'));
    for (const text of [await dumpTables(gateway.databaseUrl), gateway.logText()]) {
      expect(text).not.toContain('UNRELATED_API_KEY');
      expect(text).not.toContain(OTHER_SECRET);
      expect(text).not.toContain(PROVIDER_CREDENTIAL);
    }
  });
});
