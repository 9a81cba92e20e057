import { chatUsage } from '@model-gateway/shared';
import type { TokenUsage } from '../request-record.ts';

/** A common rule of thumb for English text; only used where a provider sends no count, and flagged there. */
const BYTES_PER_TOKEN = 4;

/** Collects what a chat answer consumed: the provider's count, and what was delivered in case there is none. */
export class ChatMeter {
  readonly #requestText: string;
  #reported: unknown;
  #deliveredBytes = 0;

  /** @param requestText the JSON of the request, looked into only where the provider sends no count */
  constructor(requestText: string) {
    this.#requestText = requestText;
  }

  /** The provider's `usage` object; the last one that is not null counts. */
  report(usage: unknown): void {
    if (usage !== null && usage !== undefined) this.#reported = usage;
  }

  /** Text in a choice (`message` or `delta`) that goes to the client. */
  deliver(choices: readonly Record<string, unknown>[]): void {
    for (const choice of choices) {
      this.#deliveredBytes += textBytes(choice.delta ?? choice.message);
    }
  }

  /** Whether any of the answer went out. */
  get hasDelivered(): boolean {
    return this.#deliveredBytes > 0;
  }

  usage(): TokenUsage {
    const parsed = chatUsage.safeParse(this.#reported);
    if (parsed.success) {
      const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = parsed.data;
      const cached = parsed.data.prompt_tokens_details?.cached_tokens ?? 0;
      return {
        inputTokens,
        cachedInputTokens: Math.min(cached, inputTokens),
        outputTokens,
        source: 'provider',
      };
    }
    return {
      inputTokens: tokensIn(messageBytes(this.#requestText)),
      cachedInputTokens: 0,
      outputTokens: tokensIn(this.#deliveredBytes),
      source: 'estimated',
    };
  }
}

function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

function messageBytes(requestText: string): number {
  const request: unknown = JSON.parse(requestText);
  return typeof request === 'object' && request !== null && 'messages' in request
    ? textBytes(request.messages)
    : 0;
}

/** Bytes of all strings inside a value; nesting is bounded by the JSON scan. */
function textBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, entry) => sum + textBytes(entry), 0);
}
