import type { Tier } from '@model-gateway/shared';

/**
 * The kinds of policies, as the `RateLimit-Policy` header names them; those of a tier where a request counts
 * against both.
 */
export type PolicyName = 'key' | `key.${Tier}` | 'team' | 'ip';

export interface PolicyRequest {
  name: PolicyName;
  /** Names what is counted together, e.g. `free:<key id>`; unique within the hash tag. Never a raw key. */
  bucket: string;
  /** How many requests are accepted in any 60 s. */
  limit: number;
}

/** The limits to look at. */
export interface PeekRequest {
  /** Shared by all data of one decision: the team id, key id or client IP. Not empty, no braces. */
  hashTag: string;
  policies: readonly PolicyRequest[];
  /** Asks for a place among the concurrent streams as well. */
  stream?: { bucket: string; limit: number } | undefined;
}

export interface AdmissionRequest extends PeekRequest {
  /** Identifies a repeated call: the same id is counted once, except where only large limits apply. */
  requestId: string;
  /** The key whose revocation tombstone is looked up. */
  revokedKeyId?: string | undefined;
}

export interface PolicyState {
  name: PolicyName;
  limit: number;
  /** Requests that would be accepted right now. */
  remaining: number;
  /** Milliseconds until the next place is free, rounded up; 0 when nothing is used. */
  resetMs: number;
}

export interface StreamState {
  limit: number;
  remaining: number;
}

/** Which store decided. Memory that stands in for Redis has only a share of the configured limits. */
export type Store = 'redis' | 'memory';

/** The state of the policies, in their order, and of the streams. */
export interface Peek {
  policies: PolicyState[];
  /** Undefined when the request did not ask for it. */
  stream: StreamState | undefined;
  decidedBy: Store;
}

export interface Admitted extends Peek {
  outcome: 'admitted';
}

export interface Refused extends Peek {
  outcome: 'refused';
  /** The policy that is full longest, if several are; `streams` only if every policy had room. */
  by: PolicyName | 'streams';
  retryAfterMs: number;
}

export interface Revoked {
  outcome: 'revoked';
  decidedBy: Store;
}

export type Admission = Admitted | Refused | Revoked;

/** A place among the concurrent streams of a bucket, held by one request. */
export interface StreamLease {
  requestId: string;
  hashTag: string;
  bucket: string;
}

/**
 * Decides whether a request may go on. A policy never accepts more than its limit in any 60 s. All limits are
 * checked first, and then taken together or not at all, so a refusal uses nothing up.
 *
 * A limit of up to {@link LARGEST_LOGGED_LIMIT} is an exact sliding log of requests. Of a larger one only the
 * number of requests in each {@link CELL_MS} is kept, and they all count as accepted at the end of that time:
 * a place is free again up to so much later than 60 s after it was taken, and never earlier. While a bucket
 * has requests of both kinds, because its limit has changed, all of them count.
 */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Tells the state of the limits before a request, and counts nothing. */
  peek(request: PeekRequest): Promise<Peek>;
  /** Frees the place at once. Without this it ends {@link STREAM_LEASE_MS} after its last heartbeat. */
  releaseStream(lease: StreamLease): Promise<void>;
  /** Renews the leases of running streams. One that had ended is taken again: its stream still runs. */
  heartbeatStreams(leases: readonly StreamLease[]): Promise<void>;
}

/** The largest limit whose requests are kept one by one; of all larger ones they are counted in cells. */
export const LARGEST_LOGGED_LIMIT = 5_000;
/** A minute has 12,000 cells, which take Redis a quarter of a megabyte, and 100 bytes are one request's. */
export const CELL_MS = 5;
/** How long a stream keeps its place without a heartbeat; heartbeats should come three times in that time. */
export const STREAM_LEASE_MS = 30_000;
/** Nobody knows when a stream ends, so the client is told to try again soon. */
export const STREAM_RETRY_AFTER_MS = 1_000;
