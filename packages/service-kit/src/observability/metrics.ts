import { collectDefaultMetrics, Registry } from '@prometheus-io/client';

export { Counter, Gauge, Histogram, Registry } from '@prometheus-io/client';

/** Bucket bounds in seconds, from a cache hit to a long completion. */
export const DURATION_BUCKETS = [
  0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600,
];

/**
 * Metrics of the process, shared by all services in it. Their collectors (garbage collection, event loop) can
 * be started but never stopped, and hold on to their registry.
 */
let processMetrics: Registry | undefined;

/** Makes a registry for one service instance, with the process metrics in it. */
export function createRegistry(): Registry {
  if (processMetrics === undefined) {
    processMetrics = new Registry();
    collectDefaultMetrics({ register: processMetrics });
  }
  return Registry.merge([processMetrics]);
}
