export { connectLimiter } from './connect-limiter.ts';
export { createLimiter, type RunningLimiter } from './create-limiter.ts';
export { ExpiringValues, type NamedValue, TooManyBytes } from './expiring-values.ts';
export {
  type CountedAs,
  hashTagOf,
  type LimitClass,
  type LimitedKey,
  namedPolicies,
  policiesOf,
  streamsOf,
} from './key-limits.ts';
export { limitUse } from './limit-use.ts';
export type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PolicyName,
  PolicyRequest,
  Refused,
  Revoked,
  StreamLease,
} from './limiter.ts';
export { MemoryLimiter } from './memory/memory-limiter.ts';
export { rateLimitHeaders } from './rate-limit-headers.ts';
export { COMMAND_TIMEOUT_MS, connectRedis, type RedisConnection } from './redis/redis-connection.ts';
export { RedisLimiter } from './redis/redis-limiter.ts';
export { Tombstones } from './tombstones.ts';
