import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

export interface ConnectProxy extends AsyncDisposable {
  port: number;
  /** Destinations of all tunnels, as host:port. */
  tunnels: string[];
  /** Proxy-Authorization of each. */
  authorizations: (string | undefined)[];
  /** Status that new tunnels are refused with, `silent` to never reply; undefined: they open. */
  refusal: { status: number | 'silent' | undefined };
}

/** Starts an HTTP proxy. Whatever host a tunnel is for, it leads to this port of this machine. */
export async function startConnectProxy(port: number): Promise<ConnectProxy> {
  const sockets = new Set<Socket>();
  const tunnels: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const refusal: ConnectProxy['refusal'] = { status: undefined };
  const server = createServer((_, res) => void res.writeHead(501).end());
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
  });
  server.on('connect', (request, near: Socket) => {
    if (refusal.status === 'silent') return;
    if (refusal.status !== undefined) {
      near.end(`HTTP/1.1 ${refusal.status} Refused\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    tunnels.push(request.url ?? '');
    authorizations.push(request.headers['proxy-authorization']);
    const far = connect(port, '127.0.0.1', () => {
      near.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      near.pipe(far).pipe(near);
    });
    sockets.add(far);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: own } = server.address() as AddressInfo;
  return {
    port: own,
    tunnels,
    authorizations,
    refusal,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
