import { estimatedTokens } from '@model-gateway/dialects';
import {
  type CountedAs,
  endUserPolicies,
  hashTagOf,
  type PolicyRequest,
  policiesOf,
  streamsOf,
  type TokenEstimate,
  type TokenPolicyRequest,
  tokenPolicyOf,
} from '@model-gateway/limits';
import { LRUCache } from 'lru-cache';
import type { KeyContext } from '../keys/key-context.ts';
import { bytesOfKeyRules } from '../keys/rules-bytes.ts';
import type { AuthenticatedRecord } from '../request-record.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

type LimitedRecord = Pick<AuthenticatedRecord, 'endUser' | 'endUserRules' | 'key'>;

/** All limits that decide about a request. */
export interface RequestLimits {
  hashTag: string;
  policies: readonly PolicyRequest[];
  /** Undefined: none. */
  tokenPolicies: readonly TokenPolicyRequest[] | undefined;
  stream: { bucket: string; limit: number } | undefined;
}

type LimitsByClass = Partial<Record<CountedAs, RequestLimits>>;

/** The limits of a key and their encoded call (packages/limits) take 1.5 kB for each kind of request. */
const MAX_PREPARED = 20_000;
/** Bounds the rules of their keys, which the key cache may have dropped. */
const MAX_RULES_BYTES = 50_000_000;
const prepared = new LRUCache<KeyContext, { streams: LimitsByClass; others: LimitsByClass }>({
  max: MAX_PREPARED,
  maxSize: MAX_RULES_BYTES,
  sizeCalculation: (_limits, key) => 1 + bytesOfKeyRules(key),
});

/**
 * Returns the limits that apply to a request. Caches those of a key, which is another object when its limits
 * change. Reads have no limits of tokens, nor of an end user.
 */
export function limitsOf(record: LimitedRecord, limitClass: CountedAs, takesStream: boolean): RequestLimits {
  const { endUserRules, key } = record;
  let ofKey = prepared.get(key);
  if (ofKey === undefined) {
    ofKey = { streams: {}, others: {} };
    prepared.set(key, ofKey);
  }
  const byClass = takesStream ? ofKey.streams : ofKey.others;
  byClass[limitClass] ??= limitsOfKey(key, limitClass, takesStream);
  const limits = byClass[limitClass];
  return endUserRules === undefined || limitClass === 'reads' ? limits : withEndUser(limits, record);
}

function limitsOfKey(key: KeyContext, limitClass: CountedAs, takesStream: boolean): RequestLimits {
  const tokens = limitClass === 'reads' ? undefined : tokenPolicyOf(key);
  return {
    hashTag: hashTagOf(key),
    policies: policiesOf(key, limitClass),
    tokenPolicies: tokens && [tokens],
    stream: takesStream ? streamsOf(key) : undefined,
  };
}

function withEndUser(limits: RequestLimits, { endUser, endUserRules, key }: LimitedRecord): RequestLimits {
  if (endUser === undefined || endUserRules === undefined) return limits;
  const { requests, tokens } = endUserPolicies({ accountId: key.accountId, endUser, rules: endUserRules });
  return {
    ...limits,
    policies: requests === undefined ? limits.policies : [...limits.policies, requests],
    tokenPolicies: tokens === undefined ? limits.tokenPolicies : [...(limits.tokenPolicies ?? []), tokens],
  };
}

export function hasTokenLimit({ endUserRules, key }: LimitedRecord): boolean {
  return key.rules?.tokensPerMinute !== undefined || endUserRules?.tokensPerMinute !== undefined;
}

/**
 * Estimates the tokens of a request before it is sent.
 * @param bodyBytes length of the JSON body; undefined for a chat, whose input has been measured
 */
export function estimateTokens(
  {
    maxUnits,
    mediaTokens = 0,
    modelOutput = 0,
    wholeOutput,
  }: Pick<CapabilityCall, 'maxUnits' | 'mediaTokens' | 'modelOutput' | 'wholeOutput'>,
  bodyBytes: number | undefined,
): TokenEstimate {
  const input = Math.min(
    maxUnits.inputTokens,
    bodyBytes === undefined ? Number.POSITIVE_INFINITY : estimatedTokens(bodyBytes) + mediaTokens,
  );
  const output = wholeOutput ?? maxUnits.outputTokens;
  return { fixed: input + output - modelOutput, flexible: modelOutput };
}
