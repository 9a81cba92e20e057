import { once } from 'node:events';
import type { Dispatcher } from 'undici';
import { ClientGone, type Exchange, type Usage } from '../request-record.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import { badGateway } from './provider-errors.ts';
import type { StreamTimings } from './relay-event-stream.ts';

export interface BytesOptions {
  /** What the client is told. */
  contentType: string;
  /** What the provider may say that it sends; anything else is no answer. */
  accepts: RegExp;
  usage: () => Usage;
}

/** Passes bytes on as they arrive, with backpressure from the client to the provider. */
export class BytesRelay implements AnswerRelay {
  readonly #exchange: Exchange;
  readonly #timings: StreamTimings;
  readonly #options: BytesOptions;
  #delivered = false;

  constructor(exchange: Exchange, timings: StreamTimings, options: BytesOptions) {
    this.#exchange = exchange;
    this.#timings = timings;
    this.#options = options;
  }

  async pass(response: Dispatcher.ResponseData, { attempt, call }: ProviderAttempt): Promise<void> {
    const { res } = this.#exchange;
    const contentType = String(response.headers['content-type'] ?? 'nothing');
    if (!this.#options.accepts.test(contentType)) {
      throw badGateway(new Error(`the provider answered ${contentType.slice(0, 100)}`));
    }
    try {
      for await (const chunk of response.body) {
        attempt.firstByteAtMs ??= performance.now();
        if (!res.headersSent) {
          res.writeHead(200, {
            'content-type': this.#options.contentType,
            [OVERHEAD_HEADER]: overheadMs(this.#exchange),
          });
        }
        this.#delivered = true;
        if (!res.write(chunk)) await this.#drained();
      }
    } catch (thrown) {
      throw call.failure(thrown);
    }
    if (!this.#delivered) throw badGateway(new Error('the provider answered with nothing'));
    attempt.endedAtMs = performance.now();
  }

  finish(): void {
    this.#exchange.res.end();
  }

  /** Bytes cannot carry an error: a connection that is broken off is the only sign that they are not complete. */
  fail(): void {
    if (this.#delivered) this.#exchange.res.destroy();
  }

  usage(): Usage | undefined {
    return this.#delivered ? this.#options.usage() : undefined;
  }

  async #drained(): Promise<void> {
    const { res, stop } = this.#exchange;
    const stalled = AbortSignal.timeout(this.#timings.clientStallMs);
    try {
      await once(res, 'drain', { signal: AbortSignal.any([stop.signal, stalled]) });
    } catch {
      stop.signal.throwIfAborted();
      throw new ClientGone();
    }
  }
}
