import { once } from 'node:events';
import type { Server } from 'node:http';

/**
 * Connections that wait to be accepted, which is to say for a process that is busy. Beyond them the system
 * drops handshakes, and after some seconds resets what their clients believe to be open. As the load balancer
 * has it; systems bound it further (Linux: net.core.somaxconn).
 */
const BACKLOG = 4_096;

/** Starts listening. @returns the port, also when the system chose it. @throws when it is taken */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  server.listen(port, host, BACKLOG);
  await once(server, 'listening');
  // A connection that is not accepted is lost; if nobody listened for that, the process would be, too.
  server.on('error', () => undefined);
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no TCP port');
  return address.port;
}

/** Stops accepting, lets running exchanges end for at most `graceMs`, then cuts the rest. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection that becomes idle later would otherwise stay open until its keep-alive runs out.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
}
