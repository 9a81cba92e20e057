import { DURATION_BUCKETS, type Registry } from './metrics.ts';
import { TallyCounter } from './tally-counter.ts';
import { TallyHistogram } from './tally-histogram.ts';

/** Makes the metrics of `observeRequest`, with the names that the service gives them. */
export function createRequestMetrics(registry: Registry, names: { requests: string; duration: string }) {
  return {
    requests: new TallyCounter({
      registry,
      name: names.requests,
      help: 'Answers by route and status.',
      labelNames: ['route', 'status'],
    }),
    duration: createRequestDuration(registry, names.duration),
  };
}

/** Makes the histogram of how long requests take, by route. */
export function createRequestDuration(registry: Registry, name: string) {
  return new TallyHistogram({
    registry,
    name,
    help: 'Time from the first to the last byte.',
    labelNames: ['route'],
    buckets: DURATION_BUCKETS,
  });
}
