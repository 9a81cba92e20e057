import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { createHttpServer } from './create-http-server.ts';

const HEADERS_MS = 400;

/** A client in a thread that this one cannot hold up. It connects, and sends its request some time later. */
const CLIENT = `
  const { parentPort, workerData } = require('node:worker_threads');
  const socket = require('node:net').connect(workerData, '127.0.0.1');
  let answer = '';
  socket.on('connect', () => setTimeout(() => {
    socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n');
  }, 100));
  socket.on('data', (chunk) => { answer += chunk; });
  socket.on('error', (error) => { answer += error.code; });
  socket.on('close', () => parentPort.postMessage(answer.split('\\r\\n')[0]));
`;

test('a request that lies unread because the process is busy is answered, however long that takes', async () => {
  const server = createHttpServer((_req, res) => res.end('hello'), { headersTimeoutMs: HEADERS_MS });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  // Node checks for slow headers once a second, so the check is due when the process wakes.
  server.once('connection', () => setImmediate(() => block(6 * HEADERS_MS)));
  const client = new Worker(CLIENT, { eval: true, workerData: port });
  const [answer] = await once(client, 'message');
  expect(answer).toBe('HTTP/1.1 200 OK');
  server.close();
  await once(server, 'close');
});

function block(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}
