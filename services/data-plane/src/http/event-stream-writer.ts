import type { AnswerEvents, EventSource } from './answer-events.ts';
import { ChunkedWrites } from './chunked-writes.ts';
import type { Exchange } from './exchange.ts';
import { SlowReader } from './slow-reader.ts';

export interface EventStreamOptions {
  /** Builds the response headers, when the first byte is sent. */
  headers: () => Record<string, string>;
  /** A keep-alive is sent after this silence. */
  keepAliveMs: number;
  /**
   * Returns true if a keep-alive may start the response. After it, a failure cannot be an ordinary error
   * response.
   */
  mayBegin: () => boolean;
  /** How long a client may read nothing while data waits for it. */
  stallMs: number;
}

/**
 * Writes the server-sent events of one exchange. Sends nothing before the first event or keep-alive, so that
 * an earlier failure can still be an ordinary error response. Its timers end with the exchange.
 */
export class EventStreamWriter implements AnswerEvents {
  readonly #exchange: Exchange;
  readonly #options: EventStreamOptions;
  readonly #reader: SlowReader;
  #keepAlive: NodeJS.Timeout;
  /** Time of the last write, by `performance.now()`. */
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

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  send(events: string, nowMs: number): boolean {
    this.#sentAtMs = nowMs;
    this.#hasBegun = true;
    return this.#write(events);
  }

  end(lastEvents: string): void {
    this.stop();
    this.#start().end(lastEvents);
  }

  breakOff(lastEvent: string): void {
    this.stop();
    const { res } = this.#exchange;
    const { socket } = res;
    if (res.destroyed || socket === null) return;
    this.#start().write(lastEvent, () => socket.destroySoon());
    // A client that reads nothing must not hold the connection.
    this.#cut = setTimeout(() => socket.destroy(), this.#options.stallMs);
    this.#cut.unref();
  }

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
    // Flush the head alone, as one string: with the first event, Node would keep its dozens of parts for as
    // long as the stream runs. `cork` still puts both in one packet.
    res.cork();
    res.flushHeaders();
    process.nextTick(() => res.uncork());
    this.#writes = new ChunkedWrites(res);
    return this.#writes;
  }

  /** Restarts the timer for the rest of the silence, instead of resetting it for each chunk. */
  readonly #onSilence = () => {
    const { keepAliveMs, mayBegin } = this.#options;
    const leftMs = this.#sentAtMs + keepAliveMs - performance.now();
    if (leftMs > 0) {
      this.#keepAlive = setTimeout(this.#onSilence, Math.ceil(leftMs));
      return;
    }
    const { res } = this.#exchange;
    // The client has left, and the response is only read for its usage.
    if (res.destroyed) return;
    const mayWrite = res.headersSent ? !res.writableNeedDrain : mayBegin();
    if (mayWrite) this.#write(this.#exchange.caller.keepAlive);
    this.#keepAlive = setTimeout(this.#onSilence, keepAliveMs);
  };
}
