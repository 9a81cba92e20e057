import type { ServerResponse } from 'node:http';

export interface EventStreamOptions {
  /** Headers of the answer, asked for when the first byte goes out. */
  headers: () => Record<string, string>;
  /** Silence after which a comment keeps connections open. */
  keepAliveMs: number;
  /** How long a client may read nothing while data waits for it. */
  stallMs: number;
  /** The client has stalled for that long. */
  onStalled: () => void;
  /** The client has caught up. */
  onDrain: () => void;
}

/**
 * Writes server-sent events. Nothing is sent before the first event (or the first keep-alive), so that a
 * failure before it can still be an ordinary error answer.
 */
export class EventStreamWriter {
  readonly #res: ServerResponse;
  readonly #options: EventStreamOptions;
  readonly #keepAlive: NodeJS.Timeout;
  #stall: NodeJS.Timeout | undefined;

  constructor(res: ServerResponse, options: EventStreamOptions) {
    this.#res = res;
    this.#options = options;
    this.#keepAlive = setTimeout(() => this.#sendKeepAlive(), options.keepAliveMs);
    res.on('drain', this.#onDrain);
  }

  /** @param events complete events; @returns false when the client is behind: wait for `onDrain` */
  send(events: string): boolean {
    this.#keepAlive.refresh();
    return this.#write(events);
  }

  end(lastEvents: string): void {
    this.#stop();
    this.#start();
    this.#res.end(lastEvents);
  }

  /**
   * Sends a last event and breaks the connection off without the end of the body, so that no client can take
   * the answer for a complete one.
   */
  breakOff(lastEvent: string): void {
    this.#stop();
    const { socket } = this.#res;
    if (this.#res.destroyed || socket === null) return;
    this.#res.write(lastEvent, () => socket.destroySoon());
    // A client that reads nothing must not keep the connection.
    setTimeout(() => socket.destroy(), this.#options.stallMs).unref();
  }

  /** Frees the timers; the answer is somebody else's now. */
  abandon(): void {
    this.#stop();
  }

  #write(text: string): boolean {
    this.#start();
    const keepsUp = this.#res.write(text);
    if (!keepsUp) this.#stall ??= setTimeout(this.#options.onStalled, this.#options.stallMs);
    return keepsUp;
  }

  #start(): void {
    if (!this.#res.headersSent) this.#res.writeHead(200, this.#options.headers());
  }

  #sendKeepAlive(): void {
    if (!this.#res.writableNeedDrain) this.#write(': keep-alive\n\n');
    this.#keepAlive.refresh();
  }

  readonly #onDrain = () => {
    clearTimeout(this.#stall);
    this.#stall = undefined;
    this.#options.onDrain();
  };

  #stop(): void {
    clearTimeout(this.#keepAlive);
    clearTimeout(this.#stall);
    this.#res.off('drain', this.#onDrain);
  }
}
