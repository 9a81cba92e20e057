import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can break its connections as networks do. */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Delivers nothing any more, on open connections and on new ones, without closing any. */
  stall(): void;
  /** Breaks every connection; new ones go to this port. */
  leadTo(port: number): void;
  /** Ends a cut or a stall. Bytes that were held back are delivered. */
  restore(): void;
}

export async function startTcpProxy(port: number, host: string): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let target = port;
  let state: 'open' | 'cut' | 'stalled' = 'open';
  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    if (state === 'cut') {
      near.destroy();
      return;
    }
    const far = connect(target, host);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      track(from);
      from.on('data', (chunk) => void to.write(chunk));
      from.on('close', () => to.destroy());
      if (state === 'stalled') from.pause();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const address = server.address() as AddressInfo;
  return {
    port: address.port,
    cut() {
      state = 'cut';
      destroyAll();
    },
    stall() {
      state = 'stalled';
      for (const socket of sockets) socket.pause();
    },
    leadTo(next) {
      target = next;
      destroyAll();
    },
    restore() {
      state = 'open';
      for (const socket of sockets) socket.resume();
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      destroyAll();
      await closed;
    },
  };
}
