import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Ports below 32768, which Linux gives to no outgoing connection and no `listen(0)`, so that no other program
 * of the test run takes one first. The bound is 10,000 lower, because a node of a Redis Cluster also listens
 * on its port plus 10,000.
 */
const LOWEST_PORT = 12_000;
const END_PORT = 22_000;
/**
 * Each test file that runs at the same time has its own part of the ports, because a test may close its port
 * for a moment and needs it again.
 */
const PARTS = 8;
const PORTS_OF_PART = (END_PORT - LOWEST_PORT) / PARTS;

function randomPort(): number {
  const worker = Number(process.env.VITEST_POOL_ID);
  if (!Number.isInteger(worker)) return randomInt(LOWEST_PORT, END_PORT);
  const lowest = LOWEST_PORT + (worker % PARTS) * PORTS_OF_PART;
  return randomInt(lowest, lowest + PORTS_OF_PART);
}

/**
 * Returns a TCP port of this machine that nobody listens on, for a program that must know its port before it
 * starts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomPort(), '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') continue;
      throw error;
    }
    const address = server.address();
    server.close();
    await once(server, 'close');
    if (address === null || typeof address === 'string') throw new Error('no port');
    return address.port;
  }
}
