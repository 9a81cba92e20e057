import { Channel, connectivityState, Metadata, Server, status } from '@grpc/grpc-js';
import { ServerCall, type ServerInternals, type ServerReplies, type Status } from './grpc-server-call.ts';
import type { Network, Wire } from './network.ts';
import { currentHost, type Host, runAs } from './virtual-time.ts';

/**
 * Replaces the connections of gRPC by the simulated network. Everything above them is the real library:
 * stubs, serialization, interceptors, handlers and their streams.
 */

interface ClientListener {
  onReceiveMetadata(metadata: Metadata): void;
  onReceiveMessage(message: Buffer): void;
  onReceiveStatus(status: Status): void;
}

const listening = new WeakMap<Host, ServerInternals>();

/**
 * @param network returns the network of the current run
 * @param onSent called with each message of a client
 */
export function installGrpc(network: () => Network, onSent: OnSent): void {
  const prototype: object = Channel.prototype;
  Object.assign(prototype, {
    createCall(this: Channel, path: string) {
      closeWith(currentHost(), this);
      const [name = ''] = this.getTarget().replace(/^dns:/, '').split(':');
      return new ClientCall(network(), name, path, onSent);
    },
    getConnectivityState: () => connectivityState.READY,
  });
  Object.assign(Server.prototype, {
    bindAsync(this: ServerInternals, _address: string, _credentials: unknown, done: BoundCallback) {
      const host = currentHost();
      if (host === undefined) throw new Error('a server needs a host');
      listening.set(host, this);
      host.onCrash.add(() => {
        listening.delete(host);
        // Otherwise the library keeps the server in memory.
        this.forceShutdown();
      });
      done(null, 1);
    },
  });
}

type OnSent = (client: Host, path: string, bytes: Buffer) => void;
type BoundCallback = (error: Error | null, port: number) => void;

/** Channels with calls. The library keeps a channel in memory until it is closed. */
const used = new WeakSet<Channel>();

function closeWith(host: Host | undefined, channel: Channel): void {
  if (used.has(channel)) return;
  used.add(channel);
  host?.onCrash.add(() => channel.close());
}

/** The client's side of a call, as grpc-js' `Call`. */
class ClientCall {
  readonly #network: Network;
  readonly #serverName: string;
  readonly #path: string;
  readonly #client = currentHost();
  #toServer: Wire | undefined;
  #server: ServerCall | undefined;
  #listener: ClientListener | undefined;
  readonly #onSent: OnSent;
  #onOver: () => void = () => undefined;
  #isOver = false;

  constructor(network: Network, serverName: string, path: string, onSent: OnSent) {
    this.#onSent = onSent;
    this.#network = network;
    this.#serverName = serverName;
    this.#path = path;
  }

  start(metadata: Metadata, listener: ClientListener): void {
    this.#listener = listener;
    const client = this.#client;
    const host = this.#network.host(this.#serverName);
    if (client === undefined) throw new Error('a call needs a host');
    const internals = host && listening.get(host);
    if (host === undefined || internals === undefined) {
      const refuse = () => this.#end(unavailable('No connection established'));
      this.#network.wire(client, client, refuse).send(refuse);
      return;
    }
    const broken = () => {
      if (host.isUp) runAs(host, () => this.#server?.cancel());
      if (client.isUp) runAs(client, () => this.#end(unavailable('Connection dropped')));
    };
    const toClient = this.#network.wire(host, client, broken);
    this.#toServer = this.#network.wire(client, host, broken);
    const replies: ServerReplies = {
      metadata: (sent: Metadata) => toClient.send(() => this.#receive((to) => to.onReceiveMetadata(sent))),
      message: (bytes: Buffer) => toClient.send(() => this.#receive((to) => to.onReceiveMessage(bytes))),
      status: (ended: Status) => toClient.send(() => this.#end(ended)),
    };
    const server = new ServerCall(internals, this.#path, metadata.clone(), replies);
    this.#server = server;
    const serverCrashed = () => toClient.send(() => this.#end(unavailable('Connection dropped')));
    const clientCrashed = () => this.#toServer?.send(() => server.cancel());
    this.#onOver = () => {
      host.onCrash.delete(serverCrashed);
      client.onCrash.delete(clientCrashed);
    };
    host.onCrash.add(serverCrashed);
    client.onCrash.add(clientCrashed);
    this.#toServer.send(() => server.open());
  }

  sendMessageWithContext({ callback }: { callback?: () => void }, message: Buffer): void {
    const bytes = Buffer.from(message);
    if (callback !== undefined) process.nextTick(callback);
    if (this.#client !== undefined) this.#onSent(this.#client, this.#path, bytes);
    this.#toServer?.send(() => this.#server?.receive(bytes));
  }

  halfClose(): void {
    this.#toServer?.send(() => this.#server?.halfClose());
  }

  cancelWithStatus(code: number, details: string): void {
    if (this.#isOver) return;
    this.#toServer?.send(() => this.#server?.cancel());
    // As in grpc-js, in the next tick.
    process.nextTick(() => this.#end({ code, details, metadata: new Metadata() }));
  }

  startRead(): void {}

  getPeer(): string {
    return `${this.#serverName}:1`;
  }

  #receive(pass: (listener: ClientListener) => void): void {
    if (!this.#isOver && this.#listener !== undefined) pass(this.#listener);
  }

  #end(ended: Status): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#onOver();
    this.#listener?.onReceiveStatus(ended);
  }
}

function unavailable(details: string): Status {
  return { code: status.UNAVAILABLE, details, metadata: new Metadata() };
}
