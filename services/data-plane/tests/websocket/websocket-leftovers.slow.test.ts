import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { metricOf, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { LocalSocket } from '../../src/websocket/local-socket.ts';
import { WebSocketConnection } from '../../src/websocket/websocket-connection.ts';
import { CHAT } from '../endpoints/both-apis.ts';
import { BROKEN, CLOSE, frame, LAST, PING, TEXT } from './raw-frames.ts';

const gateway = withGateway();

it('connections that end at any moment leave nothing behind', async () => {
  const { port } = new URL(gateway.baseUrl);
  const upgrade = (more = '') =>
    `GET /v1/responses HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n` +
    `Authorization: Bearer ${gateway.rawKey}\r\n${more}\r\n`;
  const health = 'GET /health HTTP/1.1\r\nHost: a\r\n\r\n';
  const create = JSON.stringify({ type: 'response.create', model: CHAT, input: 'x'.repeat(60) });
  const head = Buffer.from([LAST | TEXT, 0x80 | 126, 0, create.length, 0, 0, 0, 0]);
  const message = Buffer.concat([head, Buffer.from(create)]);
  const starts: readonly (string | Buffer)[] = [
    upgrade().slice(0, -2),
    upgrade(),
    upgrade().replace('Bearer', 'Nobody'),
    upgrade().replace('Version: 13', 'Version: 1'),
    upgrade('Expect: 100-continue\r\n'),
    upgrade('Content-Length: 5\r\n'),
    `${upgrade('Transfer-Encoding: chunked\r\n')}0\r\n\r\n`,
    upgrade(`X-Request-Id: ${'x'.repeat(20_000)}\r\nX-Latin: \u00e9\r\nX-Empty:\r\n`),
    health + upgrade(),
    upgrade() + upgrade(),
    Buffer.concat([Buffer.from(upgrade()), message]),
    Buffer.concat([Buffer.from(upgrade()), message, message, BROKEN]),
    Buffer.concat([Buffer.from(upgrade()), message, message.subarray(0, 30)]),
    Buffer.concat([Buffer.from(upgrade()), message, frame(LAST | CLOSE, '')]),
    Buffer.concat([Buffer.from(upgrade()), frame(LAST | TEXT, '{}'), frame(LAST | PING, 'x')]),
  ];
  for (const leave of ['resetAndDestroy', 'destroy', 'end'] as const)
    await Promise.all(
      [0, 1, 5, 25, 100].flatMap((ms) =>
        starts.map(async (start) => {
          const socket = connect(Number(port), '127.0.0.1');
          socket.on('error', () => undefined).resume();
          socket.write(start);
          await wait(ms);
          socket[leave]();
          await wait(200);
          socket.destroy();
        }),
      ),
    );
  await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_websockets')).toBe(0);
  await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_open_requests')).toBe(0);
  await expect.poll(() => metricOf(gateway.dataPlanes[0], 'gateway_body_bytes')).toBe(0);
  for (const kind of [LocalSocket, WebSocketConnection])
    await expect.poll(() => queryObjects(kind, { format: 'count' })).toBe(0);
});
