import type { EventFraming, EventParser } from '../../interfaces/event-framing.ts';
import type { JsonTranslator } from '../../interfaces/response-translators.ts';
import { writeExactJson } from '../../json/exact-json.ts';
import { isObject, type JsonObject, objectOr } from '../../json/json-object.ts';
import { parseBoundedExactJson } from '../../json/parse-bounded-json.ts';
import { withMembers } from '../../json/with-members.ts';

/**
 * A guardrail replaces the output by its own text, and reports that in a member or a stop reason that
 * Messages lacks. Callers get the stop reason `refusal`.
 * Source: "Use a guardrail with inference operations" in Bedrock's user guide.
 */
const ACTION = 'amazon-bedrock-guardrailAction';
const INTERVENED = 'INTERVENED';
const STOP_REASON = 'guardrail_intervened';
const REFUSAL = 'refusal';

/** Ignores large responses: a guardrail writes a sentence or two. */
export function guardedAnswer(translator: JsonTranslator): JsonTranslator {
  return {
    ...translator,
    whole: (value, text) => {
      if (!isObject(value) || !(hasIntervened(value) || value.stop_reason === STOP_REASON))
        return translator.whole(value, text);
      const refused = new Map([['stop_reason', JSON.stringify(REFUSAL)]]);
      return translator.whole({ ...value, stop_reason: REFUSAL }, withMembers(text, value, refused));
    },
  };
}

export function guardedEvents({ contentType, parser }: EventFraming): EventFraming {
  return { contentType, parser: (maxEventBytes) => new GuardedEvents(parser(maxEventBytes)) };
}

/** Delays the event with the finish reason: only the event after it says that a guardrail intervened. */
class GuardedEvents implements EventParser {
  readonly #events: EventParser;
  #hasIntervened = false;
  /** The delayed event with the finish reason. */
  #held: string | undefined;

  constructor(events: EventParser) {
    this.#events = events;
  }

  push(chunk: Buffer): string[] {
    return this.#events.push(chunk).flatMap((data) => this.#next(data));
  }

  #next(data: string): string[] {
    // Most events are neither, and are parsed only once, by the translator.
    if (data.includes(ACTION) && hasIntervened(objectIn(data))) this.#hasIntervened = true;
    const ready = this.#release();
    if (!data.includes('"message_delta"')) return [...ready, data];
    this.#held = data;
    return ready;
  }

  #release(): string[] {
    const held = this.#held;
    if (held === undefined) return [];
    this.#held = undefined;
    const event = objectIn(held);
    const delta = objectOr(event.delta);
    if (!this.#hasIntervened && delta.stop_reason !== STOP_REASON) return [held];
    return [writeExactJson({ ...event, delta: { ...delta, stop_reason: REFUSAL } })];
  }
}

function hasIntervened({ [ACTION]: action }: JsonObject): boolean {
  return action === INTERVENED;
}

/** Returns `{}` for invalid JSON, which the translator reports. */
function objectIn(data: string): JsonObject {
  return objectOr(parseBoundedExactJson(data));
}
