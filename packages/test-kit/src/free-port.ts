import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections and to `listen(0)` (Linux: from 32768): else one
 * of the many programs of a test run could be given a port between our look and its use. By more than 10,000,
 * because the nodes of a Redis Cluster also listen there, that much higher.
 */
const LOWEST_PORT = 12_000;
const END_PORT = 22_000;

/** A TCP port of this machine that nobody listens on, for what must know its own before it starts. */
export async function freePort(): Promise<number> {
  for (;;) {
    const server = createServer().listen(randomInt(LOWEST_PORT, END_PORT), '127.0.0.1');
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
