import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../answers/answer.ts';
import type { Fault } from '../faults/fault-schema.ts';
import type { PromptCache } from '../messages/prompt-cache.ts';
import type { Protocol } from '../protocols/protocol.ts';
import type { StoredResponses } from '../responses/stored-responses.ts';

/** A request that was read and allowed, and the response that answers it. */
export interface ProviderExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly protocol: Protocol;
  /** The id of this exchange, for protocols that tell it to the client. */
  readonly requestId: string;
  /** Parsed JSON; null for a form or an absent body. */
  readonly json: unknown;
  readonly form: FormData | undefined;
  readonly fault: Fault;
  readonly credential: string | undefined;
  /** The pause before each token of a stream. */
  readonly tokenDelayMs: number;
  /** The beginnings of prompts that were marked for caching, by all requests so far. */
  readonly promptCache: PromptCache;
  /** The responses that clients asked to keep. */
  readonly responses: StoredResponses;
  /** Aborted as soon as the exchange is over, whatever the reason. */
  readonly signal: AbortSignal;
  /** To be called before this side closes the connection: it is not the client's doing. */
  markEnded(): void;
}

/** @throws ProviderError for what a real provider would refuse */
export type Route = (exchange: ProviderExchange) => Answer | Promise<Answer>;

/** @throws AbortError when the exchange is over before the pause */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await wait(durationMs, undefined, { signal });
}
