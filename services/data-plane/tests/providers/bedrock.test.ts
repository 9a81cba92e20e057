import { withGateway } from '@model-gateway/test-kit';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';
import { awsEnvironment, bedrockDocument } from './bedrock.ts';

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsEnvironment('AKIDENVIRONMENT'))) vi.stubEnv(name, value);
});
const gateway = withGateway(() => ({
  document: (baseUrl) => bedrockDocument(baseUrl),
  // Most of these tests have a provider that fails.
  overrides: { breakers: new ProviderBreakers(Number.POSITIVE_INFINITY) },
}));
afterAll(async () => {
  vi.unstubAllEnvs();
});
afterEach(() => gateway.provider.clear());

const QUESTION = 'What is a glacier?';
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = Buffer.from('%PDF-1.4\n1 0 obj<</Type/Page>>endobj\n%%EOF').toString('base64');
const MODELS = ['bedrock/claude', 'bedrock/nova', 'bedrock/llama'];
/** Of Claude Code: one that Bedrock knows, and one that it refuses. */
const BETAS = { 'anthropic-beta': 'interleaved-thinking-2025-05-14,claude-code-20250219' };
const PATHS = ['chat/completions', 'messages', 'responses'] as const;

function post(path: string, request: object, headers: Record<string, string> = {}): Promise<Response> {
  return gateway.post(path, request, { headers });
}

/** The same question in each API. */
function asked(path: (typeof PATHS)[number], model: string, stream: boolean): Promise<Response> {
  if (path === 'responses') return post(path, { model, input: QUESTION, stream, store: false });
  const messages = [{ role: 'user', content: QUESTION }];
  return post(path, { model, max_tokens: 500, messages, stream });
}

const chat = (request: object) => post('chat/completions', request);

const message = z.looseObject({
  content: z.string().nullable(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string() }) }))
    .default([]),
  reasoning_content: z.string().optional(),
  reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
});
const completion = z.looseObject({
  choices: z.array(z.looseObject({ message, finish_reason: z.string() })),
});

async function answered(response: Response) {
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${response.status} ${text}`);
  const [choice] = completion.parse(JSON.parse(text)).choices;
  if (choice === undefined) throw new Error('there is no choice');
  return choice;
}

describe('a runtime of Bedrock', () => {
  it.each(MODELS.flatMap((model) => PATHS.map((path) => [model, path] as const)))(
    'answers %s in %s, plain and streamed, and costs what its usage says',
    async (model, path) => {
      const receipts = [];
      for (const stream of [false, true]) {
        const response = await asked(path, model, stream);
        const text = await response.text();
        expect(response.status, text).toBe(200);
        expect(text).toMatch(/glacier/i);
        if (stream) expect(text).toMatch(/\[DONE\]|"message_stop"|"response\.completed"/);
        receipts.push(await gateway.receiptOf(response));
      }
      const [plain, streamed] = receipts;
      expect(plain).toMatchObject({ usage_source: 'provider', units: { input_tokens: expect.any(Number) } });
      expect(streamed?.units).toEqual(plain?.units);
      expect(streamed?.settled_usd).toBe(plain?.settled_usd);
      expect(gateway.provider.requests.map(({ headers }) => headers.authorization)).toEqual([
        expect.stringContaining('Credential=AKIDENVIRONMENT/'),
        expect.stringContaining('/eu-central-1/bedrock/aws4_request'),
      ]);
    },
  );

  it('gets the bytes of a caller of Messages, but for what its path says, and betas in the body', async () => {
    const rest =
      '"max_tokens":50,  "messages":[{"role":"user","content":"h\\u0069"}],"temperature":1.0,"stream":true}';
    const response = await fetch(`${gateway.baseUrl}/v1/messages?beta=true`, {
      method: 'POST',
      headers: {
        'x-api-key': gateway.rawKey,
        'content-type': 'application/json',
        'anthropic-version': '2023-06-01',
        'anthropic-beta': 'claude-code-20250219,interleaved-thinking-2025-05-14',
      },
      body: `{"model":"bedrock/claude", ${rest}`,
    });
    expect(response.headers.get('x-gateway-ignored')).toBe('anthropic-beta');
    expect(await response.text()).toContain('event: message_stop');
    const [request] = gateway.provider.requests;
    expect(request?.path).toBe('/model/anthropic.sim-claude-pro/invoke-with-response-stream');
    expect(request?.bodyText).toBe(
      '{"max_tokens":50,  "messages":[{"role":"user","content":"h\\u0069"}],"temperature":1.0,' +
        '"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["interleaved-thinking-2025-05-14"]}',
    );
    expect(request?.headers).not.toHaveProperty('anthropic-beta');
  });

  describe('counts', () => {
    const prompt = { messages: [{ role: 'user', content: QUESTION }], system: 'Be brief.' };
    const count = (model: string, more: object = {}, headers = {}) =>
      post('messages/count_tokens', { model, ...prompt, ...more }, headers);

    it.each([['bedrock/claude'], ['bedrock/profile']])(
      'the tokens of a prompt for Claude, by the name of the model itself: %s',
      async (model) => {
        const thinking = { type: 'enabled', budget_tokens: 4_000 };
        const response = await count(model, { thinking, models: [model] }, BETAS);
        expect(response.headers.get('x-gateway-ignored')).toBe('anthropic-beta');
        const { input_tokens: counted } = z.object({ input_tokens: z.number() }).parse(await response.json());
        const [asked] = gateway.provider.requests;
        expect(asked?.path).toBe('/model/anthropic.sim-claude-pro/count-tokens');
        const answered = await post('messages', { model: 'bedrock/claude', max_tokens: 50, ...prompt });
        expect(await answered.json()).toMatchObject({ usage: { input_tokens: counted } });
      },
    );

    it('a large prompt, whose text in base64 is signed as it is sent', async () => {
      const messages = [{ role: 'user', content: 'glaciers move '.repeat(20_001) }];
      const response = await count('bedrock/claude', { messages });
      expect(await response.json()).toEqual({ input_tokens: expect.toSatisfy((n: number) => n > 40_000) });
    });

    it('and says what is wrong with a prompt', async () => {
      const response = await count('bedrock/claude', { messages: [{ role: 'narrator', content: 'x' }] });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { code: 'upstream_rejected', message: expect.stringContaining('messages.0.role') },
      });
    });

    it.each([
      [400, "The provided model doesn't support counting tokens."],
      [400, 'The provided model identifier is invalid.'],
      [403, 'User: arn:aws:sts::1:x is not authorized to perform: bedrock:CountTokens on resource: y'],
    ])('nothing where it answers %i %s: the gateway does, and chats go on', async (status, message) => {
      gateway.provider.script({ status, message });
      const response = await count('bedrock/claude');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
      expect((await asked('messages', 'bedrock/claude', false)).status).toBe(200);
    });

    it('for Claude alone', async () => {
      const response = await count('bedrock/nova');
      expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
      expect(gateway.provider.requests).toHaveLength(0);
    });
  });

  it('is sent a large body signed over all of it', async () => {
    const text = 'glaciers move '.repeat(20_000);
    const request = { model: 'bedrock/claude', max_tokens: 20, messages: [{ role: 'user', content: text }] };
    expect((await post('messages', request)).status).toBe(200);
    expect((await chat(request)).status).toBe(200);
    expect((await chat({ ...request, model: 'bedrock/nova' })).status).toBe(200);
  });

  it.each(MODELS)('gets instructions, pictures, files and a schema: %s', async (model) => {
    const parts = [
      { type: 'text', text: 'Describe both.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: 'file', file: { filename: 'a_b.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
    ];
    const schema = { type: 'object', properties: { seen: { type: 'string' } }, required: ['seen'] };
    const response = await chat({
      model,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: parts },
      ],
      response_format: { type: 'json_schema', json_schema: { name: 'seen', schema } },
    });
    expect(JSON.parse((await answered(response)).message.content ?? '')).toHaveProperty('seen');
  });

  it.each(MODELS)('refuses by name what it has no place for, before it is asked: %s', async (model) => {
    const image_url = { url: 'https://example.org/a.png' };
    const messages = [{ role: 'user', content: [{ type: 'image_url', image_url }] }];
    const response = await chat({ model, messages });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'invalid_request', param: 'messages[0].content[0].image_url.url' },
    });
    expect((await chat({ model, n: 2, messages: [{ role: 'user', content: 'x' }] })).status).toBe(400);
    expect(gateway.provider.requests).toHaveLength(0);
  });

  it('names what a model by Converse lacks', async () => {
    const part = { type: 'text', text: QUESTION, cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [part] }];
    const options = { reasoning_effort: 'high', parallel_tool_calls: false, seed: 1, top_k: 5 };
    const response = await chat({ model: 'bedrock/llama', messages, ...options });
    expect(response.headers.get('x-gateway-ignored')?.split(', ').sort()).toEqual(
      ['cache_control', 'parallel_tool_calls', 'reasoning_effort', 'seed', 'top_k'].sort(),
    );
    expect((await answered(response)).finish_reason).toBe('stop');
  });

  it.each([false, true])('reads and writes the cache at its cache points; streamed: %s', async (stream) => {
    const text = `glaciers move ${stream} `.repeat(500);
    const part = { type: 'text', text, cache_control: { type: 'ephemeral' } };
    const request = {
      model: 'bedrock/nova',
      messages: [{ role: 'user', content: [part, { type: 'text', text: QUESTION }] }],
      stream,
    };
    const written = await chat(request);
    await written.text();
    expect((await gateway.receiptOf(written)).units.cache_write_tokens).toBeGreaterThan(1_000);
    const read = await chat(request);
    await read.text();
    expect((await gateway.receiptOf(read)).units.cached_input_tokens).toBeGreaterThan(1_000);
  });

  const TOOLS = ['find', 'count'].map((name) => ({
    type: 'function',
    function: { name, parameters: { type: 'object', properties: { q: { type: 'string' } } } },
  }));

  it.each(
    ['bedrock/claude', 'bedrock/nova'].flatMap((model) => [[model, false] as const, [model, true] as const]),
  )(
    'thinks, calls tools at once, and goes on with its thinking and a picture: %s, streamed: %s',
    async (model, stream) => {
      const options = { model, tools: TOOLS, reasoning_effort: 'high', max_tokens: 4_000 };
      const messages = [{ role: 'user', content: 'use find: {"q":"ice"}' }];
      const response = await chat({ ...options, messages, stream });
      const said = stream ? await gathered(response) : (await answered(response)).message;
      expect(said.reasoning_content).toMatch(/\w/);
      expect(said.tool_calls).toMatchObject([{ function: { name: 'find', arguments: '{"q":"ice"}' } }]);
      const results = said.tool_calls.map(({ id }) => ({
        role: 'tool',
        tool_call_id: id,
        content: [
          { type: 'text', text: 'frozen water' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        ],
      }));
      const goOn = (details: unknown) =>
        chat({
          ...options,
          messages: [...messages, { ...said, role: 'assistant', reasoning_details: details }, ...results],
        });
      expect((await answered(await goOn(said.reasoning_details))).finish_reason).toBe('stop');
      const changed = said.reasoning_details?.map((detail) => ({ ...detail, text: 'changed' }));
      expect(await (await goOn(changed)).json()).toMatchObject({
        error: { code: 'upstream_rejected', message: expect.stringContaining('Invalid `signature`') },
      });
    },
  );

  it.each(['bedrock/claude', 'bedrock/nova'])(
    'calls the tool that it is told to, and several: %s',
    async (model) => {
      const messages = [{ role: 'user', content: 'find and count ice' }];
      const tool_choice = { type: 'function', function: { name: 'count' } };
      const one = await answered(await chat({ model, messages, tools: TOOLS, tool_choice }));
      expect(one.message.tool_calls.map((call) => call.function.name)).toEqual(['count']);
      const both = await answered(await chat({ model, messages, tools: TOOLS, tool_choice: 'required' }));
      expect(both.message.tool_calls.map((call) => call.function.name)).toEqual(['find', 'count']);
      expect(both.finish_reason).toBe('tool_calls');
    },
  );

  it.each(MODELS)('tells why an answer ended: %s', async (model) => {
    const messages = [{ role: 'user', content: QUESTION }];
    const cut = await answered(await chat({ model, messages, max_tokens: 2 }));
    expect(cut.finish_reason).toBe('length');
    for (const stream of [false, true]) {
      gateway.provider.script({ stop_reason: 'refusal' });
      const text = await (await chat({ model, messages, stream })).text();
      expect(text).toContain('"finish_reason":"content_filter"');
    }
  });

  it.each(['bedrock/claude', 'bedrock/nova'].flatMap((model) => PATHS.map((path) => [model, path] as const)))(
    'whose guardrail intervenes has refused, and costs what its usage says: %s in %s',
    async (model, path) => {
      for (const stream of [false, true]) {
        const content = 'Sorry, this cannot be answered.';
        gateway.provider.script({ stop_reason: 'guardrail_intervened', content });
        const response = await asked(path, model, stream);
        const text = await response.text();
        expect(text).toMatch(
          /"finish_reason":"content_filter"|"stop_reason":"refusal"|"incomplete_details":\{"reason":"content_filter"/,
        );
        expect(text).not.toMatch(/"finish_reason":"stop"|"end_turn"|"response.completed"/);
        const { units, usage_source } = await gateway.receiptOf(response);
        expect(usage_source).toBe('provider');
        expect(units.output_tokens).toBeGreaterThan(0);
      }
    },
  );

  it('does not take what the runtime calls malformed for an answer', async () => {
    for (const stream of [false, true]) {
      gateway.provider.script({ stop_reason: 'malformed_model_output' });
      const messages = [{ role: 'user', content: QUESTION }];
      const response = await chat({ model: 'bedrock/nova', messages, stream });
      const text = await response.text().catch(String);
      expect(text).toMatch(/upstream_error|terminated/);
      expect(text).not.toContain('[DONE]');
    }
  });

  it.each(MODELS)(
    'is quoted where it finds fault with a request, and its limit is told: %s',
    async (model) => {
      const messages = [{ role: 'user', content: QUESTION }];
      const tooLong = 'Input is too long for requested model.';
      gateway.provider.script({ status: 400, message: tooLong });
      const refused = await chat({ model, messages });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({
        error: { code: 'upstream_rejected', message: expect.stringContaining(tooLong) },
      });
      gateway.provider.script({ status: 400, message: tooLong });
      const inMessages = await post('messages', { model, max_tokens: 5, messages });
      expect(await inMessages.json()).toMatchObject({
        type: 'error',
        error: { type: 'invalid_request_error', message: expect.stringContaining(tooLong) },
      });
      gateway.provider.script({ status: 429, retry_after: 3 });
      const throttled = await chat({ model, messages });
      expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '3']);
    },
  );

  it.each(
    MODELS.flatMap((model) =>
      (
        [
          ['with a message whose checksum is wrong', { sse: 'bad_checksum' }],
          ['cut', { truncate: { after_events: 6 } }],
          ['reset', { reset: { after_events: 6 } }],
          ['with an exception', { sse: 'error_event' }],
          ['with a second beginning', { sse: 'start_twice' }],
          ['with garbage', { rubbish: 'bad_chunk' }],
        ] as const
      ).map(([what, fault]) => [model, what, fault] as const),
    ),
  )(
    '%s: never takes a stream for a success that is %s, and bills what was delivered',
    async (model, _what, fault) => {
      for (const path of PATHS) {
        gateway.provider.script(fault, fault, fault);
        const response = await asked(path, model, true);
        const text = await everythingOf(response);
        expect(text).not.toMatch(/\[DONE\]|"finish_reason":"|message_stop|response\.completed/);
        expect(text).toMatch(/upstream_error|event: error|response\.failed|api_error/);
        gateway.provider.clear();
        if (response.status !== 200) continue;
        const receipt = await gateway.receiptOf(response);
        // A few words at most: the answer has many more.
        expect(receipt.units.output_tokens).toBeLessThan(30);
      }
    },
  );
});

/** What came until the connection broke off. */
async function everythingOf(response: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  } catch {
    // Broken off, as it should be.
  }
  return text;
}

const chunk = z.looseObject({
  choices: z.array(
    z.looseObject({
      delta: z.looseObject({
        reasoning_content: z.string().default(''),
        reasoning_details: z.array(z.looseObject({ type: z.string() })).default([]),
        tool_calls: z
          .array(
            z.looseObject({
              id: z.string().default(''),
              function: z.looseObject({ name: z.string().default(''), arguments: z.string() }),
            }),
          )
          .default([]),
      }),
    }),
  ),
});

/** As clients do that know nothing of these members: they put lists one behind the other. */
async function gathered(response: Response): Promise<z.infer<typeof message>> {
  const events = (await response.text()).split('\n\n').filter((event) => event.startsWith('data: {'));
  const deltas = events.flatMap((event) =>
    chunk.parse(JSON.parse(event.slice('data: '.length))).choices.map(({ delta }) => delta),
  );
  const [first, ...pieces] = deltas.flatMap(({ tool_calls }) => tool_calls);
  if (first === undefined) throw new Error('no tool was called');
  const written = [first, ...pieces].map(({ function: called }) => called.arguments).join('');
  return {
    content: null,
    reasoning_content: deltas.map(({ reasoning_content }) => reasoning_content).join(''),
    reasoning_details: deltas.flatMap(({ reasoning_details }) => reasoning_details),
    tool_calls: [{ ...first, function: { name: first.function.name, arguments: written } }],
  };
}
