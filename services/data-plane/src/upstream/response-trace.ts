import { isObject } from '@model-gateway/dialects';
import type { ResponseFacts, TracedResponse } from '../request-trace.ts';
import { responseIdIn, responseIdInEvent } from './provider-request-id.ts';

/** The end of a stream may be spread over as many chunks: a finish reason, a usage, a marker. */
const MAX_CHUNKS = 4;
/** Longer events hold a whole response, and parsing them would delay other requests. */
const MAX_EVENT_LENGTH = 64 * 1024;
/** Other text is no reason, and could be content. */
const REASON = /^[\w-]{1,64}$/;
const UNFINISHED: ReadonlySet<unknown> = new Set(['queued', 'in_progress']);

/** Remembers what the span of an attempt tells about the response. Parses events only when it is read. */
export class ResponseTrace implements TracedResponse {
  #id: string | undefined;
  /** By the index of the choice. */
  readonly #reasons = new Map<number, string>();
  #firstEvent: string | undefined;
  /** The events of the last chunks. */
  readonly #recent: (readonly string[])[] = [];
  #chunks = 0;

  addWhole(value: unknown): void {
    this.#id = responseIdIn(value);
    this.#addReasons(value);
  }

  addEvents(events: readonly string[]): void {
    this.#firstEvent ??= events[0];
    this.#recent[this.#chunks % MAX_CHUNKS] = events;
    this.#chunks += 1;
  }

  read(): ResponseFacts {
    if (this.#firstEvent !== undefined) this.#id = responseIdInEvent(this.#firstEvent);
    for (const event of this.#recent.flat()) {
      if (event.length <= MAX_EVENT_LENGTH) this.#addReasons(parsed(event));
    }
    const reasons = [...this.#reasons].sort(([a], [b]) => a - b).map(([, reason]) => reason);
    return { id: this.#id, finishReasons: reasons.length === 0 ? undefined : reasons };
  }

  #addReasons(value: unknown): void {
    if (!isObject(value)) return;
    const choices = value.choices ?? value.candidates;
    if (Array.isArray(choices)) {
      for (const [at, choice] of choices.entries())
        if (isObject(choice)) this.#addReason(Number(choice.index ?? at), reasonIn(choice));
      return;
    }
    for (const place of [value, value.delta, value.messageStop, value.response])
      if (isObject(place)) this.#addReason(0, reasonIn(place));
  }

  #addReason(choice: number, reason: unknown): void {
    if (typeof reason === 'string' && REASON.test(reason)) this.#reasons.set(choice, reason);
  }
}

/** Finds the reason in the form of any provider's API. */
function reasonIn(place: Readonly<Record<string, unknown>>): unknown {
  const { incomplete_details: incomplete, object, status } = place;
  if (object !== 'response')
    return place.finish_reason ?? place.finishReason ?? place.stop_reason ?? place.stopReason;
  if (UNFINISHED.has(status)) return undefined;
  return isObject(incomplete) ? incomplete.reason : status;
}

function parsed(event: string): unknown {
  try {
    return JSON.parse(event);
  } catch {
    return undefined;
  }
}
