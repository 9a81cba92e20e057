import { connect } from 'node:net';

/** When a client resets its connection, after its bytes have been handed to the operating system. */
export type ResetMoment = 'at once' | 'a turn later' | 'at the first byte of the answer';

/** For a server that keeps silent: some states have no answer to wait for. */
const SILENCE_MS = 200;
const AT_ONCE = 48;

/** Opens `count` connections, sends each the bytes and resets it: what follows finds nobody there. */
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
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, next));
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
