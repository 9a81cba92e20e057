import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayError } from '@model-gateway/shared';
import type { RoutedModel } from './catalog/model-table.ts';
import type { KeyContext } from './keys/key-context.ts';

/** Where the count of tokens comes from: the provider's own, or ours when it sent none or an absurd one. */
export type UsageSource = 'provider' | 'estimated';

export interface TokenUsage {
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
  source: UsageSource;
}

/** How a request that reached a provider ended. */
export type UpstreamOutcome = 'completed' | 'failed' | 'client_gone' | 'cut';

/** One attempt at a provider. Times are `performance.now()` milliseconds. */
export interface UpstreamAttempt {
  providerId: string;
  upstreamModel: string;
  startedAtMs: number;
  /** The provider's request id, for the log only. */
  providerRequestId?: string | undefined;
  httpStatus?: number;
  firstByteAtMs?: number;
  endedAtMs?: number;
}

/**
 * Everything known about one request. Each field is set by exactly one step and read by later ones:
 *
 * | field | set by |
 * |---|---|
 * | id, clientRequestId, route, startedAtMs, clientIp | the route, at the start |
 * | key | authenticate-key |
 * | model, streamed | resolve-model |
 * | attempt, usage, outcome | forward-chat |
 * | error | the route, when a step threw |
 */
export interface RequestRecord {
  id: string;
  clientRequestId: string | undefined;
  route: string;
  startedAtMs: number;
  clientIp: string;
  key?: KeyContext;
  model?: RoutedModel;
  streamed: boolean;
  attempt?: UpstreamAttempt;
  usage?: TokenUsage;
  outcome?: UpstreamOutcome;
  error?: GatewayError;
}

/** One request on its way: what HTTP gave us, the record, and the two ways in which it can end early. */
export interface Exchange {
  req: IncomingMessage;
  res: ServerResponse;
  record: RequestRecord;
  /**
   * Aborted when nothing more should happen for this request. The reason is a ClientGone, or the GatewayError
   * to end a running stream with (key revoked, shutting down).
   */
  stop: AbortController;
}

/** The client closed its connection: nobody is left to answer. Logged as status 499. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';

  constructor() {
    super('the client closed its connection');
  }
}
