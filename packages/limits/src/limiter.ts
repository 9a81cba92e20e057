import type { Tier } from '@model-gateway/shared';

/**
 * Names of policies that count requests, in the `RateLimit-Policy` header. `key.<tier>`: the request counts
 * against both tiers.
 */
export type RequestPolicyName =
  | 'key'
  | `key.${Tier}`
  | 'key-requests'
  | 'end-user-requests'
  | 'team'
  | 'ip'
  | 'admin-key';
/** Names of policies that count tokens. */
export type TokenPolicyName = 'key-tokens' | 'end-user-tokens';
export type PolicyName = RequestPolicyName | TokenPolicyName;

interface Policy<Name extends PolicyName> {
  name: Name;
  /** Names what is counted together, e.g. `free:<key id>`; unique within the hash tag. Never a raw key. */
  bucket: string;
  /** Maximum requests or tokens in any 60 s. */
  limit: number;
  /**
   * Hash tag of a bucket that decisions with other hash tags share. In a Redis Cluster, where a decision has
   * only one slot, the bucket is counted in that slot, so once for each hash tag.
   */
  ownTag?: string | undefined;
}

export type PolicyRequest = Policy<RequestPolicyName>;
export type TokenPolicyRequest = Policy<TokenPolicyName>;

/** The limits of one decision. */
export interface PeekRequest {
  /** Shared by all data of one decision: the team id, key id or client IP. Not empty, no braces. */
  hashTag: string;
  policies: readonly PolicyRequest[];
  /** Left out or empty: no tokens count. */
  tokenPolicies?: readonly TokenPolicyRequest[] | undefined;
  /** Set if the request also needs a place among the concurrent streams. */
  stream?: { bucket: string; limit: number } | undefined;
}

/** The tokens that a request takes from each token policy until its usage is known. */
export interface TokenEstimate {
  /** Taken whole, at least one: the input, and the output that the caller allows. */
  fixed: number;
  /** Output that only the model limits: at most a quarter of what the tightest policy has left is taken. */
  flexible: number;
}

export interface AdmissionRequest extends PeekRequest {
  /** Identifies a repeated call: the same id is counted once, except where only large limits apply. */
  requestId: string;
  /** The key whose revocation tombstone is looked up. */
  revokedKeyId?: string | undefined;
  /** Required with token policies. */
  estimate?: TokenEstimate | undefined;
}

export interface PolicyState {
  name: PolicyName;
  limit: number;
  /** Requests that would be accepted right now, or tokens that are left. */
  remaining: number;
  /**
   * Milliseconds until the next place or token is free, rounded up; 0 when nothing is used. In a refusal by a
   * token policy: until the request fits.
   */
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
  /** The state of the token policies, in their order. */
  tokenPolicies: PolicyState[];
  /** Undefined when the request has no `stream`. */
  stream: StreamState | undefined;
  decidedBy: Store;
}

export interface Admitted extends Peek {
  outcome: 'admitted';
  /** Set with token policies: pass it to `correctTokens` once the usage is known. */
  tokens?: TakenTokens | undefined;
}

/** The tokens that one request took from its token policies. */
export interface TakenTokens {
  /** The buckets, as the store names them. */
  keys: readonly string[];
  /** The number of the cell that counts them. */
  cell: number;
  count: number;
  countedBy: Store;
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
 * checked first, and then taken together or not at all, so a refusal uses nothing up. Limits up to {@link
 * LARGEST_LOGGED_LIMIT} use an exact sliding log. Larger limits count requests per cell of {@link CELL_MS},
 * all as accepted at the cell's end: a place may become free up to one cell late, never early. After a limit
 * has changed its kind, both counts add up.
 */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Returns the state of the limits without counting a request. */
  peek(request: PeekRequest): Promise<Peek>;
  /** Frees the place at once. Without this it ends {@link STREAM_LEASE_MS} after its last heartbeat. */
  releaseStream(lease: StreamLease): Promise<void>;
  /** Renews the leases of running streams. One that had ended is taken again: its stream still runs. */
  heartbeatStreams(leases: readonly StreamLease[]): Promise<void>;
  /**
   * Replaces the estimate of a request by the tokens that it used, as long as it is in the window. Call it at
   * most once for each. Without it, the estimate counts until it leaves the window.
   */
  correctTokens(taken: TakenTokens, used: number): void;
}

/** The largest limit with a log of requests; larger limits are counted in cells. */
export const LARGEST_LOGGED_LIMIT = 5_000;
/** A minute has 12,000 cells, a quarter of a megabyte in Redis; a logged request takes 100 bytes. */
export const CELL_MS = 5;
/**
 * Tokens are counted in cells, all as taken at the cell's end. A minute has 240 of them, so a bucket is
 * small, and tokens are free again at most a quarter of a second late, never early.
 */
export const TOKEN_CELL_MS = 250;
/** How long a stream keeps its place without a heartbeat. Send three heartbeats in that time. */
export const STREAM_LEASE_MS = 30_000;
/** The end of a stream is unknown, so clients retry soon. */
export const STREAM_RETRY_AFTER_MS = 1_000;
