import type { Usage } from '@model-gateway/dialects';
import type { ErrorCode, GatewayError, Verdict } from '@model-gateway/shared';
import type { Hold } from './billing/payer-allowance.ts';
import type { RoutedModel } from './catalog/model-table.ts';
import type { KeyContext } from './keys/key-context.ts';

/**
 * How an attempt at a provider, or a request that reached one, ended. `rejected`: the provider found fault
 * with the request, which says nothing against the provider.
 */
export type UpstreamOutcome = 'completed' | Verdict['outcome'];

/** One attempt at a provider. Times are `performance.now()` milliseconds. */
export interface UpstreamAttempt {
  providerId: string;
  /** The gateway's id of the model that was asked; undefined: a response that a provider keeps. */
  modelId?: string | undefined;
  upstreamModel: string;
  /** The variable that holds the credential it is made with; undefined: it is made with none of a variable. */
  credentialEnv: string | undefined;
  startedAtMs: number;
  /** The provider's request id, for the log only. */
  providerRequestId?: string | undefined;
  httpStatus?: number;
  firstByteAtMs?: number;
  endedAtMs?: number;
  outcome?: UpstreamOutcome;
  /** Of `client_gone` before the first byte: how long the provider had said nothing, in milliseconds. */
  silentMs?: number;
  /** Why it failed, if it did. */
  errorCode?: ErrorCode;
  /** What its failure means. */
  verdict?: Verdict;
}

/**
 * Everything known about one request. Each field is set by exactly one step and read by later ones:
 *
 * | field | set by |
 * |---|---|
 * | id, clientRequestId, route, startedAtMs, clientIp | the route, at the start |
 * | key, keyIsStale | authenticate-key |
 * | model | resolve-model; forward-request, where it goes on to another one |
 * | hasFallbacks | forward-request |
 * | streamed | resolve-model; forward-request, where the answer alone tells; kept-responses, without a model |
 * | releaseStream | admit-request |
 * | hold | reserve-credit |
 * | isServed, attempts, clientStatus, clientErrorCode | forward-request |
 * | usage, outcome | forward-request; follow-background, where a provider works on after its answer |
 * | costNanoUsd, settled | settle-usage |
 * | error | the route, when a step threw |
 */
export interface RequestRecord {
  id: string;
  clientRequestId: string | undefined;
  route: string;
  startedAtMs: number;
  clientIp: string;
  readonly key?: KeyContext;
  /** The key is known from before, while no control plane answers: Redis must say whether it is revoked. */
  readonly keyIsStale?: boolean;
  model?: RoutedModel;
  /** Whether other models may be asked after this one. */
  hasFallbacks?: boolean;
  streamed: boolean;
  /** Frees the place among the key's streams; may be called more than once. */
  releaseStream?: () => void;
  /** Money set aside for it; undefined: it is free. */
  hold?: Hold;
  /** It was not refused: a provider was asked, or its response comes from elsewhere. Only then it is settled. */
  isServed?: boolean;
  /** In order; several when a provider failed before anything was passed on. */
  attempts: UpstreamAttempt[];
  usage?: Usage | undefined;
  outcome?: UpstreamOutcome;
  /** What the client is answered; 499: it had left before that. */
  clientStatus?: number;
  /** The code in that answer, or in the event that ends a stream. */
  clientErrorCode?: ErrorCode | undefined;
  /** Nano-USD; 0 for free models. */
  costNanoUsd?: bigint;
  /** Resolves when the control plane has committed what it consumed. */
  settled?: Promise<void>;
  error?: GatewayError;
}

/** The record of a request whose key is known: what `authenticateKey` returns, and later steps take. */
export interface AuthenticatedRecord extends RequestRecord {
  key: KeyContext;
  keyIsStale: boolean;
}

/** Status for logs and records only: the client went away before it had an answer. */
export const CLIENT_CLOSED_REQUEST = 499;
