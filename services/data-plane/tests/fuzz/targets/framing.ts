import { connect } from 'node:net';
import fc from 'fast-check';
import { type FuzzedGateway, type FuzzTarget, require } from '../fuzz-target.ts';
import { requireServing } from '../gateway-calls.ts';
import { cutInto, mutatedText } from '../mutate.ts';

/** Placeholder for the API key. */
const KEY = 'KEY';
const BODY = '{"model":"sim/chat-free","messages":[{"role":"user","content":"hello"}],"max_tokens":2}';
const head = (path: string, more: string) =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nContent-Type: application/json\r\n${more}\r\n`;
const sized = (path: string, body: string) => `${head(path, `Content-Length: ${body.length}\r\n`)}${body}`;
const SEEDS = [
  sized('/v1/chat/completions', BODY),
  sized('/v1/messages', BODY),
  sized('/v1/responses', '{"model":"sim/chat-free","input":"hello","stream":true}'),
  sized('/v1/embeddings', '{"model":"sim/embed-free","input":"a"}'),
  `${head('/v1/chat/completions', 'Transfer-Encoding: chunked\r\n')}2\r\n{}\r\n0\r\n\r\n`,
  `${head('/v1/messages/count_tokens', 'Expect: 100-continue\r\nContent-Length: 2\r\n')}{}`,
  `GET /health HTTP/1.1\r\nHost: a\r\n\r\nGET /v1/usage?limit=1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`,
  `GET /v1/responses/resp_AQ?stream=true HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\nConnection: close\r\n\r\n`,
  `DELETE /v1/responses/resp_AQ HTTP/1.1\r\nHost: a\r\nx-api-key: ${KEY}\r\nanthropic-beta: a,b\r\n\r\n`,
  'OPTIONS /v1/chat/completions HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nAccess-Control-Request-Method: POST\r\n\r\n',
  `GET /v1/usage/requests/req_1 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${KEY}\r\n\r\n`,
];
const TOKENS = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  ':',
  ' ',
  '\t',
  '\0',
  '%',
  '%2f',
  '%00',
  '%zz',
  '..',
  '//',
  '?',
  '#',
  'Host: b\r\n',
  'Content-Length: 0\r\n',
  'Content-Length: 5\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Content-Encoding: gzip\r\n',
  'Connection: close\r\n',
  'Connection: upgrade\r\nUpgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'X-Request-Id: a\r\n',
  'X-Forwarded-For: 1.2.3.4, ::1\r\n',
  '0\r\n\r\n',
  'ffffffff\r\n',
  'HTTP/1.0',
  'HTTP/1.1',
  'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n',
  '{',
  '"',
];

interface Input {
  /** Latin1. */
  bytes: string;
  /** Sizes of the pieces in which it is sent. */
  sizes: number[];
}

/** Sends raw bytes to a data plane: it keeps running, and each of its responses is complete. */
export const framing: FuzzTarget<Input> = {
  name: 'framing',
  input: fc.record({
    bytes: mutatedText(SEEDS, TOKENS),
    sizes: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 3 }),
  }),
  needsGateway: true,
  maxMs: 20_000,
  async check({ bytes, sizes }, gateway) {
    const sent = Buffer.from(bytes.replaceAll(KEY, gateway.rawKey), 'latin1');
    // The last size counts for everything after it.
    const answer = await exchanged(cutInto(sent, [...sizes, sent.length || 1]), gateway);
    for (const [, status] of answer.matchAll(/(?:^|\n|\})HTTP\/1\.1 (\d{3}) /g)) {
      require(Number(status) !== 500 && Number(status) < 600, `it answered ${status}`);
    }
    if (answer !== '') require(answer.startsWith('HTTP/1.1 '), `no answer of HTTP: ${answer.slice(0, 100)}`);
    const [, first] = /^HTTP\/1\.1 (4\d\d) .*?\r\n\r\n(\{.*)/s.exec(answer) ?? [];
    if (first !== undefined) require(/"message":"[^"]/.test(answer), 'an error without a message');
    await requireServing(gateway);
  },
};

/** Sends the pieces, ends the sending side, and reads until the gateway closes. */
function exchanged(pieces: readonly Buffer[], { port }: FuzzedGateway): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', (error) => {
      // It may close before everything was sent.
      if ('code' in error && error.code === 'ECONNREFUSED') reject(error);
    });
    socket.on('close', () => resolve(text));
    for (const piece of pieces) socket.write(piece);
    socket.end();
  });
}
