import { createServer } from 'node:net';
import type { PortWish } from '../options.ts';
import { QuickStartError } from '../quick-start-error.ts';

export const HOST = '127.0.0.1';
const LAST_PORT = 65_535;

/**
 * The port wished for, or the next free one when it was not asked for by name.
 * @param reserved ports that others of us are about to take; the answer joins them
 * @throws QuickStartError when a port asked for by name is taken
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

/** Also a server on all addresses would get the requests for this one, or take them from it. */
async function isFree(port: number): Promise<boolean> {
  return (await canListen(port, HOST)) && (await canListen(port, '::'));
}

function canListen(port: number, host: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false);
      // A machine without IPv6 has nobody listening there.
      else if (error.code === 'EAFNOSUPPORT' || error.code === 'EADDRNOTAVAIL') resolve(true);
      else reject(error);
    });
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}
