import { Socket } from 'node:net';
import { metricOf, watchLag, withGateway } from '@model-gateway/test-kit';
import { expect, it } from 'vitest';
import { CHAT } from '../endpoints/both-apis.ts';
import { BROKEN, frame, LAST, PONG, TEXT } from './raw-frames.ts';
import { openSocket, type TestSocket } from './socket-client.ts';

const gateway = withGateway();
const bodyBytes = () => metricOf(gateway.dataPlanes[0], 'gateway_body_bytes');
const MIB = 1024 * 1024;

/** Returns the connection under a WebSocket, to write frames that the library does not. */
function rawSocket({ ws }: TestSocket): Socket {
  const socket: unknown = Reflect.get(ws, '_socket');
  if (socket instanceof Socket) return socket;
  throw new Error('the WebSocket has no connection');
}

/** Opens a connection with a response that runs until the connection ends. */
async function openBusy(): Promise<TestSocket> {
  const socket = await openSocket(gateway.baseUrl, gateway.rawKey);
  gateway.provider.script({ content: 'word '.repeat(10_000), token_delay_ms: 20 });
  socket.create({ model: CHAT, input: 'Hi' });
  while ((await socket.next()).type !== 'response.output_text.delta');
  return socket;
}

it('messages that wait hold memory of their key, until their connection breaks', async () => {
  await using socket = await openBusy();
  for (let sent = 0; sent < 10; sent++) socket.create({ model: CHAT, input: 'x'.repeat(60_000) });
  socket.create({ model: CHAT, input: 'x'.repeat(300_000) });
  await expect.poll(bodyBytes).toBeGreaterThan(900_000);
  rawSocket(socket).write(BROKEN);
  expect((await socket.closed).code).toBe(1002);
  await expect.poll(bodyBytes).toBe(0);
});

it('a large message holds its memory until its response has ended', async () => {
  await using socket = await openSocket(gateway.baseUrl, gateway.rawKey);
  gateway.provider.script({ content: 'word '.repeat(10_000), token_delay_ms: 20 });
  socket.create({ model: CHAT, input: 'x'.repeat(300_000) });
  while ((await socket.next()).type !== 'response.output_text.delta');
  const bytes = await bodyBytes();
  expect(bytes).toBeGreaterThan(300_000);
  expect(bytes).toBeLessThan(600_000);
  socket.ws.terminate();
  await expect.poll(bodyBytes).toBe(0);
});

it('a connection that goes on sending requests which cannot wait is closed', async () => {
  await using socket = await openBusy();
  await using other = await openSocket(gateway.baseUrl, gateway.rawKey);
  using lag = watchLag();
  const flood = Buffer.concat(Array.from({ length: 100_000 }, () => frame(LAST | TEXT, '{')));
  rawSocket(socket).write(flood);
  expect((await socket.closed).code).toBe(1008);
  gateway.provider.clear();
  const beginAtMs = performance.now();
  expect((await other.ask({ model: CHAT, input: 'Hi' })).type).toBe('response.completed');
  expect(performance.now() - beginAtMs).toBeLessThan(1_000 + lag.allowanceMs());
});

it('a message in tiny fragments between other frames takes no more memory than a large one', async () => {
  await using socket = await openSocket(gateway.baseUrl, gateway.rawKey);
  const filler = Buffer.concat(Array.from({ length: 500 }, () => frame(LAST | PONG, 'x'.repeat(125))));
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let sent = 0; sent < 4_000 && socket.ws.readyState === socket.ws.OPEN; sent++) {
    rawSocket(socket).write(Buffer.concat([frame(sent === 0 ? TEXT : 0, 'x'), filler]));
    await new Promise((resolve) => setImmediate(resolve));
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  expect((await socket.closed).code).toBe(1009);
  expect(most).toBeLessThan(150 * MIB);
  await expect.poll(bodyBytes).toBe(0);
});
