import { Counter, DURATION_BUCKETS, Histogram, type Registry } from './metrics.ts';

/** Makes the metrics of `observeRequest`, with the names that the service gives them. */
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

/** Makes the histogram of how long requests take, by route. */
export function createRequestDuration(registry: Registry, name: string) {
  return new Histogram({
    name,
    help: 'Time from the first to the last byte.',
    registers: [registry],
    labelNames: ['route'] as const,
    buckets: DURATION_BUCKETS,
  });
}
