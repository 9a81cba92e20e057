import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { buildConnector } from 'undici';

/**
 * A connection on which nothing has moved for so long is probed by TCP. Node leaves no choice in what
 * follows: ten probes, a second apart, and the connection has failed with ETIMEDOUT. So a provider that is
 * gone without a word, while it is waited for, is noticed after 15 s; Node's own default would be 70 s,
 * Linux's more than two hours. The probes also keep the connection alive in firewalls between, which forget
 * those on which nothing moves.
 */
const PROBE_AFTER_MS = 5_000;

/**
 * TCP does not probe while it has sent something that was not acknowledged, and goes on sending that for a
 * quarter of an hour. Over HTTP/2 that would be the rule: all calls share a connection, and the next one
 * writes to it. So these connections are asked for a sign of life themselves.
 */
const PING_EVERY_MS = 5_000;
/** A connection on which nothing was heard for so many looks, each after a ping, is dead. */
const SILENT_LOOKS = 3;

/** For undici's clients: how often they ask over HTTP/2. */
export const HTTP2_OPTIONS = { h2Options: { pingInterval: PING_EVERY_MS } };

/** How connections to a provider are made, and given up when nobody is at the other end any more. */
export function connectToProvider(timeoutMs: number): buildConnector.connector {
  const connect = buildConnector({
    timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelay: PROBE_AFTER_MS,
  });
  return (options, callback) =>
    connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      if (socket instanceof TLSSocket && socket.alpnProtocol === 'h2') endWhenSilent(socket);
      return callback(null, socket);
    });
}

function endWhenSilent(socket: Socket): void {
  let heardBytes = socket.bytesRead;
  let silentLooks = 0;
  // A process that was busy has had one look at most in that time, and reads its sockets before the next.
  const looks = setInterval(() => {
    const { bytesRead } = socket;
    silentLooks = bytesRead === heardBytes ? silentLooks + 1 : 0;
    heardBytes = bytesRead;
    if (silentLooks >= SILENT_LOOKS) socket.destroy(new Error('the provider answers no ping any more'));
  }, PING_EVERY_MS).unref();
  socket.once('close', () => clearInterval(looks));
}
