import type { Asked, CallerPace, ProviderProtocol, Usage } from '@model-gateway/dialects';
import type { Units } from '@model-gateway/shared';
import type { RoutedModel, RoutedProvider } from '../catalog/model-table.ts';
import type { UpstreamAttempt } from '../request-record.ts';
import type { HeldCredential } from './fetched-credentials.ts';
import type { Secrets } from './redact.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

/** One attempt at a provider, as the part that passes its answer on sees it. */
export interface ProviderAttempt {
  attempt: UpstreamAttempt;
  call: UpstreamCall;
  provider: RoutedProvider;
  /** The part of its credential that is sent. */
  credential: string | undefined;
  /** Secrets that must appear in no response of the provider. */
  secrets: Secrets;
  /** Where that had to be fetched, or signs the request. */
  fetched?: HeldCredential | undefined;
  /** The name of what it is fetched from, for the operator's log. */
  source?: string | undefined;
}

/** Passes a provider's answer on to the client, and counts what it delivers. */
export interface AnswerRelay {
  /**
   * True if the client has had something of an answer: then no other attempt may follow. What merely keeps
   * its connection open is nothing of an answer.
   */
  readonly hasBegun: boolean;
  /**
   * Passes on an answer whose status is 200, to its end but for the last byte.
   * @throws GatewayError when it breaks, hangs or holds rubbish; unless it has begun, another attempt may
   *   follow
   */
  pass(answer: UpstreamAnswer, attempt: ProviderAttempt): Promise<void>;
  /** Sends the last byte. */
  finish(): void;
  /** No attempt follows. A client that has had a byte must learn here that its answer is incomplete. */
  fail(failure: unknown): void;
  /** Returns the usage; undefined: nothing was delivered. Without `complete`: up to the failure. */
  usage(complete: boolean): Usage | undefined;
}

/** A response that its provider works on after it has answered. */
export interface WorkedOn {
  providerId: string;
  /** The provider's own id of it. */
  responseId: string;
}

/** A request on which its provider may work after its answer. */
export interface WorkAfterAnswer {
  /** Undefined: it has ended, or there is none. */
  readonly workedOn: WorkedOn | undefined;
  /**
   * True if the caller has asked for it. Else it is what a provider does that keeps an answer which broke
   * off.
   */
  readonly isAskedFor: boolean;
  /** See `ChatMeter`. */
  estimator(): (written: unknown) => Usage;
}

/** The parts of a call that depend on the request alone, ready for any upstream. */
export interface CapabilityCall {
  /** True if the provider's time to its first byte counts, or that to its last. */
  streamed: boolean;
  /** The provider decides whether its answer is a stream: what a form asks for may stand behind its file. */
  streamedIfAnswerIs?: true;
  /**
   * Returns true if `ask` may be called again for another attempt; an upload cannot be sent twice. No getter:
   * to V8, an object literal with one has a hidden class of its own, and every request would leave one
   * behind.
   */
  isRepeatable(): boolean;
  /** The most the request can consume; what is set aside for it. */
  most: Units;
  /**
   * Other models that the request has the provider ask as well: the most that each of them can cost is set
   * aside.
   */
  otherModels?: readonly RoutedModel[];
  /** How many answers share the output of `most`: `n` of a chat, else 1. */
  choices: number;
  /** The model, not the caller, bounds the output in `most`: a smaller `max_tokens` would need less. */
  defaultOutput: boolean;
  /** The caller API's name for the output limit, if it is not `max_tokens`. */
  outputField?: string;
  /**
   * Builds the request for a provider of that protocol.
   * @param pace of a body that is still arriving
   * @throws GatewayError 400 that names what that protocol cannot express
   */
  ask(protocol: ProviderProtocol, upstreamModel: string, pace: CallerPace): Asked | Promise<Asked>;
  answer: AnswerRelay;
  /** Another model is asked in place of this one: gives back the room for what this one was asked. */
  abandon?: () => void;
  /** Runs before the caller sees the end of a complete response. Never throws. */
  beforeEnd?: (() => Promise<void>) | undefined;
  /** Set for a paid request that may run on after its response. It is settled when that has ended. */
  background?: WorkAfterAnswer | undefined;
}

/** For a call that the request alone bounds: there is no `max_tokens` to make smaller. */
export const SIZED_BY_REQUEST = { choices: 1, defaultOutput: false } as const;
