import { type ChatApi, isObject, type TextPlace } from '@model-gateway/dialects';
import type { AnswerGuard } from '../http/answer-guard.ts';
import type { HeldEvent } from './held-text.ts';

/** Only Responses repeats longer texts. */
const MAX_SOURCE = 1_024;

/** A whole text of a held event. */
export interface WholeText {
  held: HeldEvent;
  place: TextPlace;
}

/** The texts of a stream that come whole, in order. */
export class WholeTexts {
  readonly #api: ChatApi;
  readonly #guard: Pick<AnswerGuard, 'replacedResponse'>;
  /** Not checked yet. */
  readonly #waiting: WholeText[] = [];
  /**
   * Sent texts by what they replace: Responses repeats every text, and some providers repeat their sources in
   * every event.
   */
  readonly #known = new Map<string, string>();

  constructor(api: ChatApi, guard: Pick<AnswerGuard, 'replacedResponse'>) {
    this.#api = api;
    this.#guard = guard;
  }

  add(whole: WholeText): void {
    this.#waiting.push(whole);
  }

  /** Takes the texts to check: those that no unchecked piece precedes and that repeat no sent text. */
  take(queue: readonly HeldEvent[]): WholeText[] {
    const taken: WholeText[] = [];
    let count = 0;
    for (const held of queue) {
      const takenBefore = taken.length;
      for (let next = this.#waiting[count]; next?.held === held; next = this.#waiting[count]) {
        count += 1;
        const known = this.#known.get(keyOf(next.place, next.place.text));
        if (known === undefined) taken.push(next);
        else this.put(next, known);
      }
      if (held.unchecked > taken.length - takenBefore) break;
    }
    this.#waiting.splice(0, count);
    return taken;
  }

  /** Puts a checked text into its event. */
  put({ held, place }: WholeText, text: string): void {
    held.unchecked -= 1;
    this.remember(place, place.text, text);
    if (text === place.text) return;
    held.isChanged = true;
    place.put(text);
    const response = held.event.value?.response;
    if (isObject(response)) this.#guard.replacedResponse = response;
  }

  remember(place: Pick<TextPlace, 'call' | 'kind'>, text: string, sent: string): void {
    if (this.#api !== 'responses' && text.length > MAX_SOURCE) return;
    this.#known.set(keyOf(place, text), sent);
    // Events that end the arguments of a call do not name its tool.
    this.#known.set(keyOf({ kind: place.kind, call: undefined }, text), sent);
  }
}

/** A text is known only as the same kind: it may pass as a message, and not as the call of a tool. */
function keyOf({ call, kind }: Pick<TextPlace, 'call' | 'kind'>, text: string): string {
  return `${kind}/${call?.name ?? ''}/${text}`;
}
