import { connect } from 'node:net';

/** The moment at which a client resets its connection, after the operating system has taken its bytes. */
export type ResetMoment = 'at once' | 'a turn later' | 'at the first byte of the answer';

/** The time after which a connection without an answer is reset: in some states the server sends none. */
const SILENCE_MS = 200;
const MAX_CONNECTIONS = 48;

/**
 * Opens `count` connections, a few at a time, sends the bytes on each, and resets it. The answers find no
 * client any more.
 */
export async function resetConnections(
  port: number,
  bytes: string | Buffer,
  moment: ResetMoment,
  count: number,
): Promise<void> {
  let left = count;
  const next = async () => {
    while (left-- > 0) await resetConnection(port, bytes, moment);
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONNECTIONS, count) }, next));
}

function resetConnection(port: number, bytes: string | Buffer, moment: ResetMoment): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const silence = setTimeout(() => socket.resetAndDestroy(), SILENCE_MS);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(silence);
      resolve();
    });
    socket.on('connect', () => {
      socket.write(bytes, () => {
        if (moment === 'at once') socket.resetAndDestroy();
        else if (moment === 'a turn later') setImmediate(() => socket.resetAndDestroy());
        else socket.once('data', () => socket.resetAndDestroy());
      });
    });
  });
}
