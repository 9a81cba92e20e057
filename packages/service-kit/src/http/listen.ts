import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * Connections that may wait for a busy process. Beyond it, the system drops handshakes and resets connections
 * that clients believe open. The load balancer has the same value; Linux bounds it by net.core.somaxconn.
 */
const BACKLOG = 4_096;

/**
 * Starts listening, and returns the port, which the operating system may have chosen.
 * @throws when it is taken
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host, BACKLOG);
  await once(server, 'listening');
  // A connection that could not be accepted is lost. Without a listener for this event, the process would end
  // as well.
  server.on('error', () => undefined);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return address.port;
}

/** Stops accepting connections, lets running exchanges end for at most `graceMs`, and then cuts the rest. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // Closes connections that become idle later; otherwise they stay open until keep-alive ends.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
