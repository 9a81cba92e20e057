import type { EchoedPrompts, Units } from '@model-gateway/shared';
import type { CountedTurn } from './counted-usage.ts';
import type { Usage } from './usage.ts';

/** Bounds for the usage of a chat, and the facts for an estimate. */
export interface ChatBounds {
  /** The units reserved for the request: no estimate exceeds them. */
  max: Units;
  /** The largest credible count for one turn; undefined: any count is credible. */
  credible?: Pick<Units, 'inputTokens' | 'outputTokens'> | undefined;
  /** Number of images, recordings and files in the request, and the input tokens estimated for each. */
  mediaParts: number;
  mediaPartTokens: number;
  /** For a large request, the bytes that the model reads. */
  promptBytes?: number | undefined;
  /** Prices the turns of a response, which may be of several models. */
  usageOfTurns?: (turns: readonly CountedTurn[]) => Usage;
  /**
   * False: the model has no price for calls of server tools, so they do not count.
   */
  chargesToolCalls?: boolean;
  /** The requested service tier, which counts unless the provider reports another. */
  serviceTier?: string | undefined;
  /** True: the model has a price for cache writes. */
  chargesCacheWrites?: boolean;
  /** Prompts that the texts of a completion repeat, which are no output. */
  echoed?: EchoedPrompts | undefined;
  /** How often a text is generated for each that is returned. Left out: once. */
  generatedPerReturned?: number;
}
