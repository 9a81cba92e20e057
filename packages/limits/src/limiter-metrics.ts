import { Counter, Gauge, type Registry } from '@model-gateway/service-kit';

/** @param isFallback true: memory decides, because Redis is down */
export function createLimiterMetrics(registry: Registry, isFallback: () => boolean) {
  const registers = [registry];
  new Gauge({
    name: 'gateway_limiter_fallback',
    help: '1 while limits are counted in the memory of this process, because Redis does not answer.',
    registers,
    collect() {
      this.set(isFallback() ? 1 : 0);
    },
  });
  return {
    redisFailures: new Counter({
      name: 'gateway_limiter_redis_failures_total',
      help: 'Calls to Redis that failed, so that memory decided.',
      registers,
    }),
  };
}
