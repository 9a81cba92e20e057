import {
  envelopeOf,
  modelEntry,
  providerEntry,
  readAll,
  usageOf,
  withGateway,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MATRIX_CALLERS } from '../matrix/callers.ts';

const MODEL = 'cohere/command';
const PLAIN = 'cohere/command-r';
const THINKING = 'cohere/command-reasoning';

const gateway = withGateway({
  document: (baseUrl) => {
    const provider = providerEntry('cohere', new URL(baseUrl).origin, { kind: 'cohere' });
    const model = (id: string, upstream: string, more: Parameters<typeof modelEntry>[2]) =>
      modelEntry(id, { cohere: upstream }, { tier: 'paid', ...more });
    const pricing = { input_per_million_usd: '2.50', output_per_million_usd: '10' };
    const chat = { capability: 'chat' as const, max_output_tokens: 4_000, pricing };
    return {
      providers: [provider],
      models: [
        model(MODEL, 'sim-command-pro', chat),
        model(PLAIN, 'command-r-simulated', chat),
        model(THINKING, 'command-a-reasoning-simulated', chat),
        model('cohere/embed', 'sim-embed-pro', {
          capability: 'embeddings' as const,
          pricing: { input_per_million_usd: '0.12' },
        }),
        model('cohere/rerank', 'sim-rerank-pro', {
          capability: 'rerank' as const,
          pricing: { search_unit_usd: '0.002' },
        }),
      ],
    };
  },
});

const post = (path: string, body: object, signal?: AbortSignal) =>
  gateway.post(path, body, { ...(signal === undefined ? {} : { signal }) });
const HI = [{ role: 'user', content: 'Hi.' }];
const completions = (body: object) => post('/v1/chat/completions', { model: MODEL, messages: HI, ...body });
const sent = () => gateway.provider.requests.at(-1);
const tool = (name: string, properties: object) => ({
  name,
  parameters: { type: 'object' as const, properties, required: Object.keys(properties) },
});
const number = { type: 'number' };

const charged = async (requestId: string) => (await usageOf(gateway.books, requestId)).charged;

const turnOf = (text: string) => ({ turns: [{ user: [{ text }] }] });

describe.each(MATRIX_CALLERS)('a chat with a model of Cohere, asked for in $title', (caller) => {
  it('a call without parameters has an empty object where Cohere says null', async () => {
    const { stream_options: _streamed, ...request } = z
      .looseObject({})
      .parse(caller.request({ ...turnOf('use clock: {}'), tools: [tool('clock', {})] }));
    const response = await post(caller.path, { ...request, model: MODEL });
    const { calls } = caller.answer(await response.json());
    expect(calls).toMatchObject([{ name: 'clock', input: {} }]);
  });

  it.each(['ERROR', 'TIMEOUT'])(
    'a stream that Cohere ends with %s never looks complete',
    async (stop_reason) => {
      gateway.provider.script({ content: 'A river of ice that flows very slowly.', stop_reason });
      const { isBroken, text } = await readAll(
        await post(caller.path, { ...caller.request(turnOf('Hi.')), model: MODEL, stream: true }),
      );
      expect(isBroken).toBe(true);
      expect(text).not.toContain(caller.endMark);
      expect(text).toContain(caller.failureMark);
    },
  );
});

describe('a chat with a model of Cohere', () => {
  it('a chat continues after calls with their plan, thoughts and results', async () => {
    const answer = await completions({
      tools: [{ type: 'function', function: tool('double', { a: number }) }],
      messages: [
        { role: 'developer', content: 'Be short.' },
        { role: 'user', content: 'Twice 21?' },
        {
          role: 'assistant',
          content: 'I will double it.',
          reasoning_content: 'Easy.',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'double', arguments: '{"a":21}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '42' },
      ],
    });
    expect(answer.status, await answer.text()).toBe(200);
    expect(sent()?.body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Twice 21?' },
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Easy.' }],
          tool_plan: 'I will double it.',
          tool_calls: [{ id: 'c1', function: { name: 'double', arguments: '{"a":21}' } }],
        },
        { role: 'tool', tool_call_id: 'c1', content: '42' },
      ],
    });
  });

  it.each([
    ['Chat Completions', '/v1/chat/completions', { messages: HI, reasoning_effort: 'low' }, 4_096],
    ['Responses', '/v1/responses', { input: 'Hi.', store: false, reasoning: { effort: 'low' } }, 4_096],
    [
      'Messages',
      '/v1/messages',
      { messages: HI, max_tokens: 4_000, thinking: { type: 'enabled', budget_tokens: 2_000 } },
      2_000,
    ],
  ])('a chat thinks as much as %s asks for', async (_api, path, body, token_budget) => {
    const answer = await post(path, { model: MODEL, ...body });
    expect(answer.status, await answer.text()).toBe(200);
    expect(sent()?.body).toMatchObject({ thinking: { type: 'enabled', token_budget } });
  });

  it('a picture goes to a model that sees, and is refused by name for one that does not', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
    expect((await completions({ messages })).status).toBe(200);
    expect(JSON.stringify(sent()?.body)).toContain(url);
    const refused = await completions({ model: PLAIN, messages });
    expect(refused.status).toBe(400);
    expect(envelopeOf({ body: await refused.text() })).toMatchObject({
      code: 'invalid_request',
      param: 'messages[0].content[0].type',
    });
  });

  it.each([
    ['a PDF', 'messages[0].content[0].file', { file: { file_data: 'data:application/pdf;base64,AA==' } }],
    ['a recording', 'messages[0].content[0].input_audio', { input_audio: { data: 'AA==', format: 'wav' } }],
  ])('%s is refused by name', async (_what, param, part) => {
    const [type = ''] = Object.keys(part);
    const refused = await completions({ messages: [{ role: 'user', content: [{ type, ...part }] }] });
    expect([refused.status, envelopeOf({ body: await refused.text() }).param]).toEqual([400, param]);
  });

  it('fields that the model lacks are named as ignored, and it is not asked to think', async () => {
    const answer = await completions({
      model: PLAIN,
      reasoning_effort: 'high',
      user: 'me',
      temperature: 1.5,
    });
    expect(answer.headers.get('x-gateway-ignored')?.split(', ').sort()).toEqual([
      'reasoning_effort',
      'temperature',
      'user',
    ]);
    expect(sent()?.body).toMatchObject({ temperature: 1 });
    expect(sent()?.body).not.toHaveProperty('thinking');
    await answer.text();
  });

  it('a chat without plausible usage is estimated, and never free', async () => {
    for (const usage of ['missing', 'absurd', 'worded'] as const) {
      gateway.provider.script({ usage, content: 'A river of ice.' });
      const answer = await completions({});
      expect(answer.status, await answer.text()).toBe(200);
      expect(await charged(answer.headers.get('x-request-id') ?? '')).toBeGreaterThan(0n);
    }
  });
});

describe('embeddings of Cohere', () => {
  const embed = (more: object) =>
    post('/v1/embeddings', { model: 'cohere/embed', input: ['a beach', 'a city'], ...more });
  const answered = z.object({
    object: z.literal('list'),
    model: z.literal('cohere/embed'),
    data: z.array(z.object({ index: z.int(), object: z.literal('embedding'), embedding: z.unknown() })),
    usage: z.object({ prompt_tokens: z.int(), total_tokens: z.int() }),
  });

  it("embeddings have OpenAI's shape, in numbers and in base64, and cost what Cohere bills", async () => {
    const plain = await embed({ dimensions: 256 });
    const { data, usage } = answered.parse(await plain.json());
    const vectors = data.map(({ embedding }) => z.array(z.number()).length(256).parse(embedding));
    expect(sent()?.body).toEqual({
      model: 'sim-embed-pro',
      texts: ['a beach', 'a city'],
      input_type: 'search_document',
      embedding_types: ['float'],
      truncate: 'NONE',
      output_dimension: 256,
    });
    expect(await charged(plain.headers.get('x-request-id') ?? '')).toBe(BigInt(usage.prompt_tokens) * 120n);

    const packed = answered.parse(await (await embed({ dimensions: 256, encoding_format: 'base64' })).json());
    const bytes = packed.data.map(({ embedding }) => Buffer.from(z.string().parse(embedding), 'base64'));
    const unpacked = bytes.map((one) => Array.from({ length: 256 }, (_, at) => one.readFloatLE(at * 4)));
    for (const [index, vector] of vectors.entries()) {
      expect(unpacked[index]).toEqual(vector.map(Math.fround));
    }
  });

  it('embeddings are of the input_type that the caller names', async () => {
    const answer = await embed({ input: 'where is sand?', input_type: 'search_query', truncate: 'END' });
    expect(answer.status, await answer.text()).toBe(200);
    expect(sent()?.body).toMatchObject({
      texts: ['where is sand?'],
      input_type: 'search_query',
      truncate: 'END',
    });
  });

  it.each([
    ['numbers of tokens', { input: [1, 2] }, 'input'],
    ['lists of them', { input: [[1], [2]] }, 'input'],
    ['more than 96 texts', { input: Array.from({ length: 97 }, () => 'a') }, 'input'],
    ['a type that is none of texts', { input_type: 'image' }, 'input_type'],
  ])('embeddings of %s are refused by name', async (_what, body, param) => {
    const refused = await embed(body);
    expect([refused.status, envelopeOf({ body: await refused.text() }).param]).toEqual([400, param]);
    expect(gateway.provider.requests).toEqual([]);
  });

  it('embeddings without a vector for each text are a failure', async () => {
    for (let attempt = 0; attempt < 3; attempt++) gateway.provider.script({ rubbish: 'wrong_shape' });
    const answer = await embed({});
    expect(answer.status, await answer.text()).toBe(502);
  });
});

describe('rerank of Cohere', () => {
  const rerank = (more: object) =>
    post('/v1/rerank', {
      model: 'cohere/rerank',
      query: 'sand',
      documents: ['snow', 'a beach of sand'],
      ...more,
    });

  it('rerank costs its search units, best first, with texts that the gateway adds', async () => {
    const answer = await rerank({ return_documents: true, top_n: 1 });
    expect(await answer.json()).toMatchObject({
      model: 'cohere/rerank',
      results: [{ index: 1, document: { text: 'a beach of sand' } }],
      meta: { billed_units: { search_units: 1 } },
    });
    expect(sent()).toMatchObject({
      path: '/v2/rerank',
      body: { model: 'sim-rerank-pro', query: 'sand', documents: ['snow', 'a beach of sand'], top_n: 1 },
    });
    expect(sent()?.body).not.toHaveProperty('return_documents');
    expect(await charged(answer.headers.get('x-request-id') ?? '')).toBe(2_000_000n);
  });

  it('rerank sends documents that are objects as text, and refuses rank_fields by name', async () => {
    const documents = [{ text: 'sand' }, { title: 'snow' }];
    expect((await rerank({ documents })).status).toBe(200);
    expect(sent()?.body).toMatchObject({ documents: ['sand', '{"title":"snow"}'] });
    const refused = await rerank({ documents, rank_fields: ['title'] });
    expect([refused.status, envelopeOf({ body: await refused.text() }).param]).toEqual([400, 'rank_fields']);
  });
});
