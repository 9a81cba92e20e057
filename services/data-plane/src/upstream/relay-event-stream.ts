import { causedByRequest, type EventTranslator, type Usage, upstreamTimeout } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { AnswerEvents } from '../http/answer-events.ts';
import { EventStreamWriter } from '../http/event-stream-writer.ts';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import { MAX_ANSWER_BYTES } from '../memory/answer-budget.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import { cleanAnswer, cleanError, cleanJson } from './redact.ts';
import { requireShallowJson } from './require-shallow-json.ts';
import { SERVER_SENT } from './sse-events.ts';
import { translateEvent } from './translate-event.ts';
import { unexpectedResponse } from './unexpected-response.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

/**
 * How long a provider may take to end its response after its last event, so that the connection can be
 * reused.
 */
const END_AFTER_DONE_MS = 1_000;

export interface StreamTimings {
  /** A keep-alive is sent after this silence. */
  keepAliveMs: number;
  /** How long a client may read nothing while data waits for it. */
  clientStallMs: number;
}

export interface EventRelayOptions {
  /** Creates a translator, which holds the state of one response. */
  translator(provider: RoutedProvider, upstreamModel: string): EventTranslator;
  /**
   * Returns the usage that the client received; undefined if none.
   * @param sentAtMs when the request was sent, if the client, not the provider, ended the stream: what the
   *   provider did until now counts, too
   */
  usage(complete: boolean, sentAtMs?: number): Usage | undefined;
  /** Forgets what was translated: none of it was sent. */
  restart?(): void;
  /** Builds the event that ends an incomplete stream, instead of the caller API's own. */
  failure?(error: GatewayError): string | undefined;
}

/**
 * Relays a stream event by event, with backpressure from the client to the provider. Created before the
 * provider is called, so that keep-alives start early.
 */
export class EventRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #options: EventRelayOptions;
  readonly #writer: AnswerEvents;
  #current: { attempt: ProviderAttempt; translator: EventTranslator } | undefined;
  /** Translated events that were not sent because a later one of the same chunk ended or broke the stream. */
  #unsent = '';
  #lastEvent = '';
  #isWhole = false;
  /** Usage when the client left. */
  #usageWhenLeft: Usage | undefined;

  constructor(exchange: AuthenticatedExchange, timings: StreamTimings, options: EventRelayOptions) {
    this.#exchange = exchange;
    this.#options = options;
    exchange.events ??= new EventStreamWriter(exchange, {
      headers: () => ({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
        [OVERHEAD_HEADER]: overheadMs(exchange),
      }),
      keepAliveMs: timings.keepAliveMs,
      // Before the first attempt, headers are missing, and a refusal must still be an ordinary error
      // response.
      mayBegin: () => exchange.record.attempts.length > 0,
      stallMs: timings.clientStallMs,
    });
    this.#writer = exchange.events;
  }

  get hasBegun(): boolean {
    return this.#writer.hasBegun;
  }

  /** Resolves after the provider's last event, which `finish` sends. */
  async pass(answer: UpstreamAnswer, current: ProviderAttempt): Promise<void> {
    const translator = this.#options.translator(current.provider, current.attempt.upstreamModel);
    const { contentType } = translator.framing ?? SERVER_SENT;
    if (!contentType.test(answer.headers['content-type'] ?? ''))
      throw await unexpectedResponse(answer, current);
    this.#current = { attempt: current, translator };
    const drained = () => {
      limitSilence(current);
      answer.resume();
    };
    this.#writer.source = { stalled: () => this.#exchange.stop.abort(new ClientGone()), drained };
    current.call.onLeft = () => {
      this.#writer.stop();
      this.#usageWhenLeft = this.usage(false);
      drained();
    };
    if (current.call.leftAtMs !== undefined) current.call.onLeft();
    try {
      this.#lastEvent = await this.#pump(answer, current, translator);
      this.#isWhole = true;
    } catch (failure) {
      // Another attempt may follow, and starts anew. If none does, a failure must not continue these events.
      if (!this.hasBegun) {
        this.#options.restart?.();
        this.#writer.source = undefined;
        this.#current = undefined;
        this.#unsent = '';
      }
      throw failure;
    }
  }

  finish(): void {
    this.#writer.end(this.#unsent + this.#lastEvent);
  }

  /**
   * After the first byte, sends an error event and breaks the connection off. Before, the failure can still
   * be an ordinary error response.
   */
  fail(failure: unknown): void {
    const { caller, res, record } = this.#exchange;
    if (failure instanceof GatewayError && res.headersSent) {
      const rest = cleanAnswer(this.#current?.translator.rest ?? '', this.#current?.attempt.secrets ?? []);
      const callerEvent = () => caller.errorEvent(failure, record.id);
      this.#writer.breakOff(this.#unsent + rest + (this.#options.failure?.(failure) ?? callerEvent()));
    } else {
      this.#writer.stop();
    }
  }

  usage(complete: boolean): Usage | undefined {
    if (complete || this.#isWhole) return this.#options.usage(true);
    const { signal } = this.#exchange.stop;
    const sentAtMs = isCausedByCaller(signal.reason) ? this.#current?.attempt.attempt.startedAtMs : undefined;
    if (!this.hasBegun && sentAtMs === undefined) return undefined;
    const usage = this.#options.usage(false, sentAtMs);
    // Output that came after the client had left is not charged, unless the provider counts it.
    return usage?.source === 'estimated' ? (this.#usageWhenLeft ?? usage) : usage;
  }

  /** Relays all events but the last. @returns the last event */
  #pump(answer: UpstreamAnswer, current: ProviderAttempt, translator: EventTranslator): Promise<string> {
    const parser = (translator.framing ?? SERVER_SENT).parser(translator.maxEventBytes);
    const { stop } = this.#exchange;
    return new Promise((resolve, reject) => {
      const pass = (chunk: Buffer) => {
        const events = parser.push(chunk);
        if (events.length === 0) return;
        const nowMs = performance.now();
        current.attempt.firstByteAtMs ??= nowMs;
        limitSilence(current);
        const { text, done } = this.#translate(events, translator, current);
        if (done) {
          endQuietly(answer, current.call);
          resolve(text);
        } else if (text !== '' && !stop.signal.aborted && !this.#writer.send(text, nowMs)) {
          // The provider's timeout pauses while the client is behind.
          answer.pause();
          current.call.endLimit();
        }
      };
      let isBroken = false;
      let bytesForNobody = 0;
      answer.read({
        onChunk: (chunk) => {
          if (isBroken) return;
          if (stop.signal.aborted) bytesForNobody += chunk.length;
          if (bytesForNobody > MAX_ANSWER_BYTES) current.call.giveUp(new ClientGone());
          try {
            pass(chunk);
          } catch (thrown) {
            isBroken = true;
            reject(thrown instanceof GatewayError ? cleanError(thrown, current.secrets) : badGateway(thrown));
          }
        },
        onEnd: () => {
          if (isBroken) return;
          try {
            resolve(cleanAnswer(endOf(translator), current.secrets));
          } catch (thrown) {
            reject(thrown);
          }
        },
        onError: reject,
      });
    });
  }

  /**
   * Translates the events of a chunk.
   * @returns their text; for the chunk that ends the stream, only the last event; `#unsent` has the others
   */
  #translate(
    events: readonly string[],
    translator: EventTranslator,
    { secrets }: ProviderAttempt,
  ): { text: string; done: boolean } {
    this.#unsent = '';
    for (const data of events) {
      requireShallowJson(data);
      // Also clean before translation, which may encode a secret, for example in base64.
      const translated = translateEvent(translator, cleanJson(data, secrets), secrets);
      const text = cleanAnswer(translated.text, secrets);
      if (translated.done) return { text, done: true };
      this.#unsent += text;
    }
    const text = this.#unsent;
    this.#unsent = '';
    return { text, done: false };
  }
}

/** Returns true if the caller ended its stream, by leaving or by revoking its key. */
function isCausedByCaller(reason: unknown): boolean {
  return reason instanceof ClientGone || (reason instanceof GatewayError && reason.status === 401);
}

/** Returns the rest of a stream that its provider ended. @throws GatewayError 502 if that was too early */
function endOf(translator: EventTranslator): string {
  if (translator.mayEnd) return translator.end?.() ?? translator.rest;
  throw translator.failure ?? causedByRequest('the event stream ended before its last event');
}

function limitSilence({ call, provider }: ProviderAttempt): void {
  const { idleMs } = provider.timeouts;
  call.limit(idleMs, () => upstreamTimeout('the next event', idleMs));
}

/** Returns true if the content type is that of server-sent events. */
export function isEventStream({ headers }: UpstreamAnswer): boolean {
  return SERVER_SENT.contentType.test(headers['content-type'] ?? '');
}

/** Drains the bytes after the last event, which the client does not need. */
function endQuietly(answer: UpstreamAnswer, call: UpstreamCall): void {
  call.endLimit();
  const reason = new Error('the provider kept its answer open after its last event');
  const cut = setTimeout(() => call.giveUp(reason), END_AFTER_DONE_MS);
  const forget = () => clearTimeout(cut);
  answer.read({ onChunk: () => undefined, onEnd: forget, onError: forget });
  answer.resume();
}
