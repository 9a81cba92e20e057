import { randomUUID } from 'node:crypto';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { JsonObject } from '../../json/json-object.ts';

/** Tells a caller the chunks of one streamed completion. */
export class ChatChunks {
  readonly #caller: ChatCaller;
  readonly #head: { id: string; object: string; created: number; model: string };
  /** The constant part of each chunk, as text: serializing whole objects would be most of the work. */
  readonly #before: string;

  /** @param id the provider's, if it has told one */
  constructor(caller: ChatCaller, modelId: string, id: unknown) {
    this.#caller = caller;
    this.#head = {
      id: typeof id === 'string' ? id : `chatcmpl-${randomUUID()}`,
      object: 'chat.completion.chunk',
      created: Math.floor(Date.now() / 1_000),
      model: modelId,
    };
    this.#before = JSON.stringify(this.#head).slice(0, -1);
  }

  delta(delta: JsonObject): string {
    const text = `${this.#before},"choices":[{"index":0,"delta":${JSON.stringify(delta)},"finish_reason":null}]}`;
    const choices = [{ index: 0, delta, finish_reason: null }];
    return this.#caller.chunk({ ...this.#head, choices }, text);
  }

  finish(reason: string): string {
    return this.#caller.chunk({
      ...this.#head,
      choices: [{ index: 0, delta: {}, finish_reason: reason }],
    });
  }

  usage(usage: JsonObject): string {
    return this.#caller.chunk({ ...this.#head, choices: [], usage });
  }
}
