import { createRequire, syncBuiltinESMExports } from 'node:module';
import { Server, Socket } from 'node:net';
import type { Network } from './network.ts';
import { currentHost, type Host, runAs } from './virtual-time.ts';

/** Accepts a connection; runs as the host of the server. */
type Accept = (socket: Socket) => void;

const accepting = new WeakMap<Host, Map<number, Accept>>();
const nextPort = new WeakMap<Host, number>();

/** Accepts connections to the host that runs this. Port 0: the next free one. @returns the port */
export function accept(port: number, onConnection: Accept): number {
  const host = currentHost();
  if (host === undefined) throw new Error('a server needs a host');
  const chosen = port || (nextPort.get(host) ?? 1_000);
  nextPort.set(host, chosen + 1);
  const ports = accepting.get(host) ?? new Map<number, Accept>();
  accepting.set(host, ports.set(chosen, onConnection));
  host.onCrash.add(() => accepting.delete(host));
  return chosen;
}

/** Replaces the sockets of this process: every connection uses the simulated network. */
export function installSockets(network: () => Network): void {
  const net: { Socket: { prototype: object } } = createRequire(import.meta.url)('node:net');
  Object.assign(net.Socket.prototype, {
    connect(this: Socket, ...to: unknown[]) {
      const [first] = to.flat();
      const target =
        typeof first === 'object' && first !== null
          ? (first as { host?: string; port: number })
          : { port: Number(to[0]), host: String(to[1]) };
      const connected = to.flat().findLast((each) => typeof each === 'function');
      if (connected !== undefined) this.once('connect', connected as () => void);
      connect(network(), this, target.host ?? '', Number(target.port));
      return this;
    },
    setNoDelay: same,
    setKeepAlive: same,
    setTimeout: same,
    ref: same,
    unref: same,
  });
  Object.assign(Server.prototype, {
    listen(this: Server, port: number) {
      const chosen = accept(port, (socket) => this.emit('connection', socket));
      // Otherwise a timer of Node keeps the server in memory.
      currentHost()?.onCrash.add(() => this.close());
      this.address = () => ({ port: chosen, address: '10.0.0.1', family: 'IPv4' });
      process.nextTick(() => this.emit('listening'));
      return this;
    },
    close(this: Server, closed?: () => void) {
      process.nextTick(() => {
        closed?.();
        this.emit('close');
      });
      return this;
    },
  });
  syncBuiltinESMExports();
}

function same(this: Socket): Socket {
  return this;
}

function connect(network: Network, socket: Socket, hostName: string, port: number): void {
  const client = currentHost();
  if (client === undefined) throw new Error('a connection needs a host');
  const server = network.host(hostName);
  const onConnection = server && accepting.get(server)?.get(port);
  const isConnecting = (value: boolean) => Object.assign(socket, { connecting: value });
  isConnecting(true);
  if (server === undefined || onConnection === undefined) {
    const refuse = () => socket.destroy(connectionError('ECONNREFUSED'));
    network.wire(client, client, refuse).send(refuse);
    attach(
      socket,
      client,
      () => undefined,
      () => undefined,
    );
    return;
  }
  const other = new Socket();
  // A connection that breaks before it is accepted has no other listener.
  other.on('error', () => undefined);
  const reset = (end: Socket) => void end.destroy(connectionError('ECONNRESET'));
  const broken = () => {
    if (server.isUp) runAs(server, () => reset(other));
    if (client.isUp) runAs(client, () => reset(socket));
  };
  const toServer = network.wire(client, server, broken);
  const toClient = network.wire(server, client, broken);
  attach(
    socket,
    client,
    (act) => toServer.send(() => act(other)),
    () => over(),
  );
  attach(
    other,
    server,
    (act) => toClient.send(() => act(socket)),
    () => over(),
  );
  const clientCrashed = () => toServer.send(() => reset(other));
  const serverCrashed = () => toClient.send(() => reset(socket));
  const over = () => {
    client.onCrash.delete(clientCrashed);
    server.onCrash.delete(serverCrashed);
  };
  client.onCrash.add(clientCrashed);
  server.onCrash.add(serverCrashed);
  toServer.send(() => {
    onConnection(other);
    toClient.send(() => {
      if (socket.destroyed) return;
      isConnecting(false);
      socket.emit('connect');
      socket.emit('ready');
    });
  });
}

/** Connects a socket with the other end instead of the system. @param toOther acts on it over the network */
function attach(
  socket: Socket,
  host: Host,
  toOther: (act: (other: Socket) => void) => void,
  onOver: () => void,
): void {
  Object.defineProperty(socket, 'remoteAddress', { value: '10.0.0.9' });
  Object.assign(socket, {
    _read: () => undefined,
    _writev: null,
    _write(chunk: Uint8Array | string, encoding: BufferEncoding, done: () => void) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk);
      toOther((other) => void (other.destroyed || other.push(bytes)));
      done();
    },
    _final(done: () => void) {
      toOther((other) => void (other.destroyed || other.push(null)));
      done();
    },
    _destroy(error: Error | null, done: (error: Error | null) => void) {
      onOver();
      toOther((other) => {
        if (!other.destroyed) other.push(null);
      });
      done(error);
      runAs(host, () => process.nextTick(() => socket.emit('close', error !== null)));
    },
  });
}

function connectionError(code: string): Error {
  return Object.assign(new Error(`${code} in the simulation`), { code });
}
