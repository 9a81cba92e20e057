import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Answer } from '../answers/answer.ts';
import type { Progress, ServedWork } from '../billing/served-work.ts';
import type { PromptCache } from '../cache/prompt-cache.ts';
import type { Fault } from '../faults/fault-schema.ts';
import type { Protocol } from '../protocols/protocol.ts';
import type { StoredResponses } from '../responses/stored-responses.ts';

/** A request that was read and allowed, and its response. */
export interface ProviderExchange {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly protocol: Protocol;
  /** Parsed JSON without `simulate`; null for a form or an absent body. */
  readonly json: unknown;
  readonly form: FormData | undefined;
  readonly fault: Fault;
  readonly credential: string | undefined;
  /** The pause before each token of a stream. */
  readonly tokenDelayMs: number;
  /** The prefixes of prompts of all requests so far. */
  readonly promptCache: PromptCache;
  readonly responses: StoredResponses;
  /** How far the work has got, for the bill. */
  readonly progress: Progress;
  /** Says what the provider bills for the work, before the answer begins. */
  meter(work: ServedWork): void;
  /** Aborted as soon as the exchange is over, for whatever reason. */
  readonly signal: AbortSignal;
  /** Called before this side closes the connection, so that the log does not blame the client. */
  markEnded(): void;
}

/** @throws ProviderError if a real provider would refuse the request */
export type Route = (exchange: ProviderExchange) => Answer | Promise<Answer>;

/** @throws AbortError if the exchange ends before the pause does */
export async function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  if (durationMs > 0) await wait(durationMs, undefined, { signal });
}

export function urlOf({ req }: Pick<ProviderExchange, 'req'>): URL {
  return new URL(req.url ?? '', 'http://localhost');
}

/** Returns the last segment of the path, decoded. */
export function lastSegment(exchange: Pick<ProviderExchange, 'req'>): string {
  return decodeURIComponent(urlOf(exchange).pathname.split('/').at(-1) ?? '');
}

/** Splits the last segment of a path of Google's APIs: `{model}:{method}`. */
export function methodOf(exchange: Pick<ProviderExchange, 'req'>): { model: string; method: string } {
  const [, model = '', method = ''] = /([^/:]+):([A-Za-z]+)$/.exec(urlOf(exchange).pathname) ?? [];
  return { model: decodeURIComponent(model), method };
}
