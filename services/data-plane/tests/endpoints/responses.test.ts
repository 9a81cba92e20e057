import { envelopeOf, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import {
  type ResponseItem,
  readResponseStream,
  type WrittenResponse,
  writtenResponse,
} from '../../../../packages/dialects/tests/responses-grammar.ts';
import { withoutBreakers } from '../providers/without-breakers.ts';
import { bothApis } from './both-apis.ts';
import { responsesBody, sendResponses } from './responses-requests.ts';

const gateway = withGateway({
  document: bothApis,
  overrides: withoutBreakers(),
});

const send = (more: object = {}, headers: Record<string, string> = {}) =>
  sendResponses(gateway, gateway.rawKey, more, headers);

/** Returns the response object, of a stream the one in its last event. */
function responseOf({ text }: { text: string }, streamed: boolean): WrittenResponse {
  if (!streamed) return writtenResponse.parse(JSON.parse(text));
  const { response } = readResponseStream(text);
  if (response === undefined) throw new Error(`the stream has no end: ${text}`);
  return response;
}

const PARAMETERS = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const TOOLS = [
  { type: 'function', name: 'get_weather', description: 'The weather of a city', parameters: PARAMETERS },
  { type: 'custom', name: 'apply_patch', description: 'Applies a patch' },
  {
    type: 'namespace',
    name: 'agents',
    tools: [{ type: 'function', name: 'spawn', parameters: PARAMETERS }],
  },
  { type: 'web_search' },
];
const isCall = (item: ResponseItem) => item.type === 'function_call' || item.type === 'custom_tool_call';

describe.each(['sim/chat-pro', 'sim/claude-pro'])('%s, whose provider speaks another API', (model) => {
  it.each([false, true])('a response has the usage that its receipt has; streamed: %s', async (stream) => {
    gateway.provider.script({ content: 'Paris.' });
    const answer = await send({
      model,
      stream,
      metadata: { a: 'b' },
      instructions: 'Be brief.',
      temperature: 0.5,
    });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.isBroken).toBe(false);
    const type = stream ? 'text/event-stream; charset=utf-8' : 'application/json; charset=utf-8';
    expect(answer.headers.get('content-type')).toBe(type);
    const response = responseOf(answer, stream);
    expect(response).toMatchObject({
      status: 'completed',
      model,
      instructions: 'Be brief.',
      temperature: 0.5,
      metadata: { a: 'b' },
      max_output_tokens: 64,
      store: false,
      output: [{ type: 'message', status: 'completed', content: [{ type: 'output_text', text: 'Paris.' }] }],
    });
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/);
    expect(answer.headers.get('x-gateway-ignored')).toBe('metadata');
    expect(answer.headers.get('x-gateway-model')).toBe(model);
    expect(Number(answer.headers.get('x-gateway-overhead-ms'))).toBeGreaterThanOrEqual(0);
    const { units } = await gateway.receiptOf(answer);
    expect(units).toMatchObject({
      input_tokens: response.usage?.input_tokens,
      output_tokens: response.usage?.output_tokens,
    });
  });

  it.each([false, true])(
    'a response calls tools of all kinds and takes their results; streamed: %s',
    async (stream) => {
      const input = [
        {
          role: 'user',
          content: [
            'use get_weather: {"city":"Oslo"}',
            'also use apply_patch: {"input":"*** Begin Patch\\n+ \\"é😀\\""}',
            'also use agents__spawn: {"city":"Rome"}',
          ].join('\n'),
        },
      ];
      const asked = await send({ model, stream, input, tools: TOOLS, max_output_tokens: 500 });
      expect(asked.status, asked.text).toBe(200);
      expect(asked.headers.get('x-gateway-ignored')).toBe('tools[web_search]');
      const { output, status } = responseOf(asked, stream);
      expect(status).toBe('completed');
      const calls = output.filter(isCall);
      expect(calls).toMatchObject([
        { type: 'function_call', name: 'get_weather', arguments: '{"city":"Oslo"}' },
        { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin Patch\n+ "é😀"' },
        { type: 'function_call', name: 'spawn', namespace: 'agents', arguments: '{"city":"Rome"}' },
      ]);
      gateway.provider.clear();
      const results = calls.map((call) => ({
        type: `${call.type}_output`,
        call_id: 'call_id' in call ? call.call_id : '',
        output: '21 degrees',
      }));
      const answer = await send({ model, stream, input: [...input, ...output, ...results], tools: TOOLS });
      expect(answer.status, answer.text).toBe(200);
      expect(responseOf(answer, stream).output).toMatchObject([{ type: 'message' }]);
      expect(JSON.stringify(gateway.provider.requests[0]?.body)).toContain('21 degrees');
    },
  );
});

it('a response has encrypted reasoning when the caller stores the conversation', async () => {
  const settings = { model: 'sim/claude-pro', reasoning: { effort: 'low' }, max_output_tokens: 4_000 };
  const encrypted = async (more: object) => {
    const { output } = responseOf(await send({ ...settings, ...more }), false);
    return output.some((item) => 'encrypted_content' in item);
  };
  expect(await encrypted({ store: false })).toBe(true);
  expect(await encrypted({ store: true, include: ['reasoning.encrypted_content'] })).toBe(true);
  expect(await encrypted({ store: true })).toBe(false);
});

describe('an error of Responses before the first byte', () => {
  it.each<[string, () => ReturnType<typeof send>, number, string, string | null]>([
    ['no key', () => sendResponses(gateway, undefined), 401, 'invalid_api_key', null],
    ['an unknown model', () => send({ model: 'sim/none' }), 404, 'model_not_found', 'model'],
    ['a wrong endpoint', () => send({ model: 'sim/embed-free' }), 400, 'wrong_endpoint', 'model'],
    ['a length of 0', () => send({ max_output_tokens: 0 }), 400, 'invalid_request', 'max_output_tokens'],
    ['a conversation', () => send({ conversation: 'conv_1' }), 400, 'invalid_request', 'conversation'],
    ['background: true', () => send({ background: true }), 400, 'invalid_request', 'background'],
    [
      'a hosted tool that is forced',
      () => send({ tool_choice: { type: 'web_search' } }),
      ...([400, 'invalid_request', 'tool_choice'] as const),
    ],
    [
      'a wrong media type',
      () => send({}, { 'content-type': 'text/plain' }),
      ...([415, 'unsupported_media_type', null] as const),
    ],
  ])('%s gets an error in the common envelope', async (_what, ask, status, code, param) => {
    const { headers, status: answered, text } = await ask();
    expect(answered, text).toBe(status);
    const error = envelopeOf({ body: text });
    expect(error.code).toBe(code);
    expect(String(error.param)).toContain(String(param));
    expect(error.request_id).toBe(headers.get('x-request-id'));
  });
});

describe('a provider that is silent for longer than the keep-alive interval', () => {
  const soon = withGateway({ overrides: { streamTimings: { keepAliveMs: 200 } } });
  const sendSoon = () => sendResponses(soon, soon.rawKey, { stream: true });

  it('a caller gets keep-alive comments while the provider is silent', async () => {
    soon.provider.script({ content: 'late', delay_ms: 1_000 });
    const { text } = await sendSoon();
    expect(text).toMatch(/^: keep-alive\n\n/);
    expect(readResponseStream(text)).toMatchObject({
      isComplete: true,
      items: [{ content: [{ text: 'late' }] }],
    });
  });

  it('a provider that fails after keep-alives ends the stream in response.failed', async () => {
    soon.provider.script({ delay_ms: 600, status: 500 });
    const { isBroken, text } = await sendSoon();
    expect(text).toMatch(/^: keep-alive\n\n/);
    expect(readResponseStream(text)).toMatchObject({ hasFailed: true, items: [] });
    expect(isBroken).toBe(true);
  });

  it("a provider's rate limit after keep-alives says how long to wait", async () => {
    soon.provider.script({ delay_ms: 600, status: 429, retry_after: 7 });
    const { text } = await sendSoon();
    const { response } = readResponseStream(text);
    expect(response?.error?.code).toBe('rate_limit_exceeded');
    expect(response?.error?.message).toMatch(/try again in 7s/i);
  });
});

it('a path with a trailing slash is 404, and another method is 405', async () => {
  const post = {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.rawKey}` },
    body: responsesBody(),
  };
  expect((await fetch(`${gateway.baseUrl}/v1/responses/`, post)).status).toBe(404);
  const wrong = await fetch(`${gateway.baseUrl}/v1/responses`);
  expect(wrong.status).toBe(405);
  expect(wrong.headers.get('allow')).toBe('POST');
});
