import {
  modelEntry,
  PROVIDER_CREDENTIAL,
  providerEntry,
  until,
  withGateway,
  withStarted,
} from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { readResponseStream } from '../../../../packages/dialects/tests/responses-grammar.ts';
import { type Respond, startScriptedProvider } from './scripted-provider.ts';

/** A provider of Messages and one of Chat Completions, whose answers a test writes, byte for byte. */
let ofMessages: Respond;
let ofChat: Respond;
const KEEP_ALIVE_MS = 200;

const provider = withStarted(() =>
  startScriptedProvider((res, request) =>
    (request.url === '/v1/messages' ? ofMessages : ofChat)(res, request),
  ),
);
const gateway = withGateway(() => {
  const providerOf = (id: string, kind: 'anthropic' | 'openai-compatible') =>
    providerEntry(id, provider.baseUrl, { kind });
  return {
    overrides: { streamTimings: { keepAliveMs: KEEP_ALIVE_MS } },
    document: () => ({
      providers: [providerOf('claude', 'anthropic'), providerOf('chat', 'openai-compatible')],
      models: [
        modelEntry('both/model', { claude: 'claude-sonnet-4-6', chat: 'gpt' }),
        modelEntry('chat/model', { chat: 'gpt' }),
      ],
    }),
  };
});

function requestOf(path: string, model: string, stream: boolean) {
  const asked =
    path === '/v1/responses'
      ? { max_output_tokens: 16, input: 'hi', store: false }
      : { max_tokens: 16, messages: [{ role: 'user', content: 'hi' }] };
  return { model, stream, ...asked };
}
async function ask(path: string, model: string, stream: boolean): Promise<string> {
  const { body, isBroken, status } = await gateway.ask(path, requestOf(path, model, stream));
  expect([status, isBroken]).toEqual([200, false]);
  return body;
}
/** Reads a stream as far as it comes. */
async function begun(path: string, model: string) {
  const { body, status } = await gateway.ask(path, requestOf(path, model, true));
  expect(status).toBe(200);
  return { text: body };
}

const events =
  (...data: string[]): Respond =>
  (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(framed(...data));
  };
const framed = (...data: string[]) => data.map((one) => `data: ${one}\n\n`).join('');
const chunk = (delta: object, finish_reason: string | null) =>
  JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt',
    choices: [{ index: 0, delta, finish_reason }],
  });

const START =
  '{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-6","content":[],"usage":{"input_tokens":3333,"output_tokens":1}}}';
const OVERLOADED = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';
const ANSWER = [chunk({ content: 'hello' }, null), chunk({}, 'stop')];
const USAGE =
  '{"id":"c","object":"chat.completion.chunk","created":1,"model":"gpt","choices":[],"usage":{"prompt_tokens":10,"completion_tokens":500,"total_tokens":510}}';

function lastLine(): Record<string, unknown> {
  return gateway.logLines('"route":"/v1/').at(-1) ?? {};
}

describe.each(['/v1/messages', '/v1/chat/completions', '/v1/responses'])(
  'a fallback after a failed provider, at %s',
  (path) => {
    it('the fallback is billed by its own usage', async () => {
      ofMessages = events(START, OVERLOADED);
      ofChat = events(...ANSWER, USAGE, '[DONE]');
      expect(await ask(path, 'both/model', true)).not.toContain('3333');
      await until(() => lastLine().route === path);
      expect(lastLine()).toMatchObject({ input_tokens: 10, output_tokens: 500 });
    });
  },
);

it('a field that the second provider lacks does not hide how the first one failed', async () => {
  ofMessages = (res) => {
    res.writeHead(429, { 'content-type': 'application/json', 'retry-after': '30' });
    res.end('{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}');
  };
  const body = { ...requestOf('/v1/messages', 'both/model', false), thread: 'a' };
  const answer = await gateway.ask('messages', body);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '30']);
  expect(answer.body).toContain('slow down');
});

it('a thought that the first provider cannot read goes to the next one', async () => {
  ofMessages = (res) => {
    res.writeHead(400, { 'content-type': 'application/json' });
    const message = 'messages.1.content.0: Invalid `signature` in `thinking` block';
    res.end(JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } }));
  };
  ofChat = events(...ANSWER, USAGE, '[DONE]');
  expect(await ask('/v1/messages', 'both/model', true)).toContain('hello');
});

it('a ping before any output does not prevent the fallback', async () => {
  ofMessages = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(framed('{"type":"ping"}'), () => setImmediate(() => res.end(framed(OVERLOADED))));
  };
  ofChat = events(...ANSWER, '[DONE]');
  const text = await ask('/v1/messages', 'both/model', true);
  expect(text).toContain('hello');
  expect(text).toContain('event: message_stop');
});

it('the chunk before a broken one is delivered before the failure', async () => {
  ofChat = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(framed(chunk({ content: 'one ' }, null)), () =>
      setImmediate(() => res.end(framed(chunk({ content: 'two' }, null), 'no JSON'))),
    );
  };
  const { text } = await begun('/v1/responses', 'chat/model');
  expect(text).toContain('"delta":"two"');
  // All events are there: their numbers have no gap.
  expect(readResponseStream(text)).toMatchObject({ hasFailed: true, isComplete: false });
});

it("the start of a failed provider's stream is dropped when another one is asked", async () => {
  ofMessages = events(START, OVERLOADED);
  ofChat = events(...ANSWER, '[DONE]');
  const answered = readResponseStream(await ask('/v1/responses', 'both/model', true));
  expect(answered).toMatchObject({ isComplete: true, items: [{ content: [{ text: 'hello' }] }] });
  // Signs of life go out while the other one is silent, and then the failure.
  ofChat = (res) => {
    const fails = setTimeout(() => res.writeHead(500).end(), 3 * KEEP_ALIVE_MS);
    res.once('close', () => clearTimeout(fails));
  };
  const { text } = await begun('/v1/responses', 'both/model');
  expect(text).toMatch(/^: keep-alive\n\n/);
  expect(readResponseStream(text)).toMatchObject({ hasFailed: true, items: [] });
});

it.each([
  ['/v1/messages', true],
  ['/v1/messages', false],
  ['/v1/responses', true],
  ['/v1/responses', false],
])(
  "the gateway's credential is not in the state that callers of %s carry; streamed: %s",
  async (path, stream) => {
    const written = {
      content: 'x',
      reasoning_details: [{ type: 'reasoning.encrypted', format: 'other', data: PROVIDER_CREDENTIAL }],
    };
    ofChat = stream
      ? events(chunk(written, 'stop'), USAGE, '[DONE]')
      : (res) => {
          res.writeHead(200, { 'content-type': 'application/json' });
          const choices = [{ index: 0, message: { role: 'assistant', ...written }, finish_reason: 'stop' }];
          res.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'gpt', choices }));
        };
    const text = await ask(path, 'chat/model', stream);
    const kept = /kept-by-model-gateway\.([\w-]+)/.exec(text)?.[1] ?? '';
    expect(Buffer.from(kept, 'base64url').toString()).toContain('[redacted]');
    expect(Buffer.from(kept, 'base64url').toString()).not.toContain(PROVIDER_CREDENTIAL);
  },
);

it('a stream of Responses that breaks after a keep-alive begins with its first event', async () => {
  ofChat = (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.flushHeaders();
    // The first text comes in one piece with what breaks the stream.
    setTimeout(() => res.end(framed(chunk({ content: 'hello' }, null), 'no JSON')), 3 * KEEP_ALIVE_MS);
  };
  const { text } = await begun('/v1/responses', 'chat/model');
  expect(text).toContain(': keep-alive');
  expect(readResponseStream(text)).toMatchObject({ hasFailed: true, items: [] });
});
