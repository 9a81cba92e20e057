import type {
  CallerPace,
  JsonObject,
  ProviderProtocol,
  UpstreamRequest,
  Usage,
} from '@model-gateway/dialects';
import type { Unit, Units } from '@model-gateway/shared';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';
import type { UpstreamAttempt } from '../request-record.ts';
import type { HeldCredential } from './fetched-credentials.ts';
import type { Secrets } from './redact.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

export interface ProviderAttempt {
  attempt: UpstreamAttempt;
  call: UpstreamCall;
  provider: RoutedProvider;
  /** The part of its credential that is sent. */
  credential: string | undefined;
  /** Secrets that must appear in no response of the provider. */
  secrets: Secrets;
  /** Set for a credential that was fetched, or that signs requests. */
  fetched?: HeldCredential | undefined;
  /** Name of the credential's source, for the operator's log. */
  source?: string | undefined;
}

/** Relays a provider's response to the client and meters what it delivers. */
export interface AnswerRelay {
  /**
   * True if the client has received a part of the response, so no other attempt may follow. Keep-alives do
   * not count.
   */
  readonly hasBegun: boolean;
  /**
   * Relays a response with status 200 except for its last byte.
   * @returns undefined if it has arrived whole and is relayed
   * @throws GatewayError if it breaks, hangs or is invalid; another attempt may follow unless it has begun
   */
  pass(answer: UpstreamAnswer, attempt: ProviderAttempt): Promise<void> | undefined;
  finish(): void;
  /**
   * Called when no attempt follows. Must show a client that has received a byte that the response is
   * incomplete.
   */
  fail(failure: unknown): void;
  /** Returns the usage so far, or of the complete response; undefined if nothing was delivered. */
  usage(complete: boolean): Usage | undefined;
  /** Called every few seconds while a request that holds money runs. */
  tick?(): void;
}

/** A response that its provider still works on after the request has ended. */
export interface UnfinishedResponse {
  providerId: string;
  responseId: string;
}

/** Tracks whether the provider still works on a response after the request has ended. */
export interface ResponseTracker {
  /** Undefined if the response has ended, or there is none. */
  readonly unfinished: UnfinishedResponse | undefined;
  /** True for a background request; false for a stored response whose stream broke off. */
  readonly isRequested: boolean;
  /** Estimates the usage without any output. */
  estimatePrompt(): Usage;
}

/** The upstream-independent parts of a call. */
export interface CapabilityCall {
  /** True if the response is streamed: the timeout then applies to its first event, not to its end. */
  streamed: boolean;
  /** Set if the provider's content type decides on streaming, because form fields may follow the file. */
  streamedIfAnswerIs?: true;
  /**
   * Returns true if `buildRequest` may be called again; an upload cannot be sent twice. Not a getter: each
   * object literal with one has a V8 hidden class of its own.
   */
  isRepeatable(): boolean;
  /** The usage that is reserved. Estimates never exceed it. Grows with the output of a stream. */
  maxUnits: Units;
  /** The requested service tier, by `readServiceTier`: its prices are reserved. Left out: none. */
  serviceTier?: string | undefined;
  /** Parts of the input that the request cannot have, so that their prices are not reserved. */
  unusedUnits?: readonly Unit[];
  /** The maximum output of a stream that reserves only a part of it at first. Absent: all is reserved. */
  wholeOutput?: number | undefined;
  /** Other models that the provider may call for this request. The maximum cost of each is reserved, too. */
  otherModels?: readonly RoutedModel[];
  /** Number of choices that share the maximum output: `n` of a chat, else 1. */
  choices: number;
  /** True if the model, not the caller, bounds the output: a smaller `max_tokens` would cost less. */
  defaultOutput: boolean;
  /** The part of the maximum output that the model bounds, not the caller. Absent: none. */
  modelOutput?: number;
  /** Tokens of images in the input, which the size of the body does not show. Absent: none. */
  mediaTokens?: number;
  /** The caller API's field for the output limit, unless `max_tokens`. */
  outputField?: string;
  /**
   * Builds the request for a provider protocol.
   * @param pace of a body that is still arriving
   * @throws GatewayError 400 that names what the protocol cannot express
   */
  buildRequest(
    protocol: ProviderProtocol,
    upstreamModel: string,
    pace: CallerPace,
  ): UpstreamRequest | Promise<UpstreamRequest>;
  answer: AnswerRelay;
  /**
   * Estimates the usage of a response that was cut off unread after its client had left. Absent: none.
   * @param ms since the request was sent
   */
  estimateUnread?: ((ms: number) => Usage | Promise<Usage>) | undefined;
  /**
   * Estimates what the provider bills for a stream that nobody is charged for. Absent: `estimateUnread` does.
   * @param ms since the request was sent
   */
  estimateUnused?: ((ms: number) => Usage) | undefined;
  /** Frees memory when another model is tried instead. */
  abandon?: (() => void) | undefined;
  /** Runs before the caller sees the end of a complete response. Never throws. */
  beforeEnd?: (() => Promise<void>) | undefined;
  /** Takes the response object that the caller gets, if guardrails replaced texts in it. */
  replaced?: ((response: JsonObject) => void) | undefined;
  /** Set for a paid request that may run on after its response. It is settled afterwards. */
  background?: ResponseTracker | undefined;
}

/** For calls that the request alone bounds, without `max_tokens`. */
export const SIZED_BY_REQUEST = { choices: 1, defaultOutput: false } as const;
