import type { Units } from '@model-gateway/shared';
import type { CountedTurn } from './counted-usage.ts';
import type { Usage } from './usage.ts';

/** Bounds for the count of a chat response, and the input of an estimate. */
export interface ChatBounds {
  /** Reserved for the request: no estimate exceeds it. */
  most: Units;
  /** The maximum that a provider can have counted for one turn; undefined: any count. */
  believable?: Pick<Units, 'inputTokens' | 'outputTokens'> | undefined;
  /** Images, recordings and files of the request, and what one of them is reckoned at in input tokens. */
  mediaParts: number;
  mediaPartTokens: number;
  /** For a large request, the bytes that the model reads. */
  promptBytes?: number | undefined;
  /** The usage of an answer that took several turns, of several models perhaps. */
  usageOfTurns?: (turns: readonly CountedTurn[]) => Usage;
  /**
   * Calls of tools that the provider runs are not in its usage: they count only where the model has a price
   * for them. False: it has none.
   */
  chargesToolCalls?: boolean;
}
