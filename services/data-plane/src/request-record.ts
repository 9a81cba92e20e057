import type { Usage } from '@model-gateway/dialects';
import type { TakenTokens } from '@model-gateway/limits';
import type { ListEntry } from '@model-gateway/service-kit';
import type { ErrorCode, GatewayError, ProviderReport, Units, Verdict } from '@model-gateway/shared';
import type { EffectiveRules } from '@model-gateway/shared/rules';
import type { AffinityKey } from './affinity/rendezvous.ts';
import type { Hold } from './billing/payer-allowance.ts';
import type { RoutedModel } from './catalog/model-table.ts';
import type { KeyContext } from './keys/key-context.ts';
import type { RequestTrace, TracedResponse } from './request-trace.ts';

/**
 * How an attempt or a forwarded request ended. `rejected`: the provider refused the request itself, which is
 * not the provider's failure.
 */
export type UpstreamOutcome = 'completed' | Verdict['outcome'];

/** One attempt at a provider. Times are `performance.now()` milliseconds. */
export interface UpstreamAttempt {
  providerId: string;
  /** The gateway's id of the model; undefined for calls about a provider-stored response. */
  modelId?: string | undefined;
  upstreamModel: string;
  /** The variable of the credential; undefined if the credential comes from no variable. */
  credentialEnv: string | undefined;
  /** True if the response is streamed. For form uploads the provider decides. */
  streamed: boolean;
  startedAtMs: number;
  /** The header that the provider gets; undefined: traces are not exported. */
  traceparent?: string | undefined;
  /** Undefined: the trace is not sampled, or the exchange has ended. */
  traced?: TracedResponse | undefined;
  /** The provider's id of the request, else of its response. */
  providerRequestId?: string | undefined;
  httpStatus?: number;
  firstByteAtMs?: number;
  endedAtMs?: number;
  outcome?: UpstreamOutcome;
  /** For `client_gone` before the first byte: the provider's silence, in milliseconds. */
  silentMs?: number;
  /** For `client_gone`: the time from sending the request until it was cut off; undefined: it was not. */
  cutOffAfterMs?: number;
  errorCode?: ErrorCode;
  verdict?: Verdict;
  /** Set if the provider had a part in a failure. Without secrets; each text is one line. */
  report?: ProviderReport | undefined;
  /** For a failure: what the provider may bill if nobody is charged (estimate-attempt.ts), and its cost. */
  estimatedUnits?: Units;
  estimatedCost?: number;
}

/**
 * Everything known about one request. Each field is set by exactly one step and read by later ones:
 *
 * | field | set by |
 * |---|---|
 * | id | the route, at the start; serve-once, if it continues a request whose process has died |
 * | clientRequestId, route, startedAtMs, clientIp, trace | the route, at the start |
 * | key, keyIsStale | authenticate-key |
 * | affinity, affinityKey | set-affinity; resolve-provider-stored-response sets the key alone |
 * | model, streamed | resolve-model; resolve-provider-stored-response on the routes that have it instead |
 * | releaseStream, tokens | admit-request |
 * | hold | reserve-balance, extend-hold |
 * | budgets | reserve-balance |
 * | unsettledEntry | held-requests |
 * | servingModel, hasFallbacks, usage, outcome, clientErrorCode | forward-request |
 * | clientStatus | forward-request; cached-request |
 * | attempts | attempt-request, for forward-request |
 * | isServed | attempt-request, for forward-request; cached-request |
 * | cachedFrom | cached-request |
 * | tags, endUser, session | read-labels |
 * | endUserRules | check-labels, of the routes |
 * | charge, costNanoUsd | settle-usage |
 * | settled | settle-usage, held-requests |
 * | isFollowed | follow-background |
 * | error, isEnded | the route, when a step threw |
 */
export interface RequestRecord {
  id: string;
  clientRequestId: string | undefined;
  route: string;
  startedAtMs: number;
  clientIp: string;
  /** Undefined: traces are not exported. */
  trace?: RequestTrace | undefined;
  key?: KeyContext;
  /** True for a cached key during an outage: Redis must confirm that it is not revoked. */
  keyIsStale?: boolean;
  /** Key of the conversation; undefined: no conversation, or nothing to choose by it. */
  affinityKey?: AffinityKey;
  model?: RoutedModel;
  /** The later candidate that is tried now or has responded; undefined: still the first. */
  servingModel?: RoutedModel;
  hasFallbacks?: boolean;
  streamed: boolean;
  /** Frees the key's stream slot; may be called more than once. */
  releaseStream?: () => void;
  /** Tokens that count against rate limits until the usage is known. */
  tokens?: TakenTokens | undefined;
  /** Money set aside for the request; undefined if it is free. */
  hold?: Hold;
  /** Entry in the list of unsettled requests; undefined: it is not one. */
  unsettledEntry?: ListEntry<RequestRecord> | undefined;
  /** True once its exchange has ended. */
  isEnded?: true;
  /** True if it is settled after its exchange, when its provider has finished. */
  isFollowed?: boolean;
  /** True once a provider was called or a response came without one. Only served requests are settled. */
  isServed?: boolean;
  /** Set if the response came from the cache: it costs nothing. */
  cachedFrom?: AnswerSource | undefined;
  /** In order; several if providers failed before anything was relayed. */
  attempts: UpstreamAttempt[];
  /** Usage of the delivered response; undefined if nothing was delivered. */
  usage?: Usage | undefined;
  /** How the last attempt ended, or why there was none. */
  outcome?: UpstreamOutcome;
  charge?: Charge;
  /** Status sent to the client; 499 if it left before. */
  clientStatus?: number;
  /** Error code of that response, or of the event that ended a stream. */
  clientErrorCode?: ErrorCode | undefined;
  /** Values by name, of the key and the caller; undefined: none. */
  tags?: Readonly<Record<string, string>> | undefined;
  endUser?: string | undefined;
  /** Rules of the end user, besides those of the key; undefined: it has none. */
  endUserRules?: EffectiveRules | undefined;
  session?: string | undefined;
  /** Tells how the conversation was recognized: by its session, or by its first messages. */
  affinity?: Affinity | undefined;
  /** Budgets that money was reserved from: `<budget id>/<window>[/<end user>]`. */
  budgets?: readonly string[] | undefined;
  /** Nano-USD; 0 for free models. */
  costNanoUsd?: bigint;
  /** Set once the usage is reported; `committed` resolves when the control plane has committed it. */
  settled?: { readonly committed: Promise<void> };
  error?: GatewayError;
}

/** Where an answer came from that is sent again. */
export interface AnswerSource {
  modelId?: string | undefined;
  providerId: string;
  upstreamModel: string;
}

export type Affinity = 'session' | 'prefix' | 'none';

export interface Charge {
  /** Undefined: nothing was used. */
  usage: Usage | undefined;
  outcome: UpstreamOutcome | undefined;
}

/** Returns the report of a failed attempt, with all of the provider's words. */
export function operatorsReport({ report }: Pick<UpstreamAttempt, 'report'>): string | undefined {
  return report?.operator ?? report?.caller;
}

/** Returns the model that is tried now, or has responded. */
export function modelOf({ model, servingModel }: Pick<RequestRecord, 'model' | 'servingModel'>) {
  return servingModel ?? model;
}

/** Returns true if the response is streamed; without an attempt, if a stream was requested. */
export function isStreamed({ attempts, streamed }: Pick<RequestRecord, 'attempts' | 'streamed'>): boolean {
  return attempts.at(-1)?.streamed ?? streamed;
}

/** The record after `authenticateKey`. */
export interface AuthenticatedRecord extends RequestRecord {
  key: KeyContext;
  keyIsStale: boolean;
}

/** Status for logs and records only: the client left before it got a response. */
export const CLIENT_CLOSED_REQUEST = 499;
