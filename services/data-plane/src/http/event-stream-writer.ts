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
  /** Events to send with the next `#flush`. */
  #unwritten = '';
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

  send(events: string, nowMs: number): void {
    this.#sentAtMs = nowMs;
    this.#hasBegun = true;
    this.#write(events);
  }

  end(lastEvents: string): void {
    this.#open().end(this.#takeUnwritten() + lastEvents);
    this.stop();
  }

  breakOff(lastEvent: string): void {
    const events = this.#takeUnwritten() + lastEvent;
    this.stop();
    const { res } = this.#exchange;
    const { socket } = res;
    if (res.destroyed || socket === null) return;
    this.#open().write(events, () => socket.destroySoon());
    res.uncork();
    // A client that reads nothing must not hold the connection.
    this.#cut = setTimeout(() => socket.destroy(), this.#options.stallMs);
    this.#cut.unref();
  }

  stop(): void {
    clearTimeout(this.#keepAlive);
    this.#reader.end();
    this.#unwritten = '';
  }

  /** Joins events of one tick, because a write costs more than all else. Node sends them no later for it. */
  #write(events: string): void {
    if (this.#unwritten === '') {
      this.#open();
      process.nextTick(this.#flush);
    }
    this.#unwritten += events;
  }

  readonly #flush = () => {
    const { res } = this.#exchange;
    const events = this.#takeUnwritten();
    const keepsUp = events === '' || this.#writes?.write(events) === true;
    res.uncork();
    if (keepsUp) return;
    this.#reader.wait();
    this.source?.fellBehind();
  };

  #takeUnwritten(): string {
    const events = this.#unwritten;
    this.#unwritten = '';
    return events;
  }

  /** Corks the response, so that all of it leaves in one socket write, and writes the head once. */
  #open(): ChunkedWrites {
    const { res } = this.#exchange;
    res.cork();
    if (this.#writes !== undefined) return this.#writes;
    res.writeHead(200, this.#options.headers());
    // Flush the head alone, as one string: with the first event, Node would keep its dozens of parts for as
    // long as the stream runs.
    res.flushHeaders();
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
