import { estimatedTokens } from '@model-gateway/dialects';
import { READ_REQUESTS_PER_MINUTE } from '@model-gateway/shared';
import {
  modelEntry,
  PROVIDER_CREDENTIAL,
  providerEntry,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { json, startScriptedProvider } from '../providers/scripted-provider.ts';

const MEDIA_TOKENS = 1_000;
let rawKey: string;

const provider = withStarted(() => startScriptedProvider());
const gateway = withGateway(() => {
  const chat = (id: string, upstream: string) =>
    modelEntry(
      id,
      { [id.slice(0, id.indexOf('/'))]: upstream },
      {
        tier: 'paid',
        tokens_per_media_part: MEDIA_TOKENS,
        pricing: { input_per_million_usd: '1', output_per_million_usd: '1' },
      },
    );
  return {
    defaultLimits: true,
    // Nobody has any money.
    ownPools: true,
    document: () => ({
      providers: [
        providerEntry('anthropic', provider.baseUrl, { kind: 'anthropic' }),
        providerEntry('other', provider.baseUrl),
      ],
      models: [
        chat('anthropic/claude', 'claude-sonnet-4-6'),
        chat('other/omni', 'openai/gpt-4o'),
        chat('other/turbo', 'gpt-4-turbo'),
        chat('other/llama', 'llama-3.3-70b'),
        {
          ...chat('other/embed', 'text-embedding-3-small'),
          capability: 'embeddings',
          tokens_per_media_part: undefined,
          pricing: { input_per_million_usd: '1' },
        },
      ],
    }),
  };
});
beforeAll(async () => {
  ({ rawKey } = await gateway.createKey());
});
afterEach(() => {
  provider.received.length = 0;
});

function count(body: string | object, { headers = {}, query = '', key = rawKey } = {}) {
  return gateway.post(`messages/count_tokens${query}`, body, { key, headers });
}

const hello = (model: string) => ({ model, messages: [{ role: 'user', content: 'hello world' }] });

const lines = () => gateway.logLines('"route":"/v1/messages/count_tokens"');

describe('count_tokens at a provider that counts', () => {
  const body = (model: string) =>
    `{ "messages":[{"role":"user","content":"hi"}], "model":"${model}", "unknown": 1.0, "tools": [] }`;

  it('the provider gets the body byte for byte except for the model, and its response passes unchanged', async () => {
    provider.respond = json(
      200,
      '{"input_tokens": 14, "context_management": {"original_input_tokens": 20.0}}',
    );
    const answer = await count(body('anthropic/claude'), {
      query: '?beta=true',
      headers: { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'new-beta-2030-01-01', cookie: 'a=b' },
    });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe(
      '{"input_tokens": 14, "context_management": {"original_input_tokens": 20.0}}',
    );
    expect(answer.headers.get('request-id')).toBe(answer.headers.get('x-request-id'));
    const [asked] = provider.received;
    expect(asked?.url).toBe('/v1/messages/count_tokens?beta=true');
    expect(asked?.body).toBe(body('claude-sonnet-4-6'));
    expect(asked?.headers).toMatchObject({
      'x-api-key': PROVIDER_CREDENTIAL,
      'anthropic-version': '2024-01-01',
      'anthropic-beta': 'new-beta-2030-01-01',
    });
    expect(asked?.headers).not.toHaveProperty('cookie');
    await until(() => lines().at(-1)?.provider_request_id === 'req_theirs');
    expect(lines().at(-1)).toMatchObject({ model: 'anthropic/claude', status: 200 });
    expect(lines().at(-1)).not.toHaveProperty('input_tokens');
  });

  it.each([400, 413, 422, 429, 529])("the provider's error %i passes in its own words", async (status) => {
    const words = `{"type":"error","error":{"type":"x","message":"no, ${PROVIDER_CREDENTIAL}"}}`;
    provider.respond = json(status, words);
    const answer = await count(hello('anthropic/claude'));
    expect(answer.status).toBe(status);
    expect(await answer.text()).toBe(words.replace(PROVIDER_CREDENTIAL, '[redacted]'));
  });

  it.each([
    [500, '{}'],
    [401, '{}'],
    [200, '{"tokens":3}'],
    [200, 'no JSON'],
  ])('a failure with %i %s becomes an error of the gateway', async (status, words) => {
    provider.respond = json(status, words);
    const answer = await count(hello('anthropic/claude'));
    expect(answer.status).toBe(502);
    expect(await answer.json()).toMatchObject({
      type: 'error',
      error: { type: 'api_error', code: 'upstream_error' },
      request_id: answer.headers.get('request-id'),
    });
  });

  it.each([404, 405, 501])('a count is estimated when the provider answers %i', async (status) => {
    provider.respond = json(status, '{}');
    const answer = await count(hello('anthropic/claude'));
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ input_tokens: estimatedTokens('userhello world'.length) });
  });
});

describe('count_tokens for a model whose provider does not count', () => {
  // A message has a frame of three tokens around its role, and the answer begins with three.
  const frame = (messages: number) => messages * 4 + 3;

  it.each([
    ['other/omni', 'hello world', 2],
    ['other/turbo', 'hello world', 2],
    // Where the two vocabularies differ.
    ['other/omni', 'Привет, мир', 4],
    ['other/turbo', 'Привет, мир', 6],
    ['other/omni', 'a <|endoftext|> is text', 10],
  ])("the tokenizer of the model's family counts %s: %j", async (model, content, tokens) => {
    const answer = await count({ model, messages: [{ role: 'user', content }] });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ input_tokens: frame(1) + tokens });
    expect(answer.headers.get('x-gateway-model')).toBe(model);
    expect(provider.received).toEqual([]);
  });

  it('pictures count as the catalog says, whatever their size', async () => {
    const source = { type: 'base64', media_type: 'image/png', data: 'QUJD'.repeat(10_000) };
    const content = [
      { type: 'text', text: 'hello world' },
      { type: 'image', source },
    ];
    for (const [model, text] of [
      ['other/omni', frame(1) + 2],
      ['other/llama', estimatedTokens('usertexthello worldimagebase64image/png'.length)],
    ] as const) {
      const answer = await count({ model, messages: [{ role: 'user', content }] });
      expect(await answer.json()).toEqual({ input_tokens: text + MEDIA_TOKENS });
    }
  });

  it('tokens of an unknown model family are estimated', async () => {
    const answer = await count(hello('other/llama'));
    expect(await answer.json()).toEqual({ input_tokens: estimatedTokens('userhello world'.length) });
  });

  it('a body of megabytes is counted', async () => {
    const messages = [{ role: 'user', content: ' hello'.repeat(300_000) }];
    const answer = await count({ model: 'other/omni', messages });
    expect(await answer.json()).toEqual({ input_tokens: expect.closeTo(300_000 + frame(1), -3) });
  });
});

describe('count_tokens', () => {
  it('a count uses the limit of reads, and needs no money', async () => {
    const { rawKey: key } = await gateway.createKey();
    const left = [];
    for (const model of ['other/omni', 'other/llama']) {
      const { headers, status } = await count(hello(model), { key });
      expect(status).toBe(200);
      expect(headers.get('x-ratelimit-limit-requests')).toBe(String(READ_REQUESTS_PER_MINUTE));
      left.push(Number(headers.get('x-ratelimit-remaining-requests')));
    }
    expect(left).toEqual([READ_REQUESTS_PER_MINUTE - 1, READ_REQUESTS_PER_MINUTE - 2]);
    const usage = await fetch(`${gateway.baseUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    expect(await usage.json()).toMatchObject({ totals: { requests: 0 } });
  });

  it.each([
    ['no JSON', '{', 400, 'invalid_request_error', 'invalid_json'],
    ['no messages', { model: 'other/omni' }, 400, 'invalid_request_error', 'invalid_request'],
    ['an unknown model', hello('other/none'), 404, 'not_found_error', 'model_not_found'],
    ['a model for something else', hello('other/embed'), 400, 'invalid_request_error', 'wrong_endpoint'],
    [
      'a misspelt member',
      { ...hello('other/omni'), Model: 'x' },
      400,
      'invalid_request_error',
      'invalid_request',
    ],
  ])("a count with %s is refused in Anthropic's form", async (_name, body, status, type, code) => {
    const answer = await count(body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ type: 'error', error: { type, code } });
  });

  it('a count without a valid key is refused', async () => {
    const answer = await count(hello('other/omni'), { key: 'nonsense' });
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ error: { type: 'authentication_error' } });
  });
});
