import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import {
  PROVIDER_CREDENTIAL,
  type ResetMoment,
  resetConnections,
  type ServiceName,
  type SpawnedService,
  spawnService,
  startGateway,
  TEST_SECRETS,
  type TestGateway,
} from '@model-gateway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const SERVICES = ['data-plane', 'catalog', 'dashboard', 'control-plane'] as const;
const TRIES = 8;
const ANSWERED: ResetMoment = 'at the first byte of the answer';

let gateway: TestGateway;
let rawKey: string;
const services = new Map<ServiceName, SpawnedService>();

beforeAll(async () => {
  gateway = await startGateway();
  ({ rawKey } = await gateway.createKey());
  const environment = {
    CONTROL_PLANE_ADDRESS: gateway.controlPlanes.map(({ grpcPort }) => `127.0.0.1:${grpcPort}`).join(','),
    DATABASE_URL: gateway.databaseUrl,
    SIMULATED_API_KEY: PROVIDER_CREDENTIAL,
    PUBLIC_URL: 'http://127.0.0.1:8090',
  };
  await Promise.all(
    SERVICES.map(async (name) => void services.set(name, await spawnService(name, environment))),
  );
});
afterAll(async () => {
  await Promise.all([...services.values()].map((service) => service[Symbol.asyncDispose]()));
  await gateway.close();
});

function service(name: ServiceName): SpawnedService {
  const found = services.get(name);
  if (found === undefined) throw new Error(`${name} has not started`);
  return found;
}

function chat(extra: object): string {
  const body = JSON.stringify({
    model: 'sim/chat-free',
    messages: [{ role: 'user', content: 'hi' }],
    ...extra,
  });
  return `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${rawKey}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const CONNECT = 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n';
const GET = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
const POST = 'POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\n';

const STATES: [name: string, bytes: () => string | Buffer][] = [
  ['nothing', () => ''],
  ['half a request line', () => 'GET /hea'],
  ['half its headers', () => 'GET /health HTTP/1.1\r\nHost: a\r\nX-'],
  ['a request', () => GET],
  ['HEAD', () => 'HEAD /health HTTP/1.1\r\nHost: a\r\n\r\n'],
  ['CONNECT', () => CONNECT],
  ['CONNECT with more bytes behind it', () => CONNECT + 'x'.repeat(100_000)],
  ['CONNECT behind a request', () => GET + CONNECT],
  [
    'an upgrade',
    () => 'GET /health HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nxy',
  ],
  ['an upgrade of a POST', () => `${POST}Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 9\r\n\r\nxy`],
  ['Expect: 100-continue', () => `${POST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`],
  [
    'Expect: 100-continue with half a body',
    () => `${POST}Expect: 100-continue\r\nContent-Length: 9\r\n\r\nxy`,
  ],
  ['an unknown Expect', () => `${POST}Expect: nonsense\r\nContent-Length: 9\r\n\r\nxy`],
  ['half a body', () => `${POST}Content-Length: 9\r\n\r\nxy`],
  ['half a chunk', () => `${POST}Transfer-Encoding: chunked\r\n\r\n5\r\nab`],
  ['more body than it is allowed', () => `${POST}Content-Length: 900000000\r\n\r\n${'x'.repeat(100_000)}`],
  ['broken bytes', () => '\0\r\n\r\n'],
  ['broken bytes behind a request', () => `${GET}GARBAGE\r\n\r\n`],
  ['too many headers', () => `GET / HTTP/1.1\r\nHost: a\r\n${'x: y\r\n'.repeat(10_000)}\r\n`],
  ['an unknown version', () => 'GET / HTTP/9.9\r\n\r\n'],
  ['PRI, the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
  ['a TLS handshake', () => Buffer.from('16030100c8010000c40303', 'hex')],
  ['forty requests', () => GET.repeat(40)],
];

/** States on the public port of a data plane, with a key. */
const CHATS: typeof STATES = [
  ['an answer', () => chat({})],
  ['a stream', () => chat({ stream: true, simulate: { token_delay_ms: 5 } })],
  ['a stream that hangs', () => chat({ stream: true, simulate: { hang: { after_events: 2 } } })],
  [
    'CONNECT behind a stream',
    () => chat({ stream: true, simulate: { hang: { after_events: 2 } } }) + CONNECT,
  ],
  ['CONNECT behind a slow answer', () => chat({ simulate: { delay_ms: 100 } }) + CONNECT],
  ['broken bytes behind a stream', () => `${chat({ stream: true, simulate: { delay_ms: 50 } })}\0\r\n\r\n`],
  ['requests behind a stream', () => chat({ stream: true, simulate: { delay_ms: 50 } }) + GET.repeat(3)],
];

describe.each(SERVICES)('the %s', (name) => {
  it('lives when clients reset their connections, whatever they are in the middle of', async () => {
    const { port, internalPort, output, hasEnded } = service(name);
    const targets: [number, typeof STATES][] = [
      [port, name === 'data-plane' ? [...STATES, ...CHATS] : STATES],
      [internalPort, STATES],
    ];
    for (const [target, states] of targets) {
      const expectAlive = (state: string) =>
        expect(hasEnded(), `${state} on port ${target}: ${output().slice(-3_000)}`).toBe(false);
      for (const [state, bytes] of states) {
        await resetConnections(target, bytes(), 'at once', TRIES);
        await resetConnections(target, bytes(), 'a turn later', TRIES);
        expectAlive(state);
      }
      // All states are tried together, because those that are never answered wait for a while.
      await Promise.all(states.map(([, bytes]) => resetConnections(target, bytes(), ANSWERED, TRIES)));
      expectAlive(ANSWERED);
    }
    expect((await fetch(`http://127.0.0.1:${internalPort}/health`)).status).toBe(200);
    expect(output()).not.toContain('"level":60');
  });
});

const CALLS = [
  'KeyService/WatchKeys',
  'KeyService/ResolveKey',
  'BillingService/SettleUsage',
  'CatalogService/WatchCatalog',
  'CatalogService/GetCatalog',
  'NoService/NoMethod',
];
/**
 * Frames of gRPC: a whole empty one, half a frame, one that claims to be too long, and one that holds no
 * message.
 */
const FRAMES = ['0000000000', '000000', '00ffffffff0a', '00000000050a0affffff'];

it('the control plane lives when callers reset connections in the middle of calls and streams', async () => {
  const { port, hasEnded, output } = service('control-plane');
  const expectAlive = (what: string) => expect(hasEnded(), `${what}: ${output().slice(-3_000)}`).toBe(false);
  const resetCalls = (method: string, frame: string, moment: ResetMoment) =>
    Promise.all(Array.from({ length: TRIES }, () => resetCall(port, method, frame, moment)));
  for (const method of CALLS) {
    for (const frame of FRAMES) {
      await resetCalls(method, frame, 'at once');
      await resetCalls(method, frame, 'a turn later');
      expectAlive(`${method}, ${frame}`);
    }
    // They are sent together, because some are never answered.
    await Promise.all(FRAMES.map((frame) => resetCalls(method, frame, ANSWERED)));
    expectAlive(`${method}, ${ANSWERED}`);
  }
  expect(output()).not.toContain('"level":60');
});

function resetCall(port: number, method: string, frame: string, moment: ResetMoment): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const session = connectHttp2('http://127.0.0.1', { createConnection: () => socket });
    const call = session.request({
      ':method': 'POST',
      ':path': `/gateway.v1.${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      authorization: `Bearer ${TEST_SECRETS.INTERNAL_TOKEN}`,
    });
    for (const each of [socket, session, call]) each.on('error', () => undefined);
    const reset = () => socket.resetAndDestroy();
    const silence = setTimeout(reset, 200);
    socket.on('close', () => {
      clearTimeout(silence);
      session.destroy();
      resolve();
    });
    call.write(Buffer.from(frame, 'hex'), () => {
      if (moment === 'at once') reset();
      else if (moment === 'a turn later') setImmediate(reset);
      else call.once('response', reset);
    });
  });
}
