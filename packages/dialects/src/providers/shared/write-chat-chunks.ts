import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { TranslatedEvents } from '../../interfaces/response-translators.ts';
import type { JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import { chatHead } from './build-chat-completion.ts';

/** Reports one streamed completion to a caller in chunks, and collects what the caller writes. */
export class ChatChunks {
  readonly #caller: ChatCaller;
  readonly #modelId: string;
  #head: ReturnType<typeof chatHead> | undefined;
  /** The constant part of each chunk, as text: serializing whole objects would be most of the work. */
  #before = '';
  #text = '';

  constructor(caller: ChatCaller, modelId: string) {
    this.#caller = caller;
    this.#modelId = modelId;
  }

  get hasBegun(): boolean {
    return this.#head !== undefined;
  }

  /**
   * The text since the last `take`: of an event whose translation failed in the middle. The caller regards it
   * as sent, so it must be sent before the failure.
   */
  get text(): string {
    return this.#text;
  }

  take(done = false): TranslatedEvents {
    const text = this.#text;
    this.#text = '';
    return { text, done };
  }

  /** @param id the provider's, if it sent one */
  begin(id?: unknown): void {
    this.#head = chatHead(id, this.#modelId, 'chat.completion.chunk');
    this.#before = JSON.stringify(this.#head).slice(0, -1);
    this.delta({ role: 'assistant', content: '' });
  }

  delta(delta: JsonObject): void {
    const text = `${this.#before},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}]}`;
    const choices = [{ index: 0, delta, finish_reason: null }];
    this.#text += this.#caller.chunk({ ...this.#head, choices }, text);
  }

  deltas(deltas: readonly JsonObject[]): void {
    for (const delta of deltas) this.delta(delta);
  }

  count(usage: CountedUsage): void {
    this.#caller.count(usage);
  }

  reportTier(tier: unknown): void {
    this.#caller.reportTier(tier);
  }

  /** Sends the finish reason only with the end: otherwise a broken stream would look like a success. */
  end(reason: string, usage: object | undefined, refusal?: string): void {
    if (refusal !== undefined) this.delta({ refusal });
    const choices = [{ index: 0, delta: {}, finish_reason: reason }];
    this.#text += this.#caller.chunk({ ...this.#head, choices });
    if (usage !== undefined) this.#text += this.#caller.chunk({ ...this.#head, choices: [], usage });
    this.#text += this.#caller.end();
  }
}
