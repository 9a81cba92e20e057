import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';
import type { CountedUsage } from '../../usage/counted-usage.ts';
import { chatHead } from './build-chat-completion.ts';

/** Reports one streamed completion to a caller in chunks. */
export class ChatChunks {
  readonly #caller: ChatCaller;
  readonly #modelId: string;
  #head: ReturnType<typeof chatHead> | undefined;
  /** The constant part of each chunk, as text: serializing whole objects would be most of the work. */
  #before = '';

  constructor(caller: ChatCaller, modelId: string) {
    this.#caller = caller;
    this.#modelId = modelId;
  }

  get hasBegun(): boolean {
    return this.#head !== undefined;
  }

  /** @param id the provider's, if it sent one */
  begin(id?: unknown): string {
    this.#head = chatHead(id, this.#modelId, 'chat.completion.chunk');
    this.#before = JSON.stringify(this.#head).slice(0, -1);
    return this.delta({ role: 'assistant', content: '' });
  }

  delta(delta: JsonObject): string {
    const text = `${this.#before},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}]}`;
    const choices = [{ index: 0, delta, finish_reason: null }];
    return this.#caller.chunk({ ...this.#head, choices }, text);
  }

  deltas(deltas: readonly JsonObject[]): string {
    let text = '';
    for (const delta of deltas) text += this.delta(delta);
    return text;
  }

  count(usage: CountedUsage): void {
    this.#caller.count(usage);
  }

  /** Sends the finish reason only with the end: otherwise a broken stream would look like a success. */
  end(reason: string, usage: object | undefined, refusal?: string): string {
    const refused = refusal === undefined ? '' : this.delta({ refusal });
    const choices = [{ index: 0, delta: {}, finish_reason: reason }];
    const finish = this.#caller.chunk({ ...this.#head, choices });
    const counted = usage === undefined ? '' : this.#caller.chunk({ ...this.#head, choices: [], usage });
    return refused + finish + counted + this.#caller.end();
  }
}
