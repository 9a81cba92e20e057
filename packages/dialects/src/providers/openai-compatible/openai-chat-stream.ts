import type { ProviderTraits } from '@model-gateway/shared';
import type { ChatCaller } from '../../interfaces/chat-caller.ts';
import type { EventTranslator, TranslatedEvents } from '../../interfaces/response-translators.ts';
import { type ChatResponse, parseChatChunk } from '../../usage/parse-chat-response.ts';
import { placeUsage } from './place-usage.ts';

const DONE = '[DONE]';

interface OpenAiChatStreamOptions {
  traits: ProviderTraits;
  choices: number;
}

/** A stream ends with `[DONE]`, or, at servers without it, after every choice has a finish reason. */
export class OpenAiChatStream implements EventTranslator {
  readonly rest = '';
  readonly #caller: ChatCaller;
  readonly #choices: number;
  readonly #needsDone: boolean;
  readonly #placed: (response: ChatResponse) => ChatResponse;
  readonly #finished = new Set<unknown>();

  constructor(caller: ChatCaller, { choices, traits }: OpenAiChatStreamOptions) {
    this.#caller = caller;
    this.#choices = choices;
    this.#needsDone = traits.done_marker;
    this.#placed = placeUsage(traits);
  }

  translate(data: string): TranslatedEvents {
    if (data === DONE) return { text: this.#caller.end(), done: true };
    const received = parseChatChunk(data);
    const chunk = this.#placed(received);
    for (const { finish_reason, index } of chunk.choices)
      if (typeof finish_reason === 'string' && finish_reason !== '') this.#finished.add(index ?? 0);
    return { text: this.#caller.chunk(chunk, chunk === received ? data : undefined), done: false };
  }

  get mayEnd(): boolean {
    return !this.#needsDone && this.#finished.size >= this.#choices;
  }

  end(): string {
    return this.#caller.end();
  }
}
