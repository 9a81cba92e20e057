import { causedByRequest, type EventTranslator, upstreamTimeout } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { badGateway } from '@model-gateway/shared/errors';
import type { OutputCover } from '../billing/output-cover.ts';
import type { AnswerEvents } from '../http/answer-events.ts';
import { ClientGone, type Exchange } from '../http/exchange.ts';
import { MAX_ANSWER_BYTES } from '../memory/answer-budget.ts';
import type { ProviderAttempt } from './capability-call.ts';
import { responseIdInEvent } from './provider-request-id.ts';
import { cleanAnswer, cleanError, cleanJson } from './redact.ts';
import { requireShallowJson } from './require-shallow-json.ts';
import { SERVER_SENT } from './sse-events.ts';
import { translateEvent } from './translate-event.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** A provider must end its response this soon after its last event, so that the connection can be reused. */
const END_AFTER_DONE_MS = 1_000;

interface EventPumpOptions {
  stop: Exchange['stop'];
  writer: AnswerEvents;
  /** Reserves the output step by step; undefined: all of it is reserved. */
  cover: OutputCover | undefined;
  translator: EventTranslator;
  answer: UpstreamAnswer;
  current: ProviderAttempt;
}

/** Translates the events of one response and sends all but the last. */
export class EventPump {
  readonly #options: EventPumpOptions;
  /** Translated events that were not sent because a later one of the same chunk ended or broke the stream. */
  #unsent = '';
  /** Events that wait while the hold is extended; undefined: it is not being extended. */
  #waiting: string[] | undefined;
  #hasEnded = false;
  #isClientBehind = false;
  #isOver = false;
  readonly #lastEvent = Promise.withResolvers<string>();

  constructor(options: EventPumpOptions) {
    this.#options = options;
  }

  /** Returns events that must precede the last one, or the one of a failure. */
  get unsent(): string {
    return this.#unsent;
  }

  takeUnsent(): string {
    const events = this.#unsent;
    this.#unsent = '';
    return events;
  }

  /** Relays all events but the last. @returns the last event @throws GatewayError; what ended the call */
  run(): Promise<string> {
    const { answer, current, stop, translator } = this.#options;
    const parser = (translator.framing ?? SERVER_SENT).parser(translator.maxEventBytes);
    let bytesForNobody = 0;
    answer.read({
      onChunk: (chunk) => {
        if (this.#isOver) return;
        if (stop.signal.aborted) bytesForNobody += chunk.length;
        if (bytesForNobody > MAX_ANSWER_BYTES) current.call.giveUp(new ClientGone());
        try {
          const events = parser.push(chunk);
          if (this.#waiting !== undefined) this.#waiting.push(...events);
          else if (events.length > 0) this.#pass(events);
        } catch (thrown) {
          this.#break(thrown);
        }
      },
      onEnd: () => {
        this.#hasEnded = true;
        if (this.#waiting === undefined) this.#end();
      },
      onError: (error) => {
        this.#isOver = true;
        this.#lastEvent.reject(error);
      },
    });
    return this.#lastEvent.promise;
  }

  /** Pauses the provider, and its timeout, while the client is behind. */
  pause(): void {
    this.#isClientBehind = true;
    if (this.#isOver) return;
    this.#options.answer.pause();
    this.#options.current.call.endLimit();
  }

  /** Continues after the client has caught up. */
  resume(): void {
    this.#isClientBehind = false;
    if (this.#waiting !== undefined || this.#isOver) return;
    limitSilence(this.#options.current);
    this.#options.answer.resume();
  }

  /** Reserves money for hidden thinking. */
  tick(): void {
    const { cover, current } = this.#options;
    if (cover === undefined || this.#waiting !== undefined || this.#isOver) return;
    cover.countHidden(current.attempt.startedAtMs);
    const extending = cover.extend();
    if (extending !== undefined) this.#waitFor(cover, extending, []);
  }

  #break(thrown: unknown): void {
    this.#isOver = true;
    const { secrets } = this.#options.current;
    this.#lastEvent.reject(thrown instanceof GatewayError ? cleanError(thrown, secrets) : badGateway(thrown));
  }

  #pass(events: readonly string[]): void {
    const { cover, current, translator } = this.#options;
    const nowMs = performance.now();
    if (current.attempt.firstByteAtMs === undefined) {
      current.attempt.firstByteAtMs = nowMs;
      current.attempt.providerRequestId ??= responseIdInEvent(events[0]);
    }
    current.attempt.traced?.addEvents(events);
    // A pause holds the provider only after its next chunk, and its timeout must not run meanwhile.
    if (!this.#isClientBehind) limitSilence(current);
    this.#unsent = '';
    for (let index = 0; index < events.length; index++) {
      const data = events[index] ?? '';
      const deliveredBefore = cover?.deliveredBytes ?? 0;
      requireShallowJson(data);
      // Clean before translation, too, which may encode a secret, for example in base64.
      const translated = translateEvent(translator, cleanJson(data, current.secrets), current.secrets);
      const text = cleanAnswer(translated.text, current.secrets);
      if (cover?.isShort === true) {
        const extending = cover.extend();
        if (extending !== undefined) {
          const held = { deliveredBefore, text, isDone: translated.done };
          this.#flush(nowMs);
          this.#waitFor(cover, extending, events.slice(index + 1), held);
          return;
        }
      }
      if (translated.done) {
        this.#finish(text);
        return;
      }
      this.#unsent += text;
    }
    this.#flush(nowMs);
  }

  #flush(nowMs: number): void {
    const { stop, writer } = this.#options;
    if (this.#unsent !== '' && !stop.signal.aborted) writer.send(this.#unsent, nowMs);
    this.#unsent = '';
  }

  /** Pauses the stream until its hold is extended, or ends it if the money is used up. */
  #waitFor(
    cover: OutputCover,
    extending: Promise<void>,
    events: string[],
    held?: { text: string; isDone: boolean; deliveredBefore: number },
  ): void {
    const { answer, current, stop } = this.#options;
    this.#waiting = events;
    answer.pause();
    current.call.endLimit();
    const deliveredThen = cover.deliveredBytes;
    // However the stream ends meanwhile, the waiting event is not charged.
    cover.deliveredBytes = held?.deliveredBefore ?? deliveredThen;
    const goOn = () => {
      const rest = this.#waiting ?? [];
      this.#waiting = undefined;
      if (this.#isOver) return;
      cover.deliveredBytes = deliveredThen;
      if (held?.isDone === true) {
        this.#finish(held.text);
        return;
      }
      this.#unsent = held?.text ?? '';
      this.#flush(performance.now());
      try {
        if (rest.length > 0) this.#pass(rest);
      } catch (thrown) {
        this.#break(thrown);
      }
      if (this.#waiting !== undefined) return;
      if (this.#hasEnded) this.#end();
      else if (!this.#isClientBehind) this.resume();
    };
    extending.then(goOn, (failure: unknown) => {
      if (this.#isOver) return;
      this.#isOver = true;
      stop.abort(failure);
      this.#lastEvent.reject(failure);
    });
  }

  #finish(lastEvent: string): void {
    this.#isOver = true;
    endQuietly(this.#options.answer, this.#options.current.call);
    this.#lastEvent.resolve(lastEvent);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { current, translator } = this.#options;
    try {
      this.#lastEvent.resolve(cleanAnswer(endOf(translator), current.secrets));
    } catch (thrown) {
      this.#lastEvent.reject(thrown);
    }
  }
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

/** Drains the bytes after the last event, which the client does not need. */
function endQuietly(answer: UpstreamAnswer, call: UpstreamCall): void {
  call.endLimit();
  const reason = new Error('the provider kept its answer open after its last event');
  const cut = setTimeout(() => call.giveUp(reason), END_AFTER_DONE_MS);
  const forget = () => clearTimeout(cut);
  answer.read({ onChunk: () => undefined, onEnd: forget, onError: forget });
  answer.resume();
}
