import { causedByRequest, type EventTranslator, type Usage, upstreamTimeout } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { asProviderSaid, badGateway } from '@model-gateway/shared/errors';
import type { RoutedProvider } from '../catalog/model-table.ts';
import type { AnswerEvents } from '../http/answer-events.ts';
import { EventStreamWriter } from '../http/event-stream-writer.ts';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import { cleanAnswer, cleanJson, redactedJson } from './redact.ts';
import { requireShallowJson } from './require-shallow-json.ts';
import { SERVER_SENT } from './sse-events.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** A provider has this long to end its answer after its last event: the connection is kept then. */
const END_AFTER_DONE_MS = 1_000;

export interface StreamTimings {
  /** Silence towards the client after which a comment is sent. */
  keepAliveMs: number;
  /** How long a client may read nothing while data waits for it. */
  clientStallMs: number;
}

export interface EventRelayOptions {
  /** One for each answer, because it knows how far that has come. */
  translator(provider: RoutedProvider, upstreamModel: string): EventTranslator;
  /**
   * Returns the usage that the client received; undefined: nothing.
   * @param isLeft the client has ended it, and not the provider
   */
  usage(complete: boolean, isLeft: boolean): Usage | undefined;
  /** The event that ends an incomplete stream, where that is not the one of the caller's API. */
  failure?(error: GatewayError): string | undefined;
}

/**
 * Passes a stream of events on, event by event, with backpressure from the client to the provider. Created
 * before the provider is asked: keep-alives start when it is asked, not with its answer.
 */
export class EventRelay implements AnswerRelay {
  readonly #exchange: AuthenticatedExchange;
  readonly #options: EventRelayOptions;
  readonly #writer: AnswerEvents;
  #current: { answer: UpstreamAnswer; attempt: ProviderAttempt; translator: EventTranslator } | undefined;
  /** Events that were not sent because another one of the same chunk ended the answer, or broke it off. */
  #untold = '';
  #lastEvent = '';

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
      // Until then headers are missing, and a refusal, such as one for money, is told by somebody who knows
      // nothing of events.
      mayBegin: () => exchange.record.attempts.length > 0,
      stallMs: timings.clientStallMs,
    });
    this.#writer = exchange.events;
  }

  get hasBegun(): boolean {
    return this.#writer.hasBegun;
  }

  /** Resolves when the provider has sent its last event; the last ones wait for `finish`. */
  async pass(answer: UpstreamAnswer, attempt: ProviderAttempt): Promise<void> {
    const translator = this.#options.translator(attempt.provider, attempt.attempt.upstreamModel);
    requireEventStream(answer, translator.framing?.contentType ?? SERVER_SENT.contentType);
    this.#current = { answer, attempt, translator };
    this.#writer.source = {
      stalled: () => attempt.call.giveUp(new ClientGone()),
      drained: () => {
        limitSilence(attempt);
        answer.resume();
      },
    };
    try {
      this.#lastEvent = await this.#pump(answer, attempt, translator);
    } catch (failure) {
      // Another attempt may follow, and what it says begins anew.
      if (!this.hasBegun) {
        this.#writer.source = undefined;
        this.#current = undefined;
        this.#untold = '';
      }
      throw failure;
    }
  }

  finish(): void {
    this.#writer.end(this.#untold + this.#lastEvent);
  }

  /**
   * Where a byte is out already, the client is told in an error event and its connection is broken off;
   * otherwise the failure can still be an ordinary error answer.
   */
  fail(failure: unknown): void {
    const { caller, res, record } = this.#exchange;
    if (failure instanceof GatewayError && res.headersSent) {
      const rest = cleanAnswer(this.#current?.translator.rest ?? '', this.#current?.attempt.secrets ?? []);
      const ofCaller = () => caller.errorEvent(failure, record.id);
      this.#writer.breakOff(this.#untold + rest + (this.#options.failure?.(failure) ?? ofCaller()));
    } else {
      this.#writer.stop();
    }
  }

  usage(complete: boolean): Usage | undefined {
    if (!complete && !this.hasBegun) return undefined;
    return this.#options.usage(complete, this.#exchange.stop.signal.reason instanceof ClientGone);
  }

  /** @returns the last event, which is not sent yet */
  #pump(answer: UpstreamAnswer, provider: ProviderAttempt, translator: EventTranslator): Promise<string> {
    const parser = (translator.framing ?? SERVER_SENT).parser(translator.maxEventBytes);
    return new Promise((resolve, reject) => {
      const pass = (chunk: Buffer) => {
        const events = parser.push(chunk);
        if (events.length === 0) return;
        const nowMs = performance.now();
        provider.attempt.firstByteAtMs ??= nowMs;
        limitSilence(provider);
        const { text, done } = this.#translate(events, translator, provider);
        if (done) {
          endQuietly(answer, provider.call);
          resolve(text);
        } else if (text !== '' && !this.#writer.send(text, nowMs)) {
          // The provider is not to blame while the client is behind.
          answer.pause();
          provider.call.endLimit();
        }
      };
      let isBroken = false;
      answer.read({
        onChunk: (chunk) => {
          if (isBroken) return;
          try {
            pass(chunk);
          } catch (thrown) {
            isBroken = true;
            reject(thrown instanceof GatewayError ? cleanError(thrown, provider) : badGateway(thrown));
          }
        },
        onEnd: () => {
          if (isBroken) return;
          try {
            resolve(cleanAnswer(endOf(translator), provider.secrets));
          } catch (thrown) {
            reject(thrown);
          }
        },
        onError: reject,
      });
    });
  }

  /** @returns the events for the client; of the chunk that ends the answer, only the last one */
  #translate(
    events: readonly string[],
    translator: EventTranslator,
    { secrets }: ProviderAttempt,
  ): { text: string; done: boolean } {
    this.#untold = '';
    for (const data of events) {
      requireShallowJson(data);
      // Before it is translated, too: what is written in another form, such as base64, cannot be found any
      // more.
      const translated = translator.translate(cleanJson(data, secrets));
      const text = cleanAnswer(translated.text, secrets);
      if (translated.done) return { text, done: true };
      this.#untold += text;
    }
    const text = this.#untold;
    this.#untold = '';
    return { text, done: false };
  }
}

/** The last of a stream that its provider has ended. @throws GatewayError 502 when that was too early */
function endOf(translator: EventTranslator): string {
  if (translator.mayEnd) return translator.end?.() ?? translator.rest;
  throw translator.failure ?? causedByRequest('the event stream ended before its last event');
}

/** Removes secrets from the provider's own words, which can go to the caller. */
function cleanError(error: GatewayError, { secrets }: ProviderAttempt): GatewayError {
  const { providersBody, status } = error;
  if (providersBody === undefined) return error;
  return asProviderSaid(error, { status, body: redactedJson(providersBody, secrets) ?? '{}' });
}

function limitSilence({ call, provider }: ProviderAttempt): void {
  const { idleMs } = provider.timeouts;
  call.limit(idleMs, () => upstreamTimeout('the next event', idleMs));
}

/** Returns true if an answer says that it comes in server-sent events. */
export function isEventStream({ headers }: UpstreamAnswer): boolean {
  return SERVER_SENT.contentType.test(headers['content-type'] ?? '');
}

function requireEventStream(answer: UpstreamAnswer, contentTypes: RegExp): void {
  if (contentTypes.test(answer.headers['content-type'] ?? '')) return;
  const contentType = String(answer.headers['content-type'] ?? 'nothing');
  const message = `the provider answered ${contentType.slice(0, 100)} instead of an event stream`;
  // Some providers answer with 200 and JSON when they reject something in the request.
  const isJson = /^application\/json\b/i.test(contentType);
  throw isJson ? causedByRequest(message) : badGateway(new Error(message));
}

/** Drains the bytes after the last event, which do not concern the client. */
function endQuietly(answer: UpstreamAnswer, call: UpstreamCall): void {
  call.endLimit();
  const reason = new Error('the provider kept its answer open after its last event');
  const cut = setTimeout(() => call.giveUp(reason), END_AFTER_DONE_MS);
  const forget = () => clearTimeout(cut);
  answer.read({ onChunk: () => undefined, onEnd: forget, onError: forget });
  answer.resume();
}
