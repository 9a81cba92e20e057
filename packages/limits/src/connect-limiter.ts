import type { Registry } from '@model-gateway/service-kit';
import { createLimiter, type RunningLimiter } from './create-limiter.ts';
import { createLimiterMetrics } from './limiter-metrics.ts';
import { connectRedis, type RedisConnection } from './redis/redis-connection.ts';

export interface ConnectLimiterOptions {
  /** Undefined: the operator wants limits counted in this process. */
  redisUrl: string | undefined;
  /** See `CreateLimiterOptions`. */
  expectedReplicas: number;
  isTrusted: () => boolean;
  registry: Registry;
  /** Logs a lost connection, and where limits are counted now. */
  log: { warn(fields: object, message: string): void };
}

/** Creates a service's limiter and its Redis connection; the caller closes both. */
export function connectLimiter({
  redisUrl,
  expectedReplicas,
  isTrusted,
  registry,
  log,
}: ConnectLimiterOptions): {
  redis: RedisConnection | undefined;
  limiter: RunningLimiter;
} {
  const redis =
    redisUrl === undefined
      ? undefined
      : connectRedis({
          url: redisUrl,
          onError: (error) => log.warn({ error: error.message }, 'connection to Redis lost, reconnecting'),
        });
  const metrics = createLimiterMetrics(registry, () => redis !== undefined && !limiter.isRedisHealthy);
  const limiter = createLimiter({
    connection: redis,
    expectedReplicas,
    isTrusted,
    hooks: {
      onRedisFailure: () => metrics.redisFailures.inc(),
      onHealthChange: (healthy) =>
        log.warn({}, healthy ? 'limits are counted in Redis again' : 'limits are counted in memory'),
    },
  });
  return { redis, limiter };
}
