import { withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GEMINI, geminiDocument } from './gemini.ts';

const gateway = withGateway({ document: geminiDocument });

const HI = [{ role: 'user', content: 'What is a glacier?' }];

const post = (path: string, request: object) =>
  gateway.post(path, { model: GEMINI.chat, messages: HI, ...request });

const completion = z.looseObject({
  choices: z.tuple([
    z.looseObject({
      finish_reason: z.string(),
      message: z.looseObject({ content: z.string().nullable(), refusal: z.string().nullable() }),
    }),
  ]),
});
const lastRequest = () => gateway.provider.requests.at(-1);

describe('a chat at Gemini', () => {
  it("a chat goes to Gemini's path, with the key in its header and nothing of the caller", async () => {
    const response = await post('chat/completions', {});
    expect(response.status, await response.text()).toBe(200);
    const { headers, path } = lastRequest() ?? {};
    expect(path).toBe('/v1beta/models/sim-gemini-pro:generateContent');
    expect(headers).toMatchObject({ 'x-goog-api-key': expect.stringContaining('sim-credential-') });
    expect(headers).not.toHaveProperty('authorization');
    await (await post('chat/completions', { stream: true })).text();
    expect(lastRequest()?.path).toBe('/v1beta/models/sim-gemini-pro:streamGenerateContent?alt=sse');
  });

  it('a prompt that Gemini blocks gets a refusal', async () => {
    gateway.provider.script({ stop_reason: 'block:PROHIBITED_CONTENT' });
    const { choices } = completion.parse(await (await post('chat/completions', {})).json());
    expect(choices).toMatchObject([
      {
        finish_reason: 'content_filter',
        message: { content: null, refusal: expect.stringContaining('PROHIBITED') },
      },
    ]);
    gateway.provider.script({ stop_reason: 'block:SAFETY' });
    const message = await (await post('messages', { max_tokens: 100 })).json();
    expect(message).toMatchObject({ stop_reason: 'refusal', content: [{ type: 'text' }] });
  });

  it('a chat that Gemini gives up is an error, and leaves the circuit breaker closed', async () => {
    for (let times = 0; times < 20; times++)
      gateway.provider.script({ stop_reason: 'MALFORMED_FUNCTION_CALL' });
    for (let times = 0; times < 5; times++) {
      const response = await post('chat/completions', {});
      expect(response.status).toBe(502);
      await response.body?.cancel();
    }
    gateway.provider.clear();
    expect((await post('chat/completions', {})).status).toBe(200);
  });

  it("a chat asked in Messages thinks within the caller's budget", async () => {
    const thinking = { type: 'enabled', budget_tokens: 2_000 };
    const response = await post('messages', { max_tokens: 4_000, thinking });
    const message = z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) });
    const { content } = message.parse(await response.json());
    expect(content.map(({ type }) => type)).toContain('thinking');
    expect(lastRequest()?.body).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true } },
    });
    expect(response.headers.get('x-gateway-ignored')).toBeNull();
  });

  it('a large request is translated in the worker thread to the same body', async () => {
    const data = Buffer.alloc(2_000_000, 'a').toString('base64');
    const content = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } }];
    const response = await post('chat/completions', { messages: [{ role: 'user', content }] });
    expect(response.status, await response.text()).toBe(200);
    expect(lastRequest()?.body).toEqual({
      contents: [{ role: 'user', parts: [{ inlineData: { mimeType: 'image/png', data } }] }],
    });
  });

  it('Gemini counts the tokens of a prompt, for free', async () => {
    const tools = [{ name: 'look', input_schema: { type: 'object' } }];
    const response = await post('messages/count_tokens', { system: 'Be brief.', tools });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const { input_tokens: counted } = z.object({ input_tokens: z.int() }).parse(JSON.parse(text));
    expect(lastRequest()).toMatchObject({
      path: '/v1beta/models/sim-gemini-pro:countTokens',
      body: { generateContentRequest: { model: 'models/sim-gemini-pro' } },
    });
    const asked = await post('messages', { system: 'Be brief.', tools, max_tokens: 100 });
    const { usage } = z
      .looseObject({ usage: z.looseObject({ input_tokens: z.int() }) })
      .parse(await asked.json());
    expect(counted).toBe(usage.input_tokens);
  });
});
