import { watchLag, withGateway } from '@model-gateway/test-kit';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allApis, EVERY_KIND, RESPONSES } from './all-apis.ts';

let client: OpenAI;

const gateway = withGateway({ document: allApis });
beforeAll(async () => {
  const { rawKey } = await gateway.createKey();
  client = new OpenAI({ apiKey: rawKey, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
});

const QUESTION = 'Why is the sky blue?';
const WEATHER: OpenAI.Responses.FunctionTool = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: false,
};
const NOTE: OpenAI.Responses.CustomTool = {
  type: 'custom',
  name: 'write_note',
  description: 'Keeps a note.',
  format: { type: 'text' },
};
const TWO_CITIES = 'use get_weather: {"city":"Oslo"}\nalso use get_weather: {"city":"Rome"}';
const TEXT = 'first line\n"second" line\n\ttabs, é and 🌊';

type Ask = (
  body: Partial<Omit<OpenAI.Responses.ResponseCreateParams, 'stream'>>,
) => PromiseLike<OpenAI.Responses.Response>;

describe.each(EVERY_KIND)(
  "OpenAI's client, with nothing but its base URL and key changed, and a model of %s",
  (_name, model) => {
    const request = { model, input: QUESTION, store: false };

    /** The same request without a stream, and with one. */
    const ways: readonly Ask[] = [
      (body) => client.responses.create({ ...request, ...body }),
      (body) => client.responses.stream({ ...request, ...body }).finalResponse(),
    ];

    it('gets a response', async () => {
      const { data: response, response: http } = await client.responses
        .create({ ...request, instructions: 'Be brief.' })
        .withResponse();
      expect(response).toMatchObject({
        object: 'response',
        id: expect.stringMatching(/^resp_/),
        model,
        status: 'completed',
        error: null,
        incomplete_details: null,
        instructions: 'Be brief.',
        output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      });
      expect(response.output_text.length).toBeGreaterThan(20);
      const { usage } = response;
      expect(usage?.input_tokens).toBeGreaterThan(0);
      expect(usage?.output_tokens).toBeGreaterThan(0);
      expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0));
      expect(http.headers.get('x-gateway-model')).toBe(model);
      expect(http.headers.get('x-request-id')).toMatch(/^req_/);
    });

    it('streams, and the final response is what it gets without a stream', async () => {
      const stream = client.responses.stream(request);
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => (text += delta));
      const streamed = await stream.finalResponse();
      const whole = await client.responses.create(request);
      expect(text).toBe(whole.output_text);
      expect(streamed.output_text).toBe(whole.output_text);
      expect(streamed).toMatchObject({ model, status: 'completed', usage: whole.usage ?? {} });
    });

    it('iterates over a raw stream, whose events are numbered and end with the whole response', async () => {
      const events = await Array.fromAsync(await client.responses.create({ ...request, stream: true }));
      expect(events.map(({ sequence_number: number }) => number)).toEqual([...events.keys()]);
      expect(events.slice(0, 2).map(({ type }) => type)).toEqual([
        'response.created',
        'response.in_progress',
      ]);
      const last = events.at(-1);
      if (last?.type !== 'response.completed') throw new Error(`it ended with ${last?.type}`);
      const text = events.flatMap((event) =>
        event.type === 'response.output_text.delta' ? event.delta : [],
      );
      expect(last.response.output).toMatchObject([
        { content: [{ type: 'output_text', text: text.join('') }] },
      ]);
    });

    it('parses what fits a schema of zod', async () => {
      const shape = z.object({ colour: z.enum(['blue']), is_bright: z.boolean() });
      const text = { format: zodTextFormat(shape, 'sky') };
      const whole = await client.responses.parse({ ...request, text });
      expect(whole.output_parsed?.colour).toBe('blue');
      const streamed = await client.responses.stream({ ...request, text }).finalResponse();
      expect(streamed.output_parsed).toEqual(whole.output_parsed);
    });

    it('calls tools together, plain and streamed, and sends their results back', async () => {
      const asked = { type: 'message' as const, role: 'user' as const, content: TWO_CITIES };
      for (const ask of ways) {
        const first = await ask({ tools: [WEATHER], input: [asked] });
        const calls = first.output.filter((item) => item.type === 'function_call');
        expect(calls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
          ['get_weather', { city: 'Oslo' }],
          ['get_weather', { city: 'Rome' }],
        ]);
        expect(new Set(calls.map(({ call_id: id }) => id)).size).toBe(2);
        const results = calls.map(({ call_id }) => {
          return { type: 'function_call_output' as const, call_id, output: `sunny, said ${call_id}` };
        });
        const second = await ask({
          tools: [WEATHER],
          input: [asked, ...toResponseInputItems(first.output), ...results],
        });
        expect(second.status).toBe('completed');
        expect(second.output_text).toContain('sunny, said');
      }
    });

    it('must call a tool, or the one that it names', async () => {
      for (const tool_choice of ['required' as const, { type: 'function' as const, name: 'get_weather' }]) {
        const { output } = await client.responses.create({
          ...request,
          ...{ tools: [WEATHER], tool_choice },
        });
        expect(output).toMatchObject([{ type: 'function_call', name: 'get_weather', status: 'completed' }]);
      }
    });

    it('calls a custom tool with text, which arrives as it was written', async () => {
      const asked = {
        type: 'message' as const,
        role: 'user' as const,
        content: `use write_note: ${JSON.stringify({ input: TEXT })}`,
      };
      for (const ask of ways) {
        const first = await ask({ tools: [NOTE, WEATHER], input: [asked] });
        const call = first.output.find((item) => item.type === 'custom_tool_call');
        expect(call).toMatchObject({ name: 'write_note', input: TEXT });
        const call_id = call?.call_id ?? '';
        const result = { type: 'custom_tool_call_output' as const, call_id, output: 'kept' };
        const second = await ask({
          tools: [NOTE, WEATHER],
          input: [asked, ...toResponseInputItems(first.output), result],
        });
        expect(second.output_text).not.toBe('');
      }
      const input = [asked];
      const events = await Array.fromAsync(
        await client.responses.create({ ...request, tools: [NOTE], input, stream: true }),
      );
      const deltas = events.flatMap((event) =>
        event.type === 'response.custom_tool_call_input.delta' ? event.delta : [],
      );
      expect(deltas.join('')).toBe(TEXT);
      expect(events).toContainEqual(
        expect.objectContaining({ type: 'response.custom_tool_call_input.done', input: TEXT }),
      );
    });

    it('calls the tools of a namespace by their two names, and they come back with both', async () => {
      const tools = [
        { type: 'namespace' as const, name: 'notes', description: 'Notes.', tools: [WEATHER, NOTE] },
      ];
      // A provider of another API is told of them under one name.
      const prefix = model === RESPONSES ? '' : 'notes__';
      const lines = [
        `use ${prefix}write_note: {"input":"a"}`,
        `also use ${prefix}get_weather: {"city":"Oslo"}`,
      ];
      const asked = { type: 'message' as const, role: 'user' as const, content: lines.join('\n') };
      for (const ask of ways) {
        const first = await ask({ tools, input: [asked] });
        const calls = first.output.filter(({ type }) => type.endsWith('_call'));
        expect(calls).toMatchObject([
          { type: 'custom_tool_call', name: 'write_note', namespace: 'notes', input: 'a' },
          { type: 'function_call', name: 'get_weather', namespace: 'notes', arguments: '{"city":"Oslo"}' },
        ]);
        const results = first.output.flatMap((item) => {
          if (item.type === 'custom_tool_call')
            return { type: 'custom_tool_call_output' as const, call_id: item.call_id, output: 'kept' };
          if (item.type !== 'function_call') return [];
          return { type: 'function_call_output' as const, call_id: item.call_id, output: 'rain' };
        });
        const second = await ask({
          tools,
          input: [asked, ...toResponseInputItems(first.output), ...results],
        });
        expect(second.output_text).not.toBe('');
      }
    });

    it('goes on from an answer, with a picture', async () => {
      const first = await client.responses.create(request);
      const second = await client.responses.create({
        ...request,
        input: [
          { role: 'user', content: QUESTION },
          ...toResponseInputItems(first.output),
          { role: 'user', content: [PICTURE, { type: 'input_text', text: 'And this?' }] },
        ],
      });
      expect(second.status).toBe('completed');
      expect(second.output_text).not.toBe('');
    });

    it('stops at max_output_tokens, and says so', async () => {
      for (const ask of ways) {
        const cut = await ask({ max_output_tokens: 16, input: `${QUESTION} Explain.` });
        expect(cut).toMatchObject({
          status: 'incomplete',
          incomplete_details: { reason: 'max_output_tokens' },
          usage: { output_tokens: 16 },
        });
      }
    });

    it('aborts a stream, and the provider sees its request closed within 100 ms', async () => {
      gateway.provider.script({ token_delay_ms: 20, content: 'word '.repeat(500) });
      const stream = await client.responses.create({ ...request, stream: true });
      for await (const event of stream) if (event.type === 'response.output_text.delta') break;
      using lag = watchLag();
      const abortedAtMs = performance.now();
      const { atMs, reason } = await (await gateway.provider.waitForRequest()).closed;
      expect(reason).toBe('client_closed');
      expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
    });

    it('aborts a request that waits for its answer, and the provider sees it closed within 100 ms', async () => {
      gateway.provider.script({ delay_ms: 10_000 });
      const abort = new AbortController();
      const answer = client.responses.create(request, { signal: abort.signal });
      const seen = await gateway.provider.waitForRequest();
      using lag = watchLag();
      const abortedAtMs = performance.now();
      abort.abort();
      await expect(answer).rejects.toThrow();
      const { atMs, reason } = await seen.closed;
      expect(reason).toBe('client_closed');
      expect(atMs - abortedAtMs).toBeLessThan(100 + lag.allowanceMs());
    });
  },
);

/** One pixel. */
const PICTURE: OpenAI.Responses.ResponseInputImage = {
  type: 'input_image',
  detail: 'auto',
  image_url:
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
};
