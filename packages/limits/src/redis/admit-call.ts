import { admissionOf } from '../admission.ts';
import type { Admission, AdmissionRequest, Peek, PolicyName, PolicyState } from '../limiter.ts';
import type { Counting } from '../limiter-options.ts';
import { bulk } from './encoded-call.ts';
import type { RedisKeys } from './redis-keys.ts';

/** The part of a call of admit.lua that is the same for each request, and the limits that it encodes. */
export interface PreparedCall
  extends Pick<AdmissionRequest, 'hashTag' | 'revokedKeyId' | 'stream' | 'tokenPolicies'> {
  tokenKeys: readonly string[] | undefined;
  /** The bulk strings before the request id and the clock, and those after them. */
  keys: string;
  args: string;
  /** Number of bulk strings, with request id and clock. */
  count: number;
}

/** Returns true if the call was prepared from the same limits, for the same key. */
export function isPreparedFor(call: PreparedCall, request: AdmissionRequest): boolean {
  return (
    call.hashTag === request.hashTag &&
    call.revokedKeyId === request.revokedKeyId &&
    call.stream === request.stream &&
    call.tokenPolicies === request.tokenPolicies
  );
}

/**
 * Encodes the part of a call that is the same for each request with these limits.
 * @param needsOneSlot true: all keys are counted in the slot of the request's hash tag
 */
export function prepareCall(
  { hashTag, policies, revokedKeyId, stream, tokenPolicies }: AdmissionRequest,
  { cellMs, largestLogged, streamLeaseMs, windowMs }: Counting,
  names: RedisKeys,
  needsOneSlot: boolean,
): PreparedCall {
  const tagOf = (ownTag: string | undefined) => (needsOneSlot ? hashTag : (ownTag ?? hashTag));
  const keys: string[] = [];
  const others: string[] = [];
  for (const policy of policies) {
    const tag = tagOf(policy.ownTag);
    const log = names.requestLog(tag, policy.bucket);
    const cells = names.requestCells(tag, policy.bucket);
    keys.push(policy.limit > largestLogged ? cells : log);
    others.push(policy.limit > largestLogged ? log : cells);
  }
  if (stream) keys.push(names.streams(hashTag, stream.bucket));
  keys.push(...others);
  if (revokedKeyId !== undefined) keys.push(names.tombstone(hashTag, revokedKeyId));
  const tokenKeys = tokenPolicies?.length
    ? tokenPolicies.map(({ bucket, ownTag }) => names.tokens(tagOf(ownTag), bucket))
    : undefined;
  if (tokenKeys !== undefined) keys.push(...tokenKeys);
  const limits = policies.map(({ limit }) => limit);
  const args = [
    windowMs,
    cellMs,
    largestLogged,
    stream?.limit ?? -1,
    streamLeaseMs,
    limits.length,
    ...limits,
  ];
  return {
    hashTag,
    revokedKeyId,
    stream,
    tokenPolicies,
    tokenKeys,
    // Joined, so that V8 stores one string, not a tree of its parts.
    keys: [keys.length, ...keys].map(bulk).join(''),
    args: args.map(bulk).join(''),
    count: 1 + keys.length + 2 + args.length,
  };
}

/** Converts the reply of admit.lua. @throws TypeError when it is malformed */
export function readAdmission(
  reply: unknown,
  request: AdmissionRequest,
  tokenKeys: readonly string[] | undefined,
): Admission {
  if (!isIntegers(reply)) throw new TypeError('admit.lua did not return integers');
  const { policies, stream, tokenPolicies = [] } = request;
  const [refusedBy = -1, freeStreams = 0] = reply;
  if (refusedBy === -1) return { outcome: 'revoked', decidedBy: 'redis' };
  const start = 2 + 2 * policies.length;
  const count = reply[start] ?? 0;
  const cell = reply[start + 1] ?? 0;
  const state: Peek = {
    policies: policyStates(reply, 2, policies),
    tokenPolicies: policyStates(reply, start + 2, tokenPolicies),
    stream: stream && { limit: stream.limit, remaining: freeStreams },
    decidedBy: 'redis',
  };
  return admissionOf(refusedBy, state, tokenKeys && { keys: tokenKeys, cell, count, countedBy: 'redis' });
}

/** @param numbers from `start` on, for each policy: remaining, milliseconds until the next place is free */
export function policyStates(
  numbers: readonly number[],
  start: number,
  policies: readonly { name: PolicyName; limit: number }[],
): PolicyState[] {
  return policies.map(({ name, limit }, index) => ({
    name,
    limit,
    remaining: numbers[start + 2 * index] ?? 0,
    resetMs: numbers[start + 2 * index + 1] ?? 0,
  }));
}

export function isIntegers(reply: unknown): reply is number[] {
  return Array.isArray(reply) && reply.every(Number.isInteger);
}
