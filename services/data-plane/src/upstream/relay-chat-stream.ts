import type { Readable } from 'node:stream';
import { errorBody, GatewayError } from '@model-gateway/shared';
import { EventStreamWriter } from '../http/event-stream-writer.ts';
import { ClientGone, type Exchange, type UpstreamAttempt } from '../request-record.ts';
import { parseChatAnswer, visibleChunk } from './chat-answer.ts';
import type { ChatMeter } from './chat-usage.ts';
import { badGateway, upstreamTimeout } from './provider-errors.ts';
import { SseParser } from './sse-events.ts';
import type { UpstreamCall } from './upstream-call.ts';

const DONE = '[DONE]';
/** A provider that has said [DONE] has this long to end its answer, so that the connection can be used again. */
const END_AFTER_DONE_MS = 1_000;

export interface StreamTimings {
  /** Silence towards the client after which a comment is sent. */
  keepAliveMs: number;
  /** How long a client may read nothing while data waits for it. */
  clientStallMs: number;
}

export interface ChatStreamOptions {
  exchange: Exchange;
  call: UpstreamCall;
  attempt: UpstreamAttempt;
  meter: ChatMeter;
  modelId: string;
  includeUsage: boolean;
  /** Silence between complete events after which the provider counts as hanging. */
  idleMs: number;
  timings: StreamTimings;
  headers: () => Record<string, string>;
  /** Removes our provider credential from text on its way to the client. */
  clean: (text: string) => string;
}

/**
 * Passes a streamed completion on, event by event, with backpressure from the client to the provider.
 * Created before the provider is asked: keep-alives start with the request, not with the provider's answer.
 */
export class ChatStreamRelay {
  readonly #options: ChatStreamOptions;
  readonly #writer: EventStreamWriter;
  #body: Readable | undefined;

  constructor(options: ChatStreamOptions) {
    this.#options = options;
    const { call, exchange, timings } = options;
    this.#writer = new EventStreamWriter(exchange.res, {
      headers: options.headers,
      keepAliveMs: timings.keepAliveMs,
      stallMs: timings.clientStallMs,
      onStalled: () => {
        call.giveUp(new ClientGone());
        exchange.res.destroy();
      },
      onDrain: () => {
        this.#limitSilence();
        this.#body?.resume();
      },
    });
  }

  /**
   * Resolves when the provider said [DONE] and all of it has been handed to the client's connection.
   * @throws when the stream breaks, hangs or holds rubbish; then call `fail`
   */
  async relay(body: Readable): Promise<void> {
    this.#body = body;
    await this.#pump(body);
    this.#writer.end(`data: ${DONE}\n\n`);
  }

  /**
   * Ends a stream that cannot go on. Where a byte is out already, the client is told in an error event and its
   * connection is broken off; otherwise the failure can still be an ordinary error answer.
   */
  fail(failure: unknown): void {
    const { res, record } = this.#options.exchange;
    if (failure instanceof GatewayError && res.headersSent) {
      this.#writer.breakOff(`data: ${JSON.stringify(errorBody(failure, record.id))}\n\n`);
    } else {
      this.#writer.abandon();
    }
  }

  #pump(body: Readable): Promise<void> {
    const { attempt, call } = this.#options;
    const parser = new SseParser();
    return new Promise((resolve, reject) => {
      body.on('data', (chunk: Buffer) => {
        try {
          const events = parser.push(chunk);
          if (events.length === 0) return;
          attempt.firstByteAtMs ??= performance.now();
          this.#limitSilence();
          const { text, done } = this.#translate(events);
          if (text !== '' && !this.#writer.send(text)) {
            // The provider is not to blame while the client is behind.
            body.pause();
            call.endLimit();
          }
          if (!done) return;
          endQuietly(body, call);
          resolve();
        } catch (thrown) {
          reject(thrown instanceof GatewayError ? thrown : badGateway(thrown));
        }
      });
      body.once('end', () => reject(badGateway(new Error('the event stream ended without [DONE]'))));
      body.once('error', reject);
      body.once('close', () => reject(badGateway(new Error('the event stream was closed'))));
    });
  }

  #limitSilence(): void {
    const { call, idleMs } = this.#options;
    call.limit(idleMs, () => upstreamTimeout('the next event', idleMs));
  }

  #translate(events: readonly string[]): { text: string; done: boolean } {
    const { clean, includeUsage, meter, modelId } = this.#options;
    let text = '';
    for (const data of events) {
      if (data === DONE) return { text, done: true };
      const chunk = parseChatAnswer(data);
      meter.report(chunk.usage);
      meter.deliver(chunk.choices);
      const visible = visibleChunk(chunk, modelId, includeUsage);
      if (visible !== undefined) text += `data: ${clean(JSON.stringify(visible))}\n\n`;
    }
    return { text, done: false };
  }
}

/** Whatever follows [DONE] is no concern of the client. */
function endQuietly(body: Readable, call: UpstreamCall): void {
  call.endLimit();
  body.removeAllListeners('data');
  body.on('error', () => undefined);
  const reason = new Error('the provider kept its answer open after [DONE]');
  const cut = setTimeout(() => call.giveUp(reason), END_AFTER_DONE_MS);
  body.once('close', () => clearTimeout(cut));
  body.resume();
}
