import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { closeServer, listen } from '@model-gateway/service-kit';

const HTML = '<html><body>Sorry.</body></html>';

export type Respond = (res: ServerResponse) => void;
/** A way in which a response of a provider can fail. */
export interface Way {
  /** Breaks the response. */
  respond: Respond;
  /** Default: chat/completions. */
  path?: 'messages' | 'responses';
  stream?: boolean;
  /** True: the circuit breaker counts it, so it shuts out the tenant whose requests fail. */
  isCounted?: boolean;
  /** How long the provider may stay silent, if not only as long as a test can wait. */
  silentMs?: number;
}

const status =
  (code: number, body = '{"error":{"message":"no"}}', headers = {}): Respond =>
  (res) =>
    void res.writeHead(code, { 'content-type': 'application/json', ...headers }).end(body);
const text =
  (body: string, type = 'application/json', headers = {}): Respond =>
  (res) =>
    void res.writeHead(200, { 'content-type': type, ...headers }).end(body);
const silentAfter =
  (begun: string, type: string): Respond =>
  (res) =>
    void res.writeHead(200, { 'content-type': type }).write(begun);
const cutAfter =
  (begun: string, type: string): Respond =>
  (res) =>
    void res.writeHead(200, { 'content-type': type }).write(begun, () => res.destroy());
const events = (...sent: unknown[]) =>
  sent.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join('');
const eventStream = (...sent: unknown[]): Respond => text(events(...sent), 'text/event-stream');

const STATUSES: Record<string, Way> = Object.fromEntries([
  ...[201, 500, 501, 502, 503, 504, 529].map((code) => [`a ${code}`, of(status(code), true)]),
  ...[301, 400, 402, 403, 404, 405, 408, 409, 410, 413, 415, 422, 425, 451].map((code) => [
    `a ${code}`,
    of(status(code)),
  ]),
  ['a 429', of(status(429, '{"error":{"message":"slow down"}}', { 'retry-after': '1' }))],
  ['a 400 with a body that is too large', of(status(400, 'x'.repeat(100_000)))],
  ['a 403 of a content filter', of(status(403, '{"error":{"message":"flagged by moderation"}}'))],
  ['a 500 with HTML', of(status(500, HTML, { 'content-type': 'text/html' }), true)],
]);

const PLAIN: Record<string, Way> = {
  silence: of(() => undefined, true),
  'silence within the response': of(silentAfter('{"id":', 'application/json')),
  'a connection that breaks before the response': of((res) => void res.destroy(), true),
  'a connection that breaks within the response': of(cutAfter('{"id":', 'application/json'), true),
  'an empty response': of(text(''), true),
  'a response that is cut, with a whole length': of(text('{"id":"c","choices":[{'), true),
  'JSON of another shape': of(text('{"result":"fine"}')),
  'JSON without choices': of(text(JSON.stringify(completion({ content: 'x' }, 'stop', [])))),
  'JSON that nests deeply': of(text('['.repeat(5_000) + ']'.repeat(5_000))),
  HTML: of(text(HTML, 'text/html'), true),
  'plain text': of(text('fine', 'text/plain'), true),
  'bytes that are no UTF-8': of((res) => void res.writeHead(200).end(Buffer.alloc(100, 0xff)), true),
  'a response that is too large': of((res) => {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 ** 27 }).write('{');
  }),
};

const OUTPUT: Record<string, Way> = Object.fromEntries(
  (['messages', 'responses'] as const).flatMap((path) =>
    Object.entries({
      'arguments of a tool call that are a list': calling('[1,2]'),
      'arguments of a tool call that are cut': calling('{"a":'),
      'a finish reason for tool calls that are not there': completion({ content: 'I' }, 'tool_calls'),
      'an end with an error': completion({ content: 'I' }, 'error'),
    }).map(([name, body]) => [`${name} (${path})`, { ...of(text(JSON.stringify(body))), path }]),
  ),
);

const CHUNK = events(chunk({ content: 'I' }));
const STREAMED: Record<string, Way> = {
  'a 500 to a stream': of(status(500), true),
  'silence before the first event': of(silentAfter('', 'text/event-stream'), true),
  'silence between events': of(silentAfter(CHUNK, 'text/event-stream'), true),
  'a stream that breaks before its first event': of(cutAfter(':\n\n', 'text/event-stream'), true),
  'a stream that breaks between events': of(cutAfter(CHUNK, 'text/event-stream'), true),
  'a stream that is empty': of(eventStream()),
  'a stream without an end': of(text(CHUNK, 'text/event-stream')),
  'a stream that never ends a line': { respond: endlessLine, silentMs: 10_000 },
  'an event that is no JSON': of(eventStream(chunk({ content: 'I' }), '{"choices":[')),
  'an event of another shape': of(eventStream({ choices: 'x' }, '[DONE]')),
  'an error event': of(eventStream({ error: { message: 'no', type: 'server_error' } })),
  'an error event between events': of(eventStream(chunk({}), { error: { message: 'no', code: 500 } })),
  'an error event about a limit': of(eventStream({ error: { message: 'no', type: 'rate_limit_error' } })),
  'an end with an abort': of(eventStream(chunk({ content: 'I' }), chunk({}, 'abort'), '[DONE]')),
  'HTML as a stream': of(text(HTML, 'text/html'), true),
  'bytes that are no UTF-8 in a stream': of(
    (res) =>
      void res
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(Buffer.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0x0a, 0x0a])),
    true,
  ),
};

/** Every way in which a response of a provider with OpenAI's API can fail. */
export const WAYS: [name: string, way: Way][] = [
  ...Object.entries({ ...STATUSES, ...PLAIN, ...OUTPUT }),
  ...Object.entries(STREAMED).map(([name, way]): [string, Way] => [name, { ...way, stream: true }]),
];

export interface FailingProvider extends AsyncDisposable {
  baseUrl: string;
  /** How often its list of models was requested; that fails, too. */
  probes: number;
}

/** Fails in the way that the path names, unless the request says "serve". */
export async function startFailingProvider(): Promise<FailingProvider> {
  const server = createServer(async (req: IncomingMessage, res) => {
    const chunks: Buffer[] = [];
    for await (const piece of req) chunks.push(piece);
    const index = Number(/^\/(\d+)\//.exec(req.url ?? '')?.[1]);
    if (index === 401) return status(401)(res);
    if (req.method === 'GET') {
      provider.probes++;
      return status(500)(res);
    }
    if (Buffer.concat(chunks).includes('serve'))
      return text(JSON.stringify(completion({ content: 'Ice.' }, 'stop')))(res);
    return WAYS[index]?.[1].respond(res);
  });
  const port = await listen(server, 0, '127.0.0.1');
  const provider: FailingProvider = {
    baseUrl: `http://127.0.0.1:${port}`,
    probes: 0,
    [Symbol.asyncDispose]: () => closeServer(server, 0),
  };
  return provider;
}

function of(respond: Respond, isCounted = false): Way {
  return { respond, isCounted };
}

function endlessLine(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  const more = () => {
    while (!res.destroyed && res.write(Buffer.alloc(1_000_000, 'x')));
  };
  res.on('drain', more).on('error', () => undefined);
  more();
}

function completion(members: object, finish_reason: string, choices?: unknown[]) {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  const message = { role: 'assistant', content: null, refusal: null, ...members };
  return { ...head('chat.completion'), choices: choices ?? [{ index: 0, message, finish_reason }], usage };
}

function calling(args: string) {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: args } };
  return completion({ tool_calls: [call] }, 'tool_calls');
}

function chunk(delta: object, finish_reason: string | null = null) {
  return { ...head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason }] };
}

function head(object: string) {
  return { id: 'c', object, created: 1, model: 'm' };
}
