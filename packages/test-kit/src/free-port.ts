import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The highest port is below those that systems give to outgoing connections and to `listen(0)` (Linux: from
 * 32768). Otherwise another of the many programs of a test run could get a port before it is used here. It is
 * lower by more than 10,000, because the nodes of a Redis Cluster also listen on a port that is higher by
 * that number.
 */
const LOWEST_PORT = 12_000;
const END_PORT = 22_000;
/**
 * Test files that run at the same time take their ports from parts of their own: a test may leave its port
 * for a moment, and must find it free again.
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
