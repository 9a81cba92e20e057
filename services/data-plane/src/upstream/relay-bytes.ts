import { type Usage, wrongContentType } from '@model-gateway/dialects';
import { badGateway } from '@model-gateway/shared/errors';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import { SlowReader } from '../http/slow-reader.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import type { StreamTimings } from './relay-event-stream.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

export interface BytesOptions {
  contentType: string;
  /** Accepted content types of the provider. */
  accepts: RegExp;
  usage: () => Usage;
}

/** Relays bytes as they arrive, with backpressure from the client to the provider. */
export class BytesRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #timings: StreamTimings;
  readonly #options: BytesOptions;
  #isDelivered = false;

  constructor(exchange: AuthenticatedExchange, timings: StreamTimings, options: BytesOptions) {
    this.#exchange = exchange;
    this.#timings = timings;
    this.#options = options;
  }

  async pass(answer: UpstreamAnswer, { attempt, call }: ProviderAttempt): Promise<void> {
    const contentType = answer.headers['content-type'];
    if (!this.#options.accepts.test(contentType ?? 'nothing'))
      throw wrongContentType(contentType, this.#options.contentType);
    await new Promise<void>((resolve, reject) => {
      const reader = new SlowReader(this.#exchange, {
        stallMs: this.#timings.clientStallMs,
        onDrain: () => {
          call.resumeTimeout();
          answer.resume();
        },
        onStalled: () => this.#exchange.res.destroy(),
      });
      // The usage is known once a byte has arrived. Nothing more is read for a client that has left.
      const endWhenCounted = () => this.#isDelivered && call.giveUp(new ClientGone());
      call.onLeft = endWhenCounted;
      answer.read({
        onChunk: (chunk) => {
          attempt.firstByteAtMs ??= performance.now();
          if (call.leftAtMs !== undefined) {
            this.#isDelivered = true;
            endWhenCounted();
            return;
          }
          if (this.#write(chunk)) return;
          answer.pause();
          call.pauseTimeout();
          reader.wait();
        },
        onEnd: resolve,
        onError: (thrown) => reject(call.failure(thrown)),
      });
    });
    if (!this.#isDelivered) throw badGateway(new Error('the provider answered with nothing'));
    attempt.endedAtMs = performance.now();
  }

  get hasBegun(): boolean {
    return this.#isDelivered;
  }

  finish(): void {
    this.#exchange.res.end();
  }

  /** Bytes cannot carry an error: only a broken connection shows that they are incomplete. */
  fail(): void {
    if (this.#isDelivered) this.#exchange.res.destroy();
  }

  usage(): Usage | undefined {
    return this.#isDelivered ? this.#options.usage() : undefined;
  }

  /** @returns false when the client is behind */
  #write(chunk: Buffer): boolean {
    const { res } = this.#exchange;
    if (!res.headersSent) {
      res.writeHead(200, {
        'content-type': this.#options.contentType,
        [OVERHEAD_HEADER]: overheadMs(this.#exchange),
      });
    }
    this.#isDelivered = true;
    return res.write(chunk);
  }
}
