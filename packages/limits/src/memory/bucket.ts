import type { PolicyRequest, PolicyState, TokenPolicyRequest } from '../limiter.ts';
import type { RequestCells } from './request-cells.ts';
import type { RequestLog } from './request-log.ts';
import type { TokenCells } from './token-cells.ts';

/**
 * A policy with its counted requests: in `cells` if the limit is large, else in `log`. For a minute after a
 * limit became large or small, they are in both.
 */
export interface Bucket {
  policy: PolicyRequest;
  key: string;
  isLarge: boolean;
  log: RequestLog;
  /** Undefined: there are none. */
  cells: RequestCells | undefined;
}

function countOf({ log, cells }: Bucket): number {
  return log.count + (cells?.count ?? 0);
}

export function stateOf(bucket: Bucket, now: number, windowMicros: number): PolicyState {
  const { name, limit } = bucket.policy;
  return {
    name,
    limit,
    remaining: Math.max(0, limit - countOf(bucket)),
    resetMs: millisecondsUntilFree(bucket, now, windowMicros),
  };
}

/** Milliseconds until a place is free, rounded up; 0 when nothing is used. */
function millisecondsUntilFree(bucket: Bucket, now: number, windowMicros: number): number {
  const { limit } = bucket.policy;
  if (limit <= 0) return Math.ceil(windowMicros / 1_000);
  const count = countOf(bucket);
  if (count === 0) return 0;
  // The oldest request is not always enough: after a limit was lowered, several must leave.
  const acceptedAt = acceptedAfter(bucket, Math.max(0, count - limit));
  return Math.ceil((acceptedAt + windowMicros - now) / 1_000);
}

/** Returns the acceptance time of the request that leaves the window after `older` others. */
function acceptedAfter({ log, cells }: Bucket, older: number): number {
  let left = older;
  const inCells = (cells?.cells() ?? [])[Symbol.iterator]();
  let cell = inCells.next();
  for (const acceptedAt of log.times()) {
    while (!cell.done && cell.value[0] <= acceptedAt) {
      left -= cell.value[1];
      if (left < 0) return cell.value[0];
      cell = inCells.next();
    }
    if (left === 0) return acceptedAt;
    left -= 1;
  }
  while (!cell.done) {
    left -= cell.value[1];
    if (left < 0) return cell.value[0];
    cell = inCells.next();
  }
  throw new RangeError(`the bucket has no request after ${older} others`);
}

/** A token policy with its tokens in the window. */
export interface TokenBucket {
  policy: TokenPolicyRequest;
  key: string;
  cells: TokenCells;
}

function fits({ cells, policy }: TokenBucket, wanted: number): boolean {
  return cells.sum + wanted <= policy.limit;
}

/** Returns the tokens that the tightest bucket has left after the wanted ones; negative: they do not fit. */
export function tokensLeft(buckets: readonly TokenBucket[], wanted: number): number {
  return Math.min(...buckets.map(({ cells, policy }) => policy.limit - cells.sum - wanted));
}

/** @param wanted tokens of a refused request; if they do not fit, `resetMs` is the time until they do */
export function tokenStateOf(bucket: TokenBucket, now: number, wanted = 1): PolicyState {
  const { cells, policy } = bucket;
  const { limit, name } = policy;
  const remaining = Math.max(0, limit - cells.sum);
  const missing = fits(bucket, wanted) ? 1 : wanted;
  return { name, limit, remaining, resetMs: cells.millisecondsUntilFit(limit, missing, now) };
}

/**
 * Returns the number of the full policy that frees a place last, from 1, token buckets after the others; 0:
 * none is full.
 */
export function longestFull(
  buckets: readonly Bucket[],
  tokenBuckets: readonly TokenBucket[],
  tokens: number,
  now: number,
  windowMicros: number,
): number {
  let refusedBy = 0;
  let longest = 0;
  for (const [index, bucket] of buckets.entries()) {
    if (countOf(bucket) < bucket.policy.limit) continue;
    const wait = millisecondsUntilFree(bucket, now, windowMicros);
    if (wait > longest) {
      refusedBy = index + 1;
      longest = wait;
    }
  }
  for (const [index, bucket] of tokenBuckets.entries()) {
    if (fits(bucket, tokens)) continue;
    const wait = bucket.cells.millisecondsUntilFit(bucket.policy.limit, tokens, now);
    if (wait > longest) {
      refusedBy = buckets.length + index + 1;
      longest = wait;
    }
  }
  return refusedBy;
}
