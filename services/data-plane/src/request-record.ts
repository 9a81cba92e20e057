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
  /**
   * The variable that holds the credential it is made with; undefined: it is made with none of a variable.
   */
  credentialEnv: string | undefined;
  /** True if the response is streamed. Of a form upload only the provider knows. */
  streamed: boolean;
  startedAtMs: number;
  /** The provider's request id, for the log only. */
  providerRequestId?: string | undefined;
  httpStatus?: number;
  firstByteAtMs?: number;
  endedAtMs?: number;
  outcome?: UpstreamOutcome;
  /** For `client_gone` before the first byte: how long the provider had been silent, in milliseconds. */
  silentMs?: number;
  /** Why it failed, if it did. */
  errorCode?: ErrorCode;
  /** The meaning of its failure. */
  verdict?: Verdict;
}

/**
 * Everything known about one request. Each field is set by exactly one step and read by later ones:
 *
 * | field | set by |
 * |---|---|
 * | id, clientRequestId, route, startedAtMs, clientIp | the route, at the start |
 * | key, keyIsStale | authenticate-key |
 * | model, streamed | resolve-model; resolve-provider-stored-response on the routes that have it instead |
 * | releaseStream | admit-request |
 * | hold | reserve-balance |
 * | servingModel, hasFallbacks, usage, outcome, clientStatus, clientErrorCode | forward-request |
 * | isServed, attempts | attempt-request, for forward-request |
 * | charge, costNanoUsd, settled | settle-usage |
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
  /** The model that is asked first. */
  model?: RoutedModel;
  /** The model that is asked after that one, or has answered; undefined: no other one. */
  servingModel?: RoutedModel;
  /** True if other models may be asked after this one. */
  hasFallbacks?: boolean;
  streamed: boolean;
  /** Frees the place among the key's streams; may be called more than once. */
  releaseStream?: () => void;
  /** Money set aside for it; undefined: it is free. */
  hold?: Hold;
  /** A provider was asked, or the response came without one. Only served requests are settled. */
  isServed?: boolean;
  /** In order; several when a provider failed before anything was passed on. */
  attempts: UpstreamAttempt[];
  /** Usage of the delivered response; undefined: nothing was delivered. */
  usage?: Usage | undefined;
  /** How the last attempt ended, or why there was none. */
  outcome?: UpstreamOutcome;
  charge?: Charge;
  /** The status sent to the client; 499: it left before. */
  clientStatus?: number;
  /** The code in that answer, or in the event that ends a stream. */
  clientErrorCode?: ErrorCode | undefined;
  /** Nano-USD; 0 for free models. */
  costNanoUsd?: bigint;
  /** Resolves when the control plane has committed what it consumed. */
  settled?: Promise<void>;
  error?: GatewayError;
}

/** The final usage and outcome of a request. */
export interface Charge {
  /** Undefined: nothing. */
  usage: Usage | undefined;
  outcome: UpstreamOutcome | undefined;
}

/** Returns the model that is asked at the moment, or has answered. */
export function modelOf({ model, servingModel }: Pick<RequestRecord, 'model' | 'servingModel'>) {
  return servingModel ?? model;
}

/** Returns whether the response is streamed, or was requested to be if no attempt was made. */
export function isStreamed({ attempts, streamed }: Pick<RequestRecord, 'attempts' | 'streamed'>): boolean {
  return attempts.at(-1)?.streamed ?? streamed;
}

/** The record of a request whose key is known: what `authenticateKey` returns, and later steps take. */
export interface AuthenticatedRecord extends RequestRecord {
  key: KeyContext;
  keyIsStale: boolean;
}

/** Status for logs and records only: the client went away before it had an answer. */
export const CLIENT_CLOSED_REQUEST = 499;
