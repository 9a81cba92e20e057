import { createServer } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';
import { modelEntry, providerEntry, withGateway, withStarted } from '@model-gateway/test-kit';
import { beforeAll, expect, it } from 'vitest';
import { ProviderBreakers } from '../../src/upstream/provider-breakers.ts';

/** One caller can provoke any model output and any end of it. The breaker must stay closed for the others. */

/** Attempts before a circuit breaker decides: fewer than in production, because every case makes them. */
const MIN_ATTEMPTS = 8;
/** More failures than the circuit breaker of a provider allows. */
const REQUESTS = 10;

const provider = withStarted(startProvider);
const gateway = withGateway(() => ({
  document: () => ({
    providers: KINDS.map(({ kind, path }) => providerEntry(kind, `${provider.baseUrl}${path}`, { kind })),
    models: KINDS.flatMap(({ kind }) =>
      ['broken', 'sound'].map((model) => modelEntry(`${kind}/${model}`, { [kind]: model })),
    ),
  }),
  overrides: { breakers: new ProviderBreakers(MIN_ATTEMPTS) },
}));

let hostile: string;
let honest: string;
beforeAll(async () => {
  hostile = (await gateway.createKey()).rawKey;
  honest = (await gateway.createKey()).rawKey;
});

const KINDS = [
  { kind: 'openai-compatible', path: '/v1' },
  { kind: 'anthropic', path: '/v1' },
  { kind: 'gemini', path: '/v1beta' },
  { kind: 'cohere', path: '' },
] as const;
type Kind = (typeof KINDS)[number]['kind'];

const CALLERS = [
  ['chat/completions', { messages: [{ role: 'user', content: 'hi' }] }],
  ['messages', { messages: [{ role: 'user', content: 'hi' }], max_tokens: 100 }],
  ['responses', { input: 'hi' }],
] as const;

const SOUND: Record<Kind, object> = {
  'openai-compatible': completion({ role: 'assistant', content: 'Ice.' }, 'stop'),
  anthropic: message([{ type: 'text', text: 'Ice.' }], 'end_turn'),
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'Ice.' }] }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  },
  cohere: {
    id: 'c',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Ice.' }] },
  },
};

/** Answers that are broken: whole ones, and streams of events. */
const BROKEN: Record<Kind, { whole: Record<string, object>; streamed: Record<string, unknown[]> }> = {
  'openai-compatible': {
    whole: {
      'arguments that are cut': completion({ tool_calls: [calling('{"a":')] }, 'tool_calls'),
      'a finish reason for calls that are not there': completion({ content: 'I call.' }, 'tool_calls'),
      'an end with an error': completion({ content: 'Ic' }, 'error'),
      'too many calls': completion(
        { tool_calls: Array.from({ length: 2_000 }, (_, index) => ({ ...calling('{}'), id: `c${index}` })) },
        'tool_calls',
      ),
    },
    streamed: {
      'arguments that are cut': [
        chunk({ tool_calls: [{ index: 0, ...calling('{"a":') }] }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
      'a finish reason for calls that are not there': [
        chunk({ content: 'I' }),
        chunk({}, 'tool_calls'),
        '[DONE]',
      ],
      'an end with an abort': [chunk({ content: 'I' }), chunk({}, 'abort'), '[DONE]'],
      'no finish reason': [chunk({ content: 'I' }), '[DONE]'],
      'no last event': [chunk({ content: 'I' })],
      'an event that is no JSON': [chunk({ content: 'I' }), '{"choices":['],
    },
  },
  anthropic: {
    whole: { 'a text that is a number': message([{ type: 'text', text: 5 }], 'end_turn') },
    streamed: {
      'an end out of order': [{ type: 'message_stop' }],
      'a delta of a block that is not open': [
        started(),
        { type: 'content_block_delta', index: 3, delta: { type: 'text_delta', text: 'x' } },
      ],
      'two beginnings': [started(), started()],
      'no last event': [started()],
      'an event that is no JSON': [started(), '{"type":'],
    },
  },
  gemini: {
    whole: { 'arguments that are a string': gemini([{ functionCall: { name: 'f', args: 'x' } }]) },
    streamed: {
      'arguments that are a string': [gemini([{ functionCall: { name: 'f', args: 'x' } }])],
      'partial arguments of a wrong shape': [
        gemini([{ functionCall: { name: 'f', partialArgs: [{ jsonPath: 'x' }], willContinue: true } }]),
      ],
      'no last event': [{ candidates: [{ content: { parts: [{ text: 'I' }] } }] }],
      'an event of a wrong shape': [{ candidates: 'x' }],
    },
  },
  cohere: {
    whole: {
      'an end with an error': { id: 'c', finish_reason: 'ERROR', message: { role: 'assistant' } },
      'no finish reason': { id: 'c', message: { role: 'assistant' } },
    },
    streamed: {
      'an end with an error': [
        { type: 'message-start', id: 'c' },
        { type: 'message-end', delta: { finish_reason: 'ERROR' } },
      ],
      'text before its start event': [{ type: 'content-delta', index: 0 }],
      'no last event': [{ type: 'message-start', id: 'c' }],
    },
  },
};

const CASES = KINDS.flatMap(({ kind }) =>
  CALLERS.flatMap(([path, request]) =>
    [false, true].flatMap((stream) =>
      Object.entries(stream ? BROKEN[kind].streamed : BROKEN[kind].whole).map(([name, answer]) => {
        return { kind, path, request, stream, name, answer };
      }),
    ),
  ),
);

it.each(CASES)(
  'the circuit breaker stays closed for other callers after $name ($kind, $path, streamed $stream)',
  async (one) => {
    const { answer, kind, path, request, stream } = one;
    provider.answer = answer;
    const ask = async (rawKey: string, model: string) => {
      const body = { ...request, model: `${kind}/${model}`, stream: stream && model === 'broken' };
      const response = await gateway.post(path, body, { key: rawKey });
      // A stream that is broken off ends its connection, too.
      await response.text().catch(() => undefined);
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: REQUESTS }, () => ask(hostile, 'broken')));
    expect(statuses).not.toContain(503);
    expect(await ask(honest, 'sound')).toBe(200);
  },
);

interface BrokenProvider {
  baseUrl: string;
  answer: object | unknown[];
  [Symbol.asyncDispose](): Promise<void>;
}

async function startProvider(): Promise<BrokenProvider> {
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const piece of req) chunks.push(piece);
    const url = req.url ?? '';
    const kind = kindOf(url);
    const isSound = url.includes('/sound') || Buffer.concat(chunks).includes('"model":"sound"');
    const answer = isSound ? SOUND[kind] : running.answer;
    if (!Array.isArray(answer)) {
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
      return;
    }
    const events = answer.map((event) => (typeof event === 'string' ? event : JSON.stringify(event)));
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(events.map((data) => `data: ${data}\n\n`).join(''));
  });
  const port = await listen(server, 0, '127.0.0.1');
  const running: BrokenProvider = {
    baseUrl: `http://127.0.0.1:${port}`,
    answer: {},
    [Symbol.asyncDispose]: () => closeServer(server, 0),
  };
  return running;
}

function kindOf(url: string): Kind {
  if (url.startsWith('/v1beta')) return 'gemini';
  if (url.startsWith('/v2')) return 'cohere';
  return url.startsWith('/v1/messages') ? 'anthropic' : 'openai-compatible';
}

function completion(members: object, finish_reason: string) {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const message = { role: 'assistant', content: null, refusal: null, ...members };
  return { ...head('chat.completion'), choices: [{ index: 0, message, finish_reason }], usage };
}

function chunk(delta: object, finish_reason: string | null = null) {
  return { ...head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason }] };
}

function head(object: string) {
  return { id: 'c', object, created: 1, model: 'broken' };
}

function calling(args: string) {
  return { id: 'call_1', type: 'function', function: { name: 'f', arguments: args } };
}

function message(content: object[], stop_reason: string) {
  const usage = { input_tokens: 1, output_tokens: 1 };
  return { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, usage };
}

function started() {
  const usage = { input_tokens: 1, output_tokens: 0 };
  return { type: 'message_start', message: { ...message([], ''), stop_reason: null, usage } };
}

function gemini(parts: object[]) {
  return { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
}
