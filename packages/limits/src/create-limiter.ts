import { FallbackLimiter, type RedisHealthHooks } from './fallback-limiter.ts';
import { KnownFull } from './known-full.ts';
import type { AdmissionRequest, Limiter, Refused } from './limiter.ts';
import { MemoryLimiter } from './memory/memory-limiter.ts';
import type { RedisConnection } from './redis/redis-connection.ts';
import { RedisLimiter } from './redis/redis-limiter.ts';

export interface CreateLimiterOptions {
  /** Undefined: this process alone decides, with undivided limits. The caller closes the connection. */
  connection: RedisConnection | undefined;
  /** Data planes that share the limits; see {@link FallbackLimiter}. */
  expectedReplicas: number;
  /** See {@link KnownFull}. */
  isTrusted: () => boolean;
  hooks?: RedisHealthHooks | undefined;
  keyPrefix?: string | undefined;
}

export interface RunningLimiter extends Limiter {
  /**
   * True while Redis decides about all requests, and so checks the tombstones of revoked keys. False without
   * Redis.
   */
  readonly isRedisHealthy: boolean;
  /** Returns the refusal of `admit` if it is known without a call, and counts nothing. Undefined: unknown. */
  knownRefusal(request: Pick<AdmissionRequest, 'hashTag' | 'policies' | 'revokedKeyId'>): Refused | undefined;
  /** Call this when a key was revoked or its limits changed. */
  forget(keyId: string): void;
  close(): void;
}

/** Creates the limiter of a data plane: Redis with memory as fallback, or memory alone. */
export function createLimiter(options: CreateLimiterOptions): RunningLimiter {
  const { connection, expectedReplicas, isTrusted, hooks, keyPrefix } = options;
  const memory = new MemoryLimiter();
  const knownFull = new KnownFull({ isTrusted });
  const fallback =
    connection &&
    new FallbackLimiter({
      redis: new RedisLimiter(connection, { keyPrefix }),
      memory,
      knownFull,
      expectedReplicas,
      nodes: connection.nodes,
      hooks,
    });
  const limiter = fallback ?? memory;
  return {
    get isRedisHealthy() {
      return fallback?.isRedisHealthy ?? false;
    },
    admit: (request) => limiter.admit(request),
    peek: (request) => limiter.peek(request),
    releaseStream: (lease) => limiter.releaseStream(lease),
    heartbeatStreams: (leases) => limiter.heartbeatStreams(leases),
    correctTokens: (taken, used) => limiter.correctTokens(taken, used),
    knownRefusal: (request) =>
      fallback === undefined ? memory.refusal(request) : knownFull.refusal(request),
    forget: (keyId) => knownFull.forget(keyId),
    close: () => fallback?.close(),
  };
}
