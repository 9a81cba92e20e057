import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { PreferredPort } from '../options.ts';
import { QuickStartError } from '../quick-start-error.ts';

export const HOST = '127.0.0.1';
const LAST_PORT = 65_535;
const MAX_ATTEMPTS = 10;
/** Gateways that start at once choose the same ports. A random wait keeps them from failing again. */
const MAX_WAIT_MS = 1_500;
const PORT_POLL_MS = 250;

/** Thrown when another program took a chosen port before the service started. */
export class PortTakenError extends QuickStartError {}

/**
 * Retries `start`, up to nine times, when one of its ports was taken meanwhile.
 * @param start gets an empty set for the ports that it reserves; stops what it started before it throws
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
    await wait(randomInt(MAX_WAIT_MS));
  }
}

/**
 * Starts a process again on the same ports. Waits while another program has taken one of them, such as
 * another gateway, or an outgoing connection to which the system gave the port.
 * @param onTaken called once, before the first wait
 * @throws errors of `start`; an AbortError
 */
export async function onSamePorts<Started>(
  ports: readonly number[],
  start: () => Promise<Started>,
  signal: AbortSignal,
  onTaken: () => void,
): Promise<Started> {
  for (let tries = 1; ; tries++) {
    const free = await Promise.all(ports.map(isFree));
    if (!free.includes(false)) {
      try {
        return await start();
      } catch (error) {
        if (!(error instanceof PortTakenError)) throw error;
      }
    }
    if (tries === 1) onTaken();
    await wait(PORT_POLL_MS, undefined, { signal });
  }
}

/**
 * Returns the preferred port, or the next free one when no option names the port.
 * @param reserved ports that other parts of this start will take; the result is added to them
 * @throws QuickStartError when a port that an option names is taken
 */
export async function choosePort({ port, option }: PreferredPort, reserved: Set<number>): Promise<number> {
  for (let candidate = port; candidate <= LAST_PORT; candidate++) {
    if (!reserved.has(candidate) && (await isFree(candidate))) {
      reserved.add(candidate);
      return candidate;
    }
    if (option !== undefined) {
      throw new QuickStartError([`port ${port} is taken: choose another one with ${option}`]);
    }
  }
  throw new QuickStartError([
    `no port from ${port} to ${LAST_PORT} is free: stop a program that listens on one`,
  ]);
}

/**
 * Returns true if nobody listens on the port, neither on this address nor on all: they would share requests.
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
