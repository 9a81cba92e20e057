import { Counter, Gauge, Histogram, type Registry } from '@model-gateway/service-kit';

export type WebhookMetrics = ReturnType<typeof createWebhookMetrics>;

export function createWebhookMetrics(registry: Registry) {
  const registers = [registry];
  const attempts = new Counter({
    name: 'gateway_webhook_attempts_total',
    help: 'Attempts to deliver events to webhooks and by mail, by outcome: delivered or failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  // Without them, Prometheus would see no increase at the first attempt.
  for (const outcome of ['delivered', 'failed']) attempts.inc({ outcome }, 0);
  return {
    attempts,
    exhausted: new Counter({
      name: 'gateway_webhook_exhausted_total',
      help: 'Deliveries of events that failed for good: no further attempt follows.',
      registers,
    }),
    attemptDuration: new Histogram({
      name: 'gateway_webhook_attempt_duration_seconds',
      help: 'Duration of attempts to deliver events.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    lag: new Gauge({
      name: 'gateway_webhook_lag_seconds',
      help: 'Longest time that a delivery waited after it was due, among those taken last; 0: none was due.',
      registers,
    }),
  };
}
