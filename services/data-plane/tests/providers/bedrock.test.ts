import { withGateway } from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { awsEnvironment, bedrockDocument } from './bedrock.ts';
import { withoutBreakers } from './without-breakers.ts';

beforeAll(async () => {
  for (const [name, value] of Object.entries(awsEnvironment('AKIDENVIRONMENT'))) vi.stubEnv(name, value);
});
const gateway = withGateway(() => ({
  document: (baseUrl) => bedrockDocument(baseUrl),
  overrides: withoutBreakers(),
}));
afterAll(async () => {
  vi.unstubAllEnvs();
});

const QUESTION = 'What is a glacier?';
const MODELS = ['bedrock/claude', 'bedrock/nova', 'bedrock/llama'];
/** Betas of Claude Code: one that Bedrock knows, and one that it refuses. */
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

describe('Bedrock Runtime', () => {
  it.each(MODELS)('requests are signed with the credentials of the environment: %s', async (model) => {
    expect((await asked('chat/completions', model, false)).status).toBe(200);
    expect(gateway.provider.requests[0]?.headers.authorization).toMatch(
      /Credential=AKIDENVIRONMENT\/.*\/eu-central-1\/bedrock\/aws4_request/,
    );
  });

  it('Messages pass to Bedrock byte for byte, without what the path says and with betas in the body', async () => {
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

  describe('token counts of Bedrock', () => {
    const prompt = { messages: [{ role: 'user', content: QUESTION }], system: 'Be brief.' };
    const count = (model: string, more: object = {}, headers = {}) =>
      post('messages/count_tokens', { model, ...prompt, ...more }, headers);

    it.each([['bedrock/claude'], ['bedrock/profile']])(
      "Bedrock counts Claude's tokens under the model's own name: %s",
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

    it('Bedrock counts a large prompt, whose base64 is signed as sent', async () => {
      const messages = [{ role: 'user', content: 'glaciers move '.repeat(20_001) }];
      const response = await count('bedrock/claude', { messages });
      expect(await response.json()).toEqual({ input_tokens: expect.toSatisfy((n: number) => n > 40_000) });
    });

    it('Bedrock says what is wrong with a prompt', async () => {
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
    ])('the gateway counts when Bedrock answers %i %s, and chats go on', async (status, message) => {
      gateway.provider.script({ status, message });
      const response = await count('bedrock/claude');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
      expect((await asked('messages', 'bedrock/claude', false)).status).toBe(200);
    });

    it('the gateway counts for models other than Claude', async () => {
      const response = await count('bedrock/nova');
      expect(await response.json()).toEqual({ input_tokens: expect.any(Number) });
      expect(gateway.provider.requests).toHaveLength(0);
    });
  });

  it('a large body is signed over all of it', async () => {
    const text = 'glaciers move '.repeat(20_000);
    const request = { model: 'bedrock/claude', max_tokens: 20, messages: [{ role: 'user', content: text }] };
    expect((await post('messages', request)).status).toBe(200);
    expect((await chat(request)).status).toBe(200);
    expect((await chat({ ...request, model: 'bedrock/nova' })).status).toBe(200);
  });

  it.each(MODELS)('a field that Bedrock lacks is refused by name before it is asked: %s', async (model) => {
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

  it('a field that Converse lacks is named as ignored', async () => {
    const part = { type: 'text', text: QUESTION, cache_control: { type: 'ephemeral' } };
    const messages = [{ role: 'user', content: [part] }];
    const options = { reasoning_effort: 'high', parallel_tool_calls: false, seed: 1, top_k: 5 };
    const response = await chat({ model: 'bedrock/llama', messages, ...options });
    expect(response.headers.get('x-gateway-ignored')?.split(', ').sort()).toEqual(
      ['cache_control', 'parallel_tool_calls', 'reasoning_effort', 'seed', 'top_k'].sort(),
    );
    expect((await answered(response)).finish_reason).toBe('stop');
  });

  it.each([false, true])('cache points read and write the cache; streamed: %s', async (stream) => {
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

  it.each(['bedrock/claude', 'bedrock/nova'])(
    'tool_choice forces one tool, or several: %s',
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

  it.each(['bedrock/claude', 'bedrock/nova'].flatMap((model) => PATHS.map((path) => [model, path] as const)))(
    'a response that a guardrail stopped is a refusal, and costs its usage: %s in %s',
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

  it('a malformed response of Bedrock is a failure', async () => {
    for (const stream of [false, true]) {
      gateway.provider.script({ stop_reason: 'malformed_model_output' });
      const messages = [{ role: 'user', content: QUESTION }];
      const response = await chat({ model: 'bedrock/nova', messages, stream });
      const text = await response.text().catch(String);
      expect(text).toMatch(/upstream_error|terminated/);
      expect(text).not.toContain('[DONE]');
    }
  });
});
