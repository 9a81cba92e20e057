import { Duplex } from 'node:stream';

/**
 * One end of a connection within this process, with what Node's HTTP server and the routes need of a socket.
 * What one end writes is read at the other, no faster than that reads.
 */
export class LocalSocket extends Duplex {
  /** The address of the client on whose behalf the connection was made. */
  readonly remoteAddress: string | undefined;
  #peer: LocalSocket | undefined;
  #onRead: (() => void) | undefined;

  private constructor(remoteAddress: string | undefined) {
    super({ allowHalfOpen: true });
    this.remoteAddress = remoteAddress;
    // Either end may be destroyed at any time. Its user listens to `close` instead.
    this.on('error', () => undefined);
  }

  /** Makes a connection. @returns its two ends: for the client and for the server */
  static pair(remoteAddress: string | undefined): [client: LocalSocket, server: LocalSocket] {
    const [client, server] = [new LocalSocket(undefined), new LocalSocket(remoteAddress)];
    client.#peer = server;
    server.#peer = client;
    return [client, server];
  }

  override _read(): void {
    const onRead = this.#onRead;
    this.#onRead = undefined;
    onRead?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const peer = this.#peer;
    if (peer === undefined || peer.destroyed || peer.push(chunk)) done();
    else peer.#onRead = done;
  }

  override _final(done: () => void): void {
    this.#peer?.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const peer = this.#peer;
    this.#peer = undefined;
    this.#onRead = undefined;
    done(error);
    // After its end, the other one still reads what was written.
    if (!this.writableFinished) peer?.destroy();
  }

  /** Ends the connection when everything is written. */
  destroySoon(): void {
    if (this.writableFinished) this.destroy();
    else this.end(() => this.destroy());
  }

  /** Nothing is lost between the two ends, so there is no timeout. */
  setTimeout(): this {
    return this;
  }
}
