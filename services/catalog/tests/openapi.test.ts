import { openApiDocument, successNames } from '@model-gateway/openapi';
import type { CatalogDocumentInput } from '@model-gateway/shared';
import {
  answerObserver,
  modelEntry,
  simulatedCatalog,
  startGateway,
  type TestGateway,
  until,
} from '@model-gateway/test-kit';
import { runSql } from '@model-gateway/test-kit/run-sql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

let gateway: TestGateway;
let catalogUrl: string;
let rawKey: string;

beforeAll(async () => {
  gateway = await startGateway({ catalog: true, document: withResponses });
  catalogUrl = `http://127.0.0.1:${gateway.catalog?.port}`;
  rawKey = (await gateway.createKey()).rawKey;
});
afterAll(() => gateway.close());

/** The usual models, whose provider of Chat Completions has Responses as well. */
function withResponses(baseUrl: string): CatalogDocumentInput {
  const { models, providers } = simulatedCatalog(baseUrl);
  const speaking = providers.map((provider) =>
    provider.kind === 'anthropic' ? provider : { ...provider, apis: ['chat' as const, 'responses' as const] },
  );
  // The model of the documented examples.
  const large = modelEntry('acme/large', { sim: 'sim-chat-free' });
  return { models: [...models, large], providers: speaking };
}

const READS = [
  '/health',
  '/v1/models',
  '/v1/models?capability=chat&tier=free',
  '/v1/models/sim/chat-free',
  '/v1/models/sim%2Fchat-free',
  '/v1/status',
  '/v1/status/models',
];

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(gateway.baseUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const chat = (fields: object = {}) => ({
  model: 'sim/chat-free',
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 8,
  ...fields,
});

const envelope = z.object({
  error: z.looseObject({ message: z.string(), param: z.string().nullable().default(null) }),
});
const memberOf = (value: unknown, key: string) => z.record(z.string(), z.unknown()).parse(value)[key];

/** Returns the error that the document shows for an operation, such as `get /v1/models`. */
function shownError(operation: string, status: number, code: string) {
  const document = openApiDocument();
  const path = ['paths', ...operation.split(' ').reverse(), 'responses', String(status)];
  const ofRoute = [...path, 'content', 'application/json', 'examples', code].reduce<unknown>(
    memberOf,
    document,
  );
  const isOwn = memberOf(ofRoute, '$ref') === undefined;
  return envelope.parse(memberOf(isOwn ? ofRoute : memberOf(document.components?.examples, code), 'value'))
    .error;
}

// The test kit checks the answers themselves, in this file as in every other.
describe('what is documented is what is answered', () => {
  it.each(READS)('GET and HEAD %s, by the catalog service and through a data plane', async (path) => {
    for (const url of [catalogUrl + path, gateway.baseUrl + path]) {
      const response = await fetch(url);
      expect(response.status).toBe(200);
      await response.text();
      expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
      let etag = response.headers.get('etag');
      if (etag === null) continue;
      // The status contains the current second, so on a busy machine two answers may differ.
      await until(async () => {
        const next = await fetch(url, { headers: { 'if-none-match': etag ?? '' } });
        etag = next.headers.get('etag');
        await next.text();
        return next.status === 304;
      });
    }
  });

  it('a chat completion, plain and streamed, with and without its usage', async () => {
    const bodies = [
      chat(),
      chat({ stream: true }),
      chat({ stream: true, stream_options: { include_usage: true } }),
      chat({
        tools: [
          { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
        ],
        tool_choice: 'required',
      }),
    ];
    for (const body of bodies) {
      const response = await post('/v1/chat/completions', body);
      expect(response.status).toBe(200);
      await response.text();
    }
  });

  it.each([
    ['/v1/messages', chat()],
    ['/v1/messages?beta=true', chat({ stream: true })],
    ['/v1/messages/count_tokens', chat({ max_tokens: undefined })],
    ['/v1/responses', { model: 'sim/chat-free', input: 'Hello' }],
    ['/v1/responses', { model: 'sim/chat-free', input: 'Hello', stream: true }],
    ['/v1/responses/compact', { model: 'sim/chat-free', input: 'Hello' }],
    ['/v1/responses/input_tokens', { model: 'sim/chat-free', input: 'Hello' }],
    ['/v1/completions', { model: 'sim/complete-free', prompt: 'Hello' }],
    [
      '/v1/completions',
      { model: 'sim/complete-free', prompt: ['a'], stream: true, stream_options: { include_usage: true } },
    ],
    ['/v1/embeddings', { model: 'sim/embed-free', input: 'Hello' }],
    ['/v1/embeddings', { model: 'sim/embed-free', input: ['a', 'b'], encoding_format: 'base64' }],
    ['/v1/rerank', { model: 'sim/rerank-free', query: 'tea', documents: ['tea', { text: 'coffee' }] }],
    ['/v1/rerank', { model: 'sim/rerank-free', query: 'tea', documents: ['a', 'b'], return_documents: true }],
    ['/v1/moderations', { model: 'sim/moderate-free', input: ['tea', 'coffee'] }],
    ['/v1/images/generations', { model: 'sim/image-free', prompt: 'a boat', n: 2 }],
    [
      '/v1/images/generations',
      { model: 'sim/image-free', prompt: 'a boat', stream: true, partial_images: 1 },
    ],
    ['/v1/audio/speech', { model: 'sim/speech-free', input: 'Hello', voice: 'alloy' }],
    ...['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm'].map((response_format): [string, object] => [
      '/v1/audio/speech',
      { model: 'sim/speech-free', input: 'Hello', voice: 'alloy', response_format },
    ]),
    ['/v1/audio/speech', { model: 'sim/speech-free', input: 'Hello', voice: 'alloy', stream_format: 'sse' }],
  ])('POST %s with %j', async (path, body) => {
    const response = await post(path, body);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });

  it.each(['json', 'verbose_json', 'diarized_json', 'text', 'srt', 'vtt'])(
    'a transcription as %s, from a form',
    async (format) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(64_000)]), 'speech.mp3');
      form.set('model', 'sim/transcribe-free');
      form.set('response_format', format);
      const response = await fetch(`${gateway.baseUrl}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rawKey}` },
        body: form,
      });
      expect(response.status).toBe(200);
      await response.text();
    },
  );

  it.each(['false', 'true'])('an edit of an image; as a stream: %s', async (stream) => {
    const form = new FormData();
    for (const name of ['a.png', 'b.png']) form.append('image[]', new Blob(['a picture']), name);
    const fields = { model: 'sim/image-free', prompt: 'a boat', stream, partial_images: '1' };
    for (const [name, value] of Object.entries(fields)) form.set(name, value);
    const response = await fetch(`${gateway.baseUrl}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}` },
      body: form,
    });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('a transcription as a stream, from JSON', async () => {
    const response = await post('/v1/audio/transcriptions', {
      model: 'sim/transcribe-free',
      file: { data: Buffer.alloc(64_000).toString('base64'), filename: 'speech.mp3' },
      stream: true,
    });
    expect(await response.text()).toContain('transcript.text.done');
  });

  it.each(['/v1/chat/completions', '/v1/messages'])(
    'a stream of %s that fails in the middle ends with a documented error',
    async (path) => {
      gateway.provider.script({ reset: { after_events: 2 } });
      const response = await post(path, chat({ stream: true }));
      expect(response.status).toBe(200);
      await expect(response.text()).rejects.toThrow();
    },
  );

  it('a request of Messages with a key in either header', async () => {
    const alone = await fetch(`${gateway.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': rawKey, 'content-type': 'application/json' },
      body: JSON.stringify(chat()),
    });
    expect(alone.status).toBe(200);
    expect((await post('/v1/messages', chat(), { 'x-api-key': rawKey })).status).toBe(200);
    expect((await post('/v1/messages', chat(), { 'x-api-key': `${rawKey}x` })).status).toBe(401);
  });

  it('what its provider keeps of a response', async () => {
    const create = async (fields: object) => {
      const response = await post('/v1/responses', { model: 'sim/chat-free', input: 'Hello', ...fields });
      const [id] = (await response.text()).match(/resp_[\w-]+/) ?? [];
      return `/v1/responses/${id}`;
    };
    const kept = await create({});
    const running = await create({ background: true, simulate: { token_delay_ms: 60_000 } });
    const streamed = await create({ background: true, stream: true });
    const headers = { authorization: `Bearer ${rawKey}` };
    const asked: [string, string][] = [
      ['GET', kept],
      ['GET', `${streamed}?stream=true`],
      ['GET', `${kept}/input_items`],
      ['POST', `${running}/cancel`],
      ['DELETE', kept],
    ];
    for (const [method, path] of asked) {
      const response = await fetch(gateway.baseUrl + path, { method, headers });
      expect([method, path, response.status]).toEqual([method, path, 200]);
      await response.text();
    }
    expect((await fetch(gateway.baseUrl + kept, { headers })).status).toBe(404);
  });

  it('the models, and errors about them, in the form of Anthropic', async () => {
    for (const path of ['/v1/models?limit=1', '/v1/models/sim/chat-free', '/v1/models/sim/none']) {
      for (const url of [catalogUrl + path, gateway.baseUrl + path]) {
        const response = await fetch(url, { headers: { 'anthropic-version': '2023-06-01' } });
        expect(await response.text()).toMatch(/"type":"(model|error)"/);
      }
    }
  });

  it.each([
    ['no key', () => post('/v1/chat/completions', chat(), { authorization: '' }), 401],
    ['broken JSON', () => post('/v1/chat/completions', '{'), 400],
    ['a field of the wrong type', () => post('/v1/chat/completions', chat({ messages: 'Hello' })), 400],
    ['another type of body', () => post('/v1/chat/completions', 'x', { 'content-type': 'text/plain' }), 415],
    ['an unknown model', () => post('/v1/chat/completions', chat({ model: 'sim/none' })), 404],
    ['another endpoint’s model', () => post('/v1/chat/completions', chat({ model: 'sim/embed-free' })), 400],
    ['a body over the cap', () => post('/v1/chat/completions', 'x'.repeat(21 * 1024 * 1024)), 413],
    ['a failing provider', () => post('/v1/chat/completions', chat({ simulate: { status: 500 } })), 502],
    ['a limiting provider', () => post('/v1/chat/completions', chat({ simulate: { status: 429 } })), 429],
    ['a wrong method', () => post('/v1/models', {}), 405],
    ['Responses without a key', () => post('/v1/responses', '{}', { authorization: '' }), 401],
    ['Responses in broken JSON', () => post('/v1/responses', '{'), 400],
    [
      'Responses that go on from nothing',
      () =>
        post('/v1/responses', { model: 'sim/chat-free', input: 'Hello', previous_response_id: 'resp_none' }),
      404,
    ],
    ['Messages without a key', () => post('/v1/messages', chat(), { authorization: '' }), 401],
    ['Messages in broken JSON', () => post('/v1/messages', '{'), 400],
    ['Messages without a bound', () => post('/v1/messages', chat({ max_tokens: undefined })), 400],
    ['Messages at an unknown model', () => post('/v1/messages', chat({ model: 'sim/none' })), 404],
    ['Messages over the cap', () => post('/v1/messages', 'x'.repeat(21 * 1024 * 1024)), 413],
    [
      'Messages of a failing provider',
      () => {
        gateway.provider.script({ status: 500 });
        return post('/v1/messages', chat());
      },
      502,
    ],
    ['an unknown route', () => post('/v1/nothing', {}), 404],
  ])('the data plane’s error for %s', async (_name, ask, status) => {
    const response = await ask();
    expect(response.status).toBe(status);
    await response.text();
  });

  it.each([
    ['/v1/models/sim/none', 404],
    ['/v1/models?tier=cheap', 400],
    ['/v1/nothing', 404],
  ])('the catalog service’s error for %s', async (path, status) => {
    for (const url of [catalogUrl + path, gateway.baseUrl + path]) {
      const response = await fetch(url);
      expect(response.status).toBe(status);
      await response.text();
    }
  });

  it.each([
    ['post /v1/chat/completions', 'invalid_json', (path: string) => post(path, '{')],
    ['post /v1/chat/completions', 'invalid_request', (path) => post(path, chat({ model: undefined }))],
    ['post /v1/chat/completions', 'invalid_api_key', (path) => post(path, chat(), { authorization: '' })],
    ['post /v1/chat/completions', 'model_not_found', (path) => post(path, chat({ model: 'llama-9' }))],
    ['post /v1/rerank', 'unsupported_media_type', (path) => post(path, '{}', { 'content-encoding': 'gzip' })],
    [
      'post /v1/chat/completions',
      'upstream_error',
      (path) => post(path, chat({ simulate: { status: 500 } })),
    ],
    [
      'post /v1/chat/completions',
      'upstream_rate_limited',
      (path) => post(path, chat({ simulate: { status: 429 } })),
    ],
    ['post /v1/messages', 'invalid_json', (path) => post(path, '{')],
    ['post /v1/messages', 'invalid_api_key', (path) => post(path, chat(), { authorization: '' })],
    ['post /v1/messages', 'model_not_found', (path) => post(path, chat({ model: 'llama-9' }))],
    ['get /v1/models', 'method_not_allowed', (path) => fetch(gateway.baseUrl + path, { method: 'DELETE' })],
    ['get /v1/models', 'invalid_request', (path) => fetch(`${gateway.baseUrl}${path}?tier=cheap`)],
    ['get /v1/models/{modelId}', 'model_not_found', () => fetch(`${gateway.baseUrl}/v1/models/llama-9`)],
    [
      'get /v1/usage',
      'invalid_request',
      (path) =>
        fetch(`${gateway.baseUrl}${path}?start_time=2&end_time=1`, {
          headers: { authorization: `Bearer ${rawKey}` },
        }),
    ],
    [
      'get /v1/usage/requests/{request_id}',
      'not_found',
      () =>
        fetch(`${gateway.baseUrl}/v1/usage/requests/none`, {
          headers: { authorization: `Bearer ${rawKey}` },
        }),
    ],
  ])('what %s is shown to answer with %s is what it answers', async (operation, code, ask) => {
    const response = await ask(operation.split(' ')[1] ?? '');
    const { message, param } = envelope.parse(await response.json()).error;
    expect(shownError(operation, response.status, code)).toMatchObject({ message, param });
  });

  it.each<[string, string, object]>([
    ['post /v1/chat/completions', 'tag_required', { require_tags: ['project'] }],
    ['post /v1/chat/completions', 'end_user_required', { require_end_user: true }],
    ['post /v1/chat/completions', 'model_not_allowed', { models: [] }],
    ['post /v1/messages', 'model_not_allowed', { models: [] }],
    ['post /v1/images/generations', 'endpoint_not_allowed', { endpoints: [] }],
    ['get /v1/models', 'network_not_allowed', { networks: [] }],
    ['get /v1/usage', 'network_not_allowed', { networks: [] }],
  ])('what %s is shown to answer with %s is what it answers for rules %j', async (operation, code, rules) => {
    const { id, rawKey: ruledKey } = await gateway.createKey();
    await runSql(gateway.databaseUrl, `INSERT INTO rules (owner, rules) VALUES ($1, $2::jsonb)`, [
      `key:${id}`,
      JSON.stringify(rules),
    ]);
    const [method, path = ''] = operation.split(' ');
    const headers = { authorization: `Bearer ${ruledKey}` };
    const response =
      method === 'get'
        ? await fetch(gateway.baseUrl + path, { headers })
        : await post(path, chat({ model: 'acme/large' }), headers);
    const { message, param } = envelope.parse(await response.json()).error;
    const shown = shownError(operation, response.status, code);
    const shownMessage = shown.message.replace('203.0.113.7', '127.0.0.1');
    expect({ message: shownMessage, param: shown.param }).toMatchObject({ message, param });
  });

  it('a key, usage and the receipt of a request', async () => {
    const requestId = (await post('/v1/chat/completions', chat())).headers.get('x-request-id');
    for (const path of ['/v1/key', '/v1/usage', `/v1/usage/requests/${requestId}`]) {
      const response = await fetch(gateway.baseUrl + path, {
        headers: { authorization: `Bearer ${rawKey}` },
      });
      expect(response.status).toBe(200);
      await response.text();
    }
  });

  it('a purge of the cache', async () => {
    const response = await fetch(`${gateway.baseUrl}/v1/cache`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${rawKey}` },
    });
    expect(response.status).toBe(200);
    await response.text();
  });

  it('every documented success was seen above', () => {
    const unseen = successNames(openApiDocument()).filter((name) => !answerObserver.seen.has(name));
    expect(unseen).toEqual([]);
  });
});
