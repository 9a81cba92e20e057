import { chatUsage } from '@model-gateway/shared';
import type { Usage } from '../../request-record.ts';
import { estimatedTokens, requestTextBytes, textBytes, usageOf } from '../usage.ts';

/** Members of a message that the model does not write: a chunk of these alone has delivered nothing. */
const FRAME = new Set(['role', 'id', 'type', 'index']);

/** Collects what a chat answer consumed: the provider's count, and what was delivered in case there is none. */
export class ChatMeter {
  readonly #request: readonly Buffer[];
  #reported: unknown;
  #deliveredBytes = 0;
  #inputEstimate: number | undefined;

  /** @param request the JSON of the request, looked into only where the provider sends no count */
  constructor(request: readonly Buffer[]) {
    this.#request = request;
  }

  /** The provider's `usage` object; the last one that is not null counts. */
  report(usage: unknown): void {
    if (usage !== null && usage !== undefined) this.#reported = usage;
  }

  /** A provider's `usage` object as the client gets it: one that cannot be true is replaced by our own count. */
  believable(usage: unknown): unknown {
    if (usage === null || usage === undefined || chatUsage.safeParse(usage).success) return usage;
    const { inputTokens, outputTokens } = this.#estimate();
    return {
      prompt_tokens: inputTokens,
      completion_tokens: outputTokens,
      total_tokens: inputTokens + outputTokens,
    };
  }

  /** Text in a choice (`message` or `delta`) that goes to the client. */
  deliver(choices: readonly Record<string, unknown>[]): void {
    for (const choice of choices) this.#deliveredBytes += textBytes(choice.delta ?? choice.message, FRAME);
  }

  /** @returns undefined when the answer is not complete and nothing of it went out */
  usage(complete: boolean): Usage | undefined {
    if (!complete && this.#deliveredBytes === 0) return undefined;
    const parsed = chatUsage.safeParse(this.#reported);
    if (parsed.success) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = parsed.data;
      // Some providers count from the first chunk on, and have not got to what was delivered when a stream is cut.
      if (!complete && outputTokens < estimatedTokens(this.#deliveredBytes)) return this.#estimate();
      const cached = parsed.data.prompt_tokens_details?.cached_tokens ?? 0;
      return usageOf('provider', {
        inputTokens,
        cachedInputTokens: Math.min(cached, inputTokens),
        outputTokens,
      });
    }
    return this.#estimate();
  }

  #estimate(): Usage {
    // Once: a provider may send nonsense with every chunk.
    this.#inputEstimate ??= estimatedTokens(requestTextBytes(this.#request, 'messages'));
    return usageOf('estimated', {
      inputTokens: this.#inputEstimate,
      outputTokens: estimatedTokens(this.#deliveredBytes),
    });
  }
}
