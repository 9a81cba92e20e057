/** A request log that must have a place free; the names are those of the `RateLimit-Policy` header. */
export type PolicyName = 'key' | 'team' | 'ip';

export interface PolicyRequest {
  name: PolicyName;
  /** What is counted together, e.g. `free:<key id>`; unique within the hash tag. Never a raw key. */
  bucket: string;
  /** Accepted requests in any 60 s. */
  limit: number;
}

export interface AdmissionRequest {
  /** Makes a repeated call recognisable: the same id is counted once. */
  requestId: string;
  /** Shared by everything one decision touches (team id, else key id, else client IP). Not empty, without braces. */
  hashTag: string;
  policies: readonly PolicyRequest[];
  /** Asks for a place among the concurrent streams as well. */
  stream?: { bucket: string; limit: number } | undefined;
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

/** Which store decided; the fallback's limits are a share of the configured ones. */
export type Store = 'redis' | 'memory';

export interface Admitted {
  outcome: 'admitted';
  policies: PolicyState[];
  stream: StreamState | undefined;
  decidedBy: Store;
}

export interface Refused {
  outcome: 'refused';
  /** Of several full policies the one that is full longest; `streams` only when every policy had room. */
  by: PolicyName | 'streams';
  retryAfterMs: number;
  policies: PolicyState[];
  stream: StreamState | undefined;
  decidedBy: Store;
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

/** Which limits to look at; as in {@link AdmissionRequest}. */
export interface PeekRequest {
  hashTag: string;
  policies: readonly PolicyRequest[];
  stream?: { bucket: string; limit: number } | undefined;
}

/** What is left of the policies, in their order, and of the places for streams. */
export interface Peek {
  policies: PolicyState[];
  /** Undefined when it was not asked for. */
  stream: StreamState | undefined;
  decidedBy: Store;
}

/**
 * Decides whether a request may go on. Every policy is an exact sliding log: never more than its
 * limit accepted in any 60 s. All limits are checked first and taken together or not at all, so a
 * refusal uses nothing up.
 */
export interface Limiter {
  admit(request: AdmissionRequest): Promise<Admission>;
  /** Looks at limits as they are before a request, and counts nothing. */
  peek(request: PeekRequest): Promise<Peek>;
  /** Frees the place at once. What is not released ends {@link STREAM_LEASE_MS} after its last heartbeat. */
  releaseStream(lease: StreamLease): Promise<void>;
  /** Renews the leases of running streams; one that had run out is taken again, because the stream does run. */
  heartbeatStreams(leases: readonly StreamLease[]): Promise<void>;
}

/** How long a stream's place survives without a heartbeat; heartbeats should come three times as often. */
export const STREAM_LEASE_MS = 30_000;
/** Nobody knows when a stream ends, so the client is told to try again soon. */
export const STREAM_RETRY_AFTER_MS = 1_000;
