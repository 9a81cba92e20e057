import { estimatedTokens } from '@model-gateway/dialects';
import {
  type CountedAs,
  endUserPolicies,
  type LimitedEndUser,
  type PolicyRequest,
  policiesOf,
  type TokenEstimate,
  type TokenPolicyRequest,
  tokenPolicyOf,
} from '@model-gateway/limits';
import type { AuthenticatedRecord } from '../request-record.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';

type LimitedRecord = Pick<AuthenticatedRecord, 'endUser' | 'endUserRules' | 'key'>;

/** Returns the limits of requests per minute that apply to a request. Reads have none of an end user. */
export function requestPoliciesOf(record: LimitedRecord, limitClass: CountedAs): readonly PolicyRequest[] {
  const policies = policiesOf(record.key, limitClass);
  const endUser = limitClass === 'reads' ? undefined : limitedEndUser(record);
  const ofEndUser = endUser && endUserPolicies(endUser).requests;
  if (ofEndUser !== undefined) policies.push(ofEndUser);
  return policies;
}

export function hasTokenLimit({ endUserRules, key }: LimitedRecord): boolean {
  return key.rules?.tokensPerMinute !== undefined || endUserRules?.tokensPerMinute !== undefined;
}

/** Returns the limits of tokens per minute that apply to a request; undefined: none. */
export function tokenPoliciesOf(record: LimitedRecord): readonly TokenPolicyRequest[] | undefined {
  if (!hasTokenLimit(record)) return undefined;
  const ofKey = tokenPolicyOf(record.key);
  const endUser = limitedEndUser(record);
  const ofEndUser = endUser && endUserPolicies(endUser).tokens;
  if (ofKey === undefined) return ofEndUser && [ofEndUser];
  return ofEndUser === undefined ? [ofKey] : [ofKey, ofEndUser];
}

function limitedEndUser({ endUser, endUserRules, key }: LimitedRecord): LimitedEndUser | undefined {
  if (endUser === undefined || endUserRules === undefined) return undefined;
  return { accountId: key.accountId, endUser, rules: endUserRules };
}

/**
 * Estimates the tokens of a request before it is sent.
 * @param bodyBytes length of the JSON body; undefined for a chat, whose input has been measured
 */
export function estimateTokens(
  {
    maxUnits,
    modelOutput = 0,
    wholeOutput,
  }: Pick<CapabilityCall, 'maxUnits' | 'modelOutput' | 'wholeOutput'>,
  bodyBytes: number | undefined,
): TokenEstimate {
  const input = Math.min(
    maxUnits.inputTokens,
    bodyBytes === undefined ? Number.POSITIVE_INFINITY : estimatedTokens(bodyBytes),
  );
  const output = wholeOutput ?? maxUnits.outputTokens;
  return { fixed: input + output - modelOutput, flexible: modelOutput };
}
