import { Counter, DURATION_BUCKETS, Histogram, type Registry } from './metrics.ts';

/** What `observeRequest` counts, under the names that a service gives it. */
export function createRequestMetrics(registry: Registry, names: { requests: string; duration: string }) {
  return {
    requests: new Counter({
      name: names.requests,
      help: 'Answers by route and status.',
      labelNames: ['route', 'status'] as const,
      registers: [registry],
    }),
    duration: createRequestDuration(registry, names.duration),
  };
}

/** How long requests take, by route. */
export function createRequestDuration(registry: Registry, name: string) {
  return new Histogram({
    name,
    help: 'Time from the first to the last byte.',
    registers: [registry],
    labelNames: ['route'] as const,
    buckets: DURATION_BUCKETS,
  });
}
