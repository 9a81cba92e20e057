import { ChunkedWrites } from './chunked-writes.ts';
import type { Exchange } from './exchange.ts';
import { SlowReader } from './slow-reader.ts';

interface EventSource {
  /** Called when the client has read nothing for too long; its connection is then closed. */
  stalled(): void;
  /** Called when the client has caught up. */
  drained(): void;
}

export interface EventStreamOptions {
  /** The headers of the answer, asked for when the first byte is sent. */
  headers: () => Record<string, string>;
  /** After this silence, text without meaning is sent to keep connections open. */
  keepAliveMs: number;
  /** True if such text may be sent first: after it a failure can no longer be an ordinary error answer. */
  mayBegin: () => boolean;
  /** How long a client may read nothing while data waits for it. */
  stallMs: number;
}

/**
 * Writes the server-sent events of one exchange, whoever is asked for them in turn. Nothing is sent before
 * the first event or the first keep-alive, so that an earlier failure can still be an ordinary error answer.
 * Its timers end with the exchange at the latest, because many requests are refused after this was made for
 * them.
 */
export class EventStreamWriter {
  readonly #exchange: Exchange;
  readonly #options: EventStreamOptions;
  readonly #reader: SlowReader;
  #keepAlive: NodeJS.Timeout;
  /** When something was sent last, by `performance.now()`. */
  #sentAtMs = performance.now();
  #writes: ChunkedWrites | undefined;
  #cut: NodeJS.Timeout | undefined;
  source: EventSource | undefined;
  #hasBegun = false;

  constructor(exchange: Exchange, options: EventStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#reader = new SlowReader(exchange, {
      stallMs: options.stallMs,
      onStalled: () => {
        this.source?.stalled();
        exchange.res.destroy();
      },
      onDrain: () => this.source?.drained(),
    });
    this.#keepAlive = setTimeout(this.#onSilence, options.keepAliveMs);
    exchange.ends.push(() => {
      this.stop();
      clearTimeout(this.#cut);
    });
  }

  /** Returns true once the client has received an event; keep-alives do not count. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /**
   * @param events complete events; `nowMs`: `performance.now()`
   * @returns false if the client is behind: `source.drained` is called once it has caught up
   */
  send(events: string, nowMs: number): boolean {
    this.#sentAtMs = nowMs;
    this.#hasBegun = true;
    return this.#write(events);
  }

  end(lastEvents: string): void {
    this.stop();
    this.#start().end(lastEvents);
  }

  /** Sends a last event and cuts the connection within the body, so that it cannot look complete. */
  breakOff(lastEvent: string): void {
    this.stop();
    const { res } = this.#exchange;
    const { socket } = res;
    if (res.destroyed || socket === null) return;
    this.#start().write(lastEvent, () => socket.destroySoon());
    // A client that reads nothing must not keep the connection open.
    this.#cut = setTimeout(() => socket.destroy(), this.#options.stallMs);
    this.#cut.unref();
  }

  /** Frees the timers. Call this when the error is written elsewhere. */
  stop(): void {
    clearTimeout(this.#keepAlive);
    this.#reader.end();
  }

  #write(text: string): boolean {
    const keepsUp = this.#start().write(text);
    if (!keepsUp) this.#reader.wait();
    return keepsUp;
  }

  #start(): ChunkedWrites {
    if (this.#writes !== undefined) return this.#writes;
    const { res } = this.#exchange;
    res.writeHead(200, this.#options.headers());
    // Written by itself, the head becomes one string. In one with the first event, its dozens of parts would
    // be kept for as long as the stream runs. Both leave in one packet all the same.
    res.cork();
    res.flushHeaders();
    process.nextTick(() => res.uncork());
    this.#writes = new ChunkedWrites(res);
    return this.#writes;
  }

  /**
   * The timer is not set anew for each chunk: it looks how long the silence has lasted, and waits for the
   * rest.
   */
  readonly #onSilence = () => {
    const { keepAliveMs, mayBegin } = this.#options;
    const leftMs = this.#sentAtMs + keepAliveMs - performance.now();
    if (leftMs > 0) {
      this.#keepAlive = setTimeout(this.#onSilence, Math.ceil(leftMs));
      return;
    }
    const { res } = this.#exchange;
    const mayWrite = res.headersSent ? !res.writableNeedDrain : mayBegin();
    if (mayWrite) this.#write(this.#exchange.caller.keepAlive);
    this.#keepAlive = setTimeout(this.#onSilence, keepAliveMs);
  };
}
