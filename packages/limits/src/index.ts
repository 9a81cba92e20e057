export { type Claim, ClaimedValues, type ClaimResult } from './claimed-values.ts';
export { connectLimiter } from './connect-limiter.ts';
export { createLimiter, type RunningLimiter } from './create-limiter.ts';
export { ExpiringValues, type NamedValue, TooManyBytes } from './expiring-values.ts';
export {
  type CountedAs,
  endUserPolicies,
  hashTagOf,
  type KeyLimitName,
  type LimitClass,
  type LimitedEndUser,
  type LimitedKey,
  namedPolicies,
  policiesOf,
  type RateRules,
  streamsOf,
  tokenPolicyOf,
} from './key-limits.ts';
export { limitUse } from './limit-use.ts';
export type {
  Admission,
  AdmissionRequest,
  Limiter,
  Peek,
  PolicyRequest,
  Refused,
  RequestPolicyName,
  Revoked,
  StreamLease,
  TakenTokens,
  TokenEstimate,
  TokenPolicyRequest,
} from './limiter.ts';
export { MemoryLimiter } from './memory/memory-limiter.ts';
export { ALL_VALUES, PurgeableValues } from './purgeable-values.ts';
export { rateLimitHeaders, setRateLimitHeaders } from './rate-limit-headers.ts';
export { COMMAND_TIMEOUT_MS, connectRedis, type RedisConnection } from './redis/redis-connection.ts';
export { RedisLimiter } from './redis/redis-limiter.ts';
export { Tombstones } from './tombstones.ts';
