import type { Exchange } from '../request-record.ts';
import { SlowReader } from './slow-reader.ts';

export interface EventStreamOptions {
  /** The headers of the answer, asked for when the first byte is sent. */
  headers: () => Record<string, string>;
  /** After this silence, text without meaning is sent to keep connections open. */
  keepAliveMs: number;
  /** Whether such text may be sent first: after it a failure can no longer be an ordinary error answer. */
  mayBegin: () => boolean;
  /** How long a client may read nothing while data waits for it. */
  stallMs: number;
  /** Called when the client has read nothing for that long. */
  onStalled: () => void;
  /** Called when the client has caught up. */
  onDrain: () => void;
}

/**
 * Writes server-sent events. Nothing is sent before the first event or the first keep-alive, so that an
 * earlier failure can still be an ordinary error answer. Its timers end with the exchange at the latest,
 * because many requests are refused after this was made for them.
 */
export class EventStreamWriter {
  readonly #exchange: Exchange;
  readonly #options: EventStreamOptions;
  readonly #reader: SlowReader;
  readonly #keepAlive: NodeJS.Timeout;
  #cut: NodeJS.Timeout | undefined;

  constructor(exchange: Exchange, options: EventStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#reader = new SlowReader(exchange, options);
    this.#keepAlive = setTimeout(() => this.#sendKeepAlive(), options.keepAliveMs);
    exchange.ends.push(() => {
      this.stop();
      clearTimeout(this.#cut);
    });
  }

  /**
   * @param events complete events
   * @returns false when the client is behind: wait for `onDrain`
   */
  send(events: string): boolean {
    this.#keepAlive.refresh();
    return this.#write(events);
  }

  end(lastEvents: string): void {
    this.stop();
    this.#start();
    this.#exchange.res.end(lastEvents);
  }

  /**
   * Sends a last event, and breaks the connection off without the end of the body, so that no client can take
   * the answer for a complete one.
   */
  breakOff(lastEvent: string): void {
    this.stop();
    const { res } = this.#exchange;
    const { socket } = res;
    if (res.destroyed || socket === null) return;
    res.write(lastEvent, () => socket.destroySoon());
    // A client that reads nothing must not keep the connection open.
    this.#cut = setTimeout(() => socket.destroy(), this.#options.stallMs);
    this.#cut.unref();
  }

  /** Frees the timers. To be called when somebody else writes the answer. */
  stop(): void {
    clearTimeout(this.#keepAlive);
    this.#reader.end();
  }

  #write(text: string): boolean {
    this.#start();
    const keepsUp = this.#exchange.res.write(text);
    if (!keepsUp) this.#reader.wait();
    return keepsUp;
  }

  #start(): void {
    const { res } = this.#exchange;
    if (!res.headersSent) res.writeHead(200, this.#options.headers());
  }

  #sendKeepAlive(): void {
    const { res } = this.#exchange;
    const mayWrite = res.headersSent ? !res.writableNeedDrain : this.#options.mayBegin();
    if (mayWrite) this.#write(this.#exchange.dialect.keepAlive);
    this.#keepAlive.refresh();
  }
}
