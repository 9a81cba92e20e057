import {
  chatBody,
  postJson,
  SIMULATED_PROJECT,
  simulatedServiceAccount,
  startGateway,
  until,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { openAiOf } from '../endpoints/official-clients.ts';
import { vertexDocument } from './vertex.ts';
import { withoutBreakers } from './without-breakers.ts';

const gateway = withGateway({
  document: (baseUrl) => vertexDocument(baseUrl, { credential_env: 'SERVICE_ACCOUNT' }),
  environment: (baseUrl) => ({ SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl) }),
  overrides: withoutBreakers(),
});

const QUESTION = 'What is a glacier?';
const PLACE = `/v1/projects/${SIMULATED_PROJECT}/locations/europe-west1/publishers`;
const PATHS = ['chat/completions', 'messages', 'responses'] as const;
const MODELS = ['vertex/gemini', 'vertex/claude'];

function post(path: string, request: object | string, headers: Record<string, string> = {}) {
  return gateway.post(path, typeof request === 'string' ? request : JSON.stringify(request), { headers });
}

/** The same question in each API. */
function asked(path: (typeof PATHS)[number], model: string, stream: boolean): Promise<Response> {
  if (path === 'responses') return post(path, { model, input: QUESTION, stream, store: false });
  const messages = [{ role: 'user', content: QUESTION }];
  return post(path, { model, max_tokens: 500, messages, stream });
}

describe('chats of Vertex AI', () => {
  it("chats send a token instead of the key, to the key's own project", async () => {
    const response = await asked('chat/completions', 'vertex/gemini', false);
    expect(response.status).toBe(200);
    const [request] = gateway.provider.requests;
    expect(request?.path).toBe(`${PLACE}/google/models/sim-gemini-pro:generateContent`);
    expect(request?.headers.authorization).toMatch(/^Bearer sim-token-google-/);
    expect(JSON.stringify(request?.headers)).not.toContain('PRIVATE KEY');
  });

  it('a token is removed from what a provider answers', async () => {
    const echo = { simulate: { echo_credential: true } };
    for (const model of MODELS) {
      const messages = [{ role: 'user', content: 'hi' }];
      gateway.provider.script(echo.simulate, echo.simulate);
      for (const stream of [false, true]) {
        const response = await post('chat/completions', { model, max_tokens: 50, messages, stream });
        const text = await response.text();
        expect(text).toContain('[redacted]');
        expect(text).not.toContain('sim-token-google-');
      }
    }
  });

  it('Messages pass to Claude unchanged except for the model and the version', async () => {
    const rest =
      '"max_tokens":50,  "messages":[{"role":"user","content":"h\\u0069"}],"temperature":1.0,"stream":true}';
    const response = await post('messages?beta=true', `{"model":"vertex/claude", ${rest}`, {
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'prompt-caching-scope-2026-01-05,interleaved-thinking-2025-05-14',
    });
    expect(response.headers.get('x-gateway-ignored')).toBe('anthropic-beta');
    expect(await response.text()).toContain('event: message_stop');
    const [request] = gateway.provider.requests;
    expect(request?.path).toBe(`${PLACE}/anthropic/models/sim-claude-pro:streamRawPredict`);
    expect(request?.headers['anthropic-beta']).toBe('interleaved-thinking-2025-05-14');
    expect(request?.headers['anthropic-version']).toBeUndefined();
    expect(request?.bodyText).toContain(
      '"messages":[{"role":"user","content":"h\\u0069"}],"temperature":1.0',
    );
    expect(request?.body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true });
    expect(request?.body).not.toHaveProperty('model');
  });

  it("Claude's refusals come in its words, and those of Google's gateway in our own", async () => {
    const request = chatBody({ model: 'vertex/claude', max_tokens: 50 });
    const refused = await post('messages', { ...request, top_k: 'many' });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringContaining('top_k') },
      request_id: expect.stringContaining('req_vrtx_'),
    });
    gateway.provider.script({ status: 429, retry_after: 7 });
    const ours = await post('messages', request);
    expect(ours.status).toBe(429);
    expect(ours.headers.get('retry-after')).toBe('7');
    expect(await ours.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } });
  });

  it('the address of a picture is refused for Claude, which fetches nothing there', async () => {
    const content = [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }];
    const request = { max_tokens: 50, messages: [{ role: 'user', content }] };
    const response = await post('chat/completions', { ...request, model: 'vertex/claude' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: {
        param: 'messages[0].content[0].image_url.url',
        message: expect.stringContaining('vertex/claude'),
      },
    });
    expect((await post('chat/completions', { ...request, model: 'vertex/gemini' })).status).toBe(200);
  });

  it.each(MODELS)('the provider counts prompts of %s, with tools and tool_choice', async (model) => {
    const response = await post('messages/count_tokens', {
      model,
      messages: [{ role: 'user', content: QUESTION }],
      tools: [{ name: 'weather', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    expect(JSON.parse(text)).toEqual({ input_tokens: expect.any(Number) });
    expect(gateway.provider.requests.map(({ path }) => path)).toEqual([
      model === 'vertex/claude'
        ? `${PLACE}/anthropic/models/count-tokens:rawPredict`
        : `${PLACE}/google/models/sim-gemini-pro:countTokens`,
    ]);
  });
});

describe('embeddings of Vertex AI', () => {
  const client = () => openAiOf(gateway);

  it('embeddings are those of each text, in order, with the tokens that were counted', async () => {
    const model = 'vertex/embed';
    const one = await client().embeddings.create({ model, input: 'ice', dimensions: 8 });
    const two = await client().embeddings.create({ model, input: ['snow is cold', 'ice'], dimensions: 8 });
    expect(two.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
    expect(two.data[1]?.embedding).toEqual(one.data[0]?.embedding);
    expect(two.usage.prompt_tokens).toBe(4);
    expect(gateway.provider.requests.at(-1)).toMatchObject({
      path: `${PLACE}/google/models/sim-text-embedding:predict`,
      body: {
        instances: [{ content: 'snow is cold' }, { content: 'ice' }],
        parameters: { autoTruncate: false, outputDimensionality: 8 },
      },
    });
  });

  it('embeddings of newer models take one content, and more texts are refused', async () => {
    const model = 'vertex/embed-2';
    const { data, usage } = await client().embeddings.create({ model, input: 'snow is cold', dimensions: 8 });
    expect(data[0]?.embedding).toHaveLength(8);
    expect(usage.prompt_tokens).toBe(3);
    expect(gateway.provider.requests.at(-1)).toMatchObject({
      path: `${PLACE}/google/models/gemini-embedding-2-sim:embedContent`,
      body: { content: { parts: [{ text: 'snow is cold' }] }, autoTruncate: false },
    });
    const refused = await post('embeddings', { model, input: ['one', 'two'] });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      error: { param: 'input', message: expect.stringContaining('one text') },
    });
  });
});

it('the other service account serves after one was deleted, and no caller notices', async () => {
  await using several = await startGateway({
    document: (baseUrl) =>
      vertexDocument(baseUrl, { credential_env: ['DELETED_ACCOUNT', 'SERVICE_ACCOUNT'] }),
    environment: (baseUrl) => ({
      PROVIDER_PROBE_INTERVAL_MS: '1000',
      DELETED_ACCOUNT: simulatedServiceAccount(baseUrl).replace(/"client_email":"/, '$&deleted-'),
      SERVICE_ACCOUNT: simulatedServiceAccount(baseUrl),
    }),
  });
  const key = await several.createKey();
  // More than there are retries for.
  for (let count = 0; count < 30; count++) {
    const response = await postJson(several.baseUrl, key.rawKey, 'chat/completions', {
      model: 'vertex/gemini',
      messages: [{ role: 'user', content: QUESTION }],
    });
    expect(response.status, await response.text()).toBe(200);
  }
  await until(() => several.logText().includes('a credential for a provider cannot be fetched'));
  expect(several.logText()).toContain('"credential_env":"SERVICE_ACCOUNT"');
  const probes = async () => {
    const answer = await fetch(`http://127.0.0.1:${several.dataPlanes[0]?.internalPort}/metrics`);
    return (await answer.text()).match(/^gateway_provider_probe_duration_seconds_count.*$/gm) ?? [];
  };
  await until(async () => (await probes()).length > 0);
  // They reach the provider with the other one. Its simulation does not know their path.
  expect(await probes()).toEqual([expect.not.stringContaining('outcome="failed"')]);
});
