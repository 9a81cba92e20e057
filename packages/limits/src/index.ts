export { type ConnectLimiterOptions, connectLimiter } from './connect-limiter.ts';
export {
  type CreateLimiterOptions,
  createLimiter,
  type LimiterHooks,
  type RunningLimiter,
} from './create-limiter.ts';
export { FallbackLimiter, type FallbackLimiterOptions } from './fallback-limiter.ts';
export {
  hashTagOf,
  type KeyLimitName,
  type LimitClass,
  type LimitedKey,
  namedPolicies,
  policiesOf,
  streamsOf,
} from './key-limits.ts';
export { KnownFull, type KnownFullOptions } from './known-full.ts';
export { type LimitUse, limitUse } from './limit-use.ts';
export {
  type Admission,
  type AdmissionRequest,
  type Admitted,
  type Limiter,
  type Peek,
  type PeekRequest,
  type PolicyName,
  type PolicyRequest,
  type PolicyState,
  type Refused,
  type Revoked,
  STREAM_LEASE_MS,
  STREAM_RETRY_AFTER_MS,
  type Store,
  type StreamLease,
  type StreamState,
} from './limiter.ts';
export type { LimiterOptions } from './limiter-options.ts';
export { MemoryLimiter, type MemoryLimiterOptions } from './memory/memory-limiter.ts';
export { type LimitState, rateLimitHeaders } from './rate-limit-headers.ts';
export { RedisTimeoutError } from './redis/deadline.ts';
export {
  COMMAND_TIMEOUT_MS,
  connectRedis,
  type RedisConnection,
  type RedisConnectionOptions,
} from './redis/redis-connection.ts';
export { RedisLimiter, type RedisLimiterOptions } from './redis/redis-limiter.ts';
export { TOMBSTONE_TTL_MS, type Tombstone, Tombstones, type TombstonesOptions } from './tombstones.ts';
