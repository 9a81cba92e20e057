import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { generateApiKey } from '@model-gateway/shared';

/** The port and the key of hostile requests. */
export interface HostileTarget {
  port: number;
  rawKey: string;
}

type Attack = (target: HostileTarget) => Promise<void>;

const MIB = 1024 * 1024;
const CONNECTIONS = 20;
/** The pieces of a slow upload, and the pause between them: far slower than any honest client. */
const SLOW_PIECES = 40;
const SLOW_PIECE_MS = 250;
/** The longest time that one attack waits for a response. */
const TIMEOUT_MS = 30_000;

/** The families of hostile input by name; docs/reliability.md lists them. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'CONNECT, then a reset': (target) =>
    resets(target, 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'),
  'upgrade, then a reset': (target) =>
    resets(target, 'GET /v1/models HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
  'half a head, then a reset': (target) =>
    resets(target, 'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nX-'),
  'half a body, then a reset': (target) =>
    resets(target, `${head(target, 'chat/completions', 50_000)}{"model":"`),
  'Expect: 100-continue, then a reset': (target) =>
    resets(target, head(target, 'chat/completions', 50_000, 'Expect: 100-continue\r\n')),
  'requests behind an unread stream, then a reset': (target) => {
    const stream = chatBody({ stream: true });
    return resets(target, `${head(target, 'chat/completions', stream.length)}${stream}`.repeat(5));
  },
  'an upload that dribbles': async (target) => {
    await using socket = open(target.port);
    socket.write(head(target, 'chat/completions', 20 * MIB));
    for (let piece = 0; piece < SLOW_PIECES && !socket.destroyed; piece++) {
      socket.write(' '.repeat(256));
      await wait(SLOW_PIECE_MS);
    }
  },
  'millions of numbers': (target) =>
    post(target, 'embeddings', `{"model":"sim/embed-free","input":[${'1,'.repeat(2 * MIB)}1]}`),
  'arrays in arrays': (target) =>
    post(target, 'chat/completions', chatBody({ tools: '#' }).replace('"#"', '['.repeat(100_000))),
  'a large stream that is refused without money': (target) =>
    post(target, 'chat/completions', chatBody({ model: 'sim/chat-pro', stream: true }, 4 * MIB)),
  'a member twice, and in another case': (target) =>
    post(
      target,
      'chat/completions',
      chatBody().replace('{', '{"Model":"sim/chat-pro","model":"sim/chat-pro",'),
    ),
  'a large answer': (target) =>
    post(target, 'embeddings', {
      model: 'sim/embed-free',
      input: Array.from({ length: 512 }, (_, index) => `text ${index}`),
    }),
  'a stream that nobody reads': async (target) => {
    await using socket = open(target.port);
    const body = chatBody({ stream: true, simulate: { content: 'word '.repeat(20_000) } });
    socket.pause();
    socket.write(`${head(target, 'chat/completions', body.length)}${body}`);
    await wait(5_000);
  },
  'invented keys': async ({ port }) => {
    const guesses = Array.from({ length: 50 }, () =>
      post({ port, rawKey: generateApiKey() }, 'chat/completions', chatBody()),
    );
    await Promise.all(guesses);
  },
  'a form without an end': (target) =>
    post(
      target,
      'audio/transcriptions',
      `--x\r\ncontent-disposition: form-data; name="model"\r\n\r\n${'a'.repeat(MIB)}`,
      {
        'content-type': 'multipart/form-data; boundary=x',
      },
    ),
  'thousands of fields in a form': (target) =>
    post(
      target,
      'audio/transcriptions',
      `${Array.from({ length: 10_000 }, (_, index) => `--x\r\ncontent-disposition: form-data; name="f${index}"\r\n\r\n1\r\n`).join('')}--x--\r\n`,
      { 'content-type': 'multipart/form-data; boundary=x' },
    ),
};

/** Runs one attack. Any response, or none, is right as long as the gateway lives. */
export async function attack(name: string, target: HostileTarget): Promise<void> {
  await ATTACKS[name]?.(target).catch(() => undefined);
}

/** Sends these bytes on several connections, and resets each after a different time. */
async function resets({ port }: HostileTarget, bytes: string): Promise<void> {
  const one = async (index: number) => {
    const socket = open(port);
    await once(socket, 'connect').catch(() => undefined);
    socket.write(bytes);
    await wait(index % 5);
    socket.resetAndDestroy();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => one(index)));
}

function open(port: number): Socket & AsyncDisposable {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  return Object.assign(socket, {
    [Symbol.asyncDispose]: async () => {
      socket.destroy();
    },
  });
}

function head({ rawKey }: HostileTarget, route: string, length: number, more = ''): string {
  return `POST /v1/${route} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n${more}\r\n`;
}

function chatBody(members: object = {}, contentLength = 10): string {
  return JSON.stringify({
    model: 'sim/chat-free',
    messages: [{ role: 'user', content: 'x'.repeat(contentLength) }],
    ...members,
  });
}

async function post(
  { port, rawKey }: HostileTarget,
  route: string,
  body: string | object,
  headers: Record<string, string> = {},
): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/${route}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rawKey}`, 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.arrayBuffer();
}
