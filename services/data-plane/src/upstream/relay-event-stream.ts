import type { IncomingHttpHeaders } from 'node:http';
import type { ChatApi, EventTranslator, Usage } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import type { OutputCover } from '../billing/output-cover.ts';
import type { RoutedProvider } from '../catalog/model-table.ts';
import { GuardedEvents } from '../guardrails/guarded-events.ts';
import type { AnswerEvents } from '../http/answer-events.ts';
import { EventStreamWriter } from '../http/event-stream-writer.ts';
import { type AuthenticatedExchange, ClientGone } from '../http/exchange.ts';
import type { AnswerRelay, ProviderAttempt } from './capability-call.ts';
import { EventPump } from './event-pump.ts';
import { OVERHEAD_HEADER, overheadMs } from './overhead.ts';
import { cleanAnswer } from './redact.ts';
import { SERVER_SENT } from './sse-events.ts';
import { unexpectedResponse } from './unexpected-response.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

export interface StreamTimings {
  /** A keep-alive is sent after this silence. */
  keepAliveMs: number;
  /** How long a client may read nothing while data waits for it. */
  clientStallMs: number;
}

export interface EventRelayOptions {
  /** The caller's API, for guardrails. Left out: its events are not checked. */
  api?: ChatApi | undefined;
  /** True if the caller of the stream asked for its usage. Left out: as its API does. */
  showsUsage?: boolean;
  /** Creates a translator, which holds the state of one response. @param headers of the response */
  translator(provider: RoutedProvider, upstreamModel: string, headers: IncomingHttpHeaders): EventTranslator;
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
  /** Reserves the output step by step; undefined: all of it is reserved. */
  cover?: OutputCover | undefined;
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
  #pump: EventPump | undefined;
  /** Holds back what guardrails have not checked; undefined: nothing is checked. */
  #guarded: GuardedEvents | undefined;
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
    const { attempt, provider } = current;
    const translator = this.#options.translator(provider, attempt.upstreamModel, answer.headers);
    const { contentType } = translator.framing ?? SERVER_SENT;
    if (!contentType.test(answer.headers['content-type'] ?? ''))
      throw await unexpectedResponse(answer, current);
    this.#current = { attempt: current, translator };
    const { cover } = this.#options;
    const { stop } = this.#exchange;
    const guarded = this.#guardedEvents();
    const writer = guarded ?? this.#writer;
    const pump = new EventPump({ answer, cover, current, stop, translator, writer });
    this.#pump = pump;
    writer.source = {
      stalled: () => stop.abort(new ClientGone()),
      fellBehind: () => pump.pause(),
      drained: () => pump.resume(),
    };
    current.call.onLeft = () => {
      guarded?.stop();
      this.#writer.stop();
      this.#usageWhenLeft = this.usage(false);
      pump.resume();
    };
    if (current.call.leftAtMs !== undefined) current.call.onLeft();
    try {
      this.#lastEvent = await pump.run();
      this.#isWhole = true;
      if (guarded !== undefined) this.#lastEvent = await guarded.finish(pump.takeUnsent() + this.#lastEvent);
    } catch (failure) {
      // Another attempt may follow, and starts anew. If none does, a failure must not continue these events.
      if (!this.hasBegun && !isUsedUp(stop.signal.reason) && !isWithheld(failure)) {
        guarded?.stop();
        this.#guarded = undefined;
        this.#options.restart?.();
        this.#writer.source = undefined;
        this.#current = undefined;
        this.#pump = undefined;
      }
      throw failure;
    }
  }

  finish(): void {
    this.#writer.end((this.#pump?.unsent ?? '') + this.#lastEvent);
  }

  /**
   * After the first byte, sends an error event and breaks the connection off. Before, the failure can still
   * be an ordinary error response.
   */
  fail(failure: unknown): void {
    const { caller, res, record } = this.#exchange;
    const guarded = this.#guarded;
    guarded?.stop();
    if (failure instanceof GatewayError && res.headersSent && guarded !== undefined) {
      if (failure.code === 'content_blocked') {
        guarded.refuse(this.#options.showsUsage === false ? undefined : this.usage(false));
        return;
      }
      // What waits, and what an event of the failure repeats, is not checked.
      guarded.breakOff(this.#options.failure?.(failure) ?? caller.errorEvent(failure, record.id));
    } else if (failure instanceof GatewayError && res.headersSent) {
      const rest = cleanAnswer(this.#current?.translator.rest ?? '', this.#current?.attempt.secrets ?? []);
      const callerEvent = () => caller.errorEvent(failure, record.id);
      const unsent = this.#pump?.unsent ?? '';
      this.#writer.breakOff(unsent + rest + (this.#options.failure?.(failure) ?? callerEvent()));
    } else {
      this.#writer.stop();
    }
  }

  #guardedEvents(): GuardedEvents | undefined {
    const { guard, stop } = this.#exchange;
    const { api } = this.#options;
    if (guard === undefined || api === undefined) return undefined;
    const onFailure = (failure: unknown) => stop.abort(failure);
    this.#guarded = new GuardedEvents({ api, guard, writer: this.#writer, onFailure });
    return this.#guarded;
  }

  tick(): void {
    this.#pump?.tick();
  }

  usage(complete: boolean): Usage | undefined {
    if (complete || this.#isWhole) return this.#options.usage(true);
    const { signal } = this.#exchange.stop;
    const isCharged = isCausedByCaller(signal.reason) || isWithheld(signal.reason);
    const sentAtMs = isCharged ? this.#current?.attempt.attempt.startedAtMs : undefined;
    if (!this.hasBegun && sentAtMs === undefined) return undefined;
    const usage = this.#options.usage(false, sentAtMs);
    // Output that came after the client had left is not charged, unless the provider counts it.
    return usage?.source === 'estimated' ? (this.#usageWhenLeft ?? usage) : usage;
  }
}

/** Returns true if the caller ended its stream: it left, its key was revoked, or its balance is used up. */
function isCausedByCaller(reason: unknown): boolean {
  const isRevoked = reason instanceof GatewayError && reason.status === 401;
  return reason instanceof ClientGone || isRevoked || isUsedUp(reason);
}

/** Returns true if a guardrail withheld the response, which the provider bills all the same. */
function isWithheld(reason: unknown): boolean {
  return (
    reason instanceof GatewayError &&
    (reason.code === 'content_blocked' || reason.code === 'guardrail_unavailable')
  );
}

function isUsedUp(reason: unknown): boolean {
  return reason instanceof GatewayError && reason.status === 402;
}

/** Returns true if the content type is that of server-sent events. */
export function isEventStream({ headers }: UpstreamAnswer): boolean {
  return SERVER_SENT.contentType.test(headers['content-type'] ?? '');
}
