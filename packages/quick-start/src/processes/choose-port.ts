import { createServer } from 'node:net';
import type { PortWish } from '../options.ts';
import { QuickStartError } from '../quick-start-error.ts';

export const HOST = '127.0.0.1';
const LAST_PORT = 65_535;
const MAX_ATTEMPTS = 5;

/** Another program has taken a port between the choice of it and the start of the service. */
export class PortTakenError extends QuickStartError {}

/**
 * Calls `start` again, up to four times, when a port that it has chosen is taken meanwhile. What it has
 * started must be stopped by then.
 * @param start gets the set of ports that it has reserved so far, which is empty
 */
export async function withFreePorts<Started>(
  start: (reserved: Set<number>) => Promise<Started>,
): Promise<Started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(new Set());
    } catch (error) {
      if (!(error instanceof PortTakenError) || attempt >= MAX_ATTEMPTS) throw error;
    }
  }
}

/**
 * Returns the wished port, or the next free one when no option names the port.
 * @param reserved ports that other parts of this start will take; the answer is added to them
 * @throws QuickStartError when a port that an option names is taken
 */
export async function choosePort({ port, option }: PortWish, reserved: Set<number>): Promise<number> {
  for (let candidate = port; candidate <= LAST_PORT; candidate++) {
    if (!reserved.has(candidate) && (await isFree(candidate))) {
      reserved.add(candidate);
      return candidate;
    }
    if (option !== undefined) {
      throw new QuickStartError([`port ${port} is taken: choose another one with ${option}`]);
    }
  }
  throw new QuickStartError([`no port from ${port} on is free`]);
}

/**
 * Returns true if nobody listens on the port. Servers on all addresses count too, because they would get the
 * requests for this one, or lose theirs to it.
 */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, HOST)) && (await canListen(port, '::'));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      // On a machine without IPv6, nobody listens on an IPv6 address.
      else if (error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL') resolve(true);
      else reject(error);
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
