import {
  createRequestDuration,
  DURATION_BUCKETS,
  Gauge,
  Histogram,
  type Registry,
  TallyCounter,
} from '@model-gateway/service-kit';
import { UNITS } from '@model-gateway/shared';

/** Bucket bounds in seconds: from the minimum overhead to the longest waits for a database. */
const OVERHEAD_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export interface DataPlaneGauges {
  openRequests: () => number;
  openStreams: () => number;
  keyWatchLagMs: () => number;
  bodyBytes: () => number;
  waitingBodies: () => number;
  answerBytes: () => number;
  waitingAnswers: () => number;
}

/** Token units and their label values in `gateway_tokens_total`. */
export const TOKEN_KINDS = UNITS.filter(({ one }) => one === 'token').map(({ unit, column, contains }) => {
  const kind = column.replace('_tokens', '');
  return { unit, kind, words: contains === undefined ? kind : `${kind} (${contains} included)` };
});

export type DataPlaneMetrics = ReturnType<typeof createDataPlaneMetrics>;

/**
 * Creates the metrics of the data plane. Label values must not grow with users: only routes, statuses, codes
 * and providers.
 */
export function createDataPlaneMetrics(registry: Registry, gauges: DataPlaneGauges) {
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('gateway_open_requests', 'Authenticated requests under way.', gauges.openRequests);
  gauge('gateway_open_streams', 'Streamed answers under way.', gauges.openStreams);
  gauge('gateway_body_bytes', 'Memory that request bodies take.', gauges.bodyBytes);
  gauge('gateway_waiting_bodies', 'Request bodies that wait for memory.', gauges.waitingBodies);
  gauge('gateway_answer_bytes', 'Memory that answers read whole take.', gauges.answerBytes);
  gauge('gateway_waiting_answers', 'Answers that wait for memory.', gauges.waitingAnswers);
  gauge(
    'gateway_key_watch_lag_seconds',
    'Time since cached keys were last proven right.',
    () => gauges.keyWatchLagMs() / 1_000,
  );
  return {
    requests: new TallyCounter({
      registry,
      name: 'gateway_requests_total',
      help: 'Answers by route, status and error code.',
      labelNames: ['route', 'status', 'code'],
    }),
    duration: createRequestDuration(registry, 'gateway_request_duration_seconds'),
    overhead: new Histogram({
      name: 'gateway_overhead_seconds',
      help: 'Time in the gateway until the provider had answered, the waits for providers left out.',
      registers,
      buckets: OVERHEAD_BUCKETS,
    }),
    timeToFirstToken: new Histogram({
      name: 'gateway_time_to_first_token_seconds',
      help: 'Time from the request to the first streamed event.',
      registers,
      labelNames: ['provider'] as const,
      buckets: DURATION_BUCKETS,
    }),
    tokens: new TallyCounter({
      registry,
      name: 'gateway_tokens_total',
      help: `Tokens by kind: ${TOKEN_KINDS.map(({ words }) => words).join(', ')}.`,
      labelNames: ['provider', 'kind'],
    }),
    cost: new TallyCounter({
      registry,
      name: 'gateway_cost_usd_total',
      help: 'What requests cost their payers, in US dollars.',
      labelNames: ['provider'],
    }),
    upstreamAttempts: new TallyCounter({
      registry,
      name: 'gateway_upstream_attempts_total',
      help: 'Attempts at providers by how they ended, and what for: an error code, or credential.',
      labelNames: ['provider', 'outcome', 'cause'],
    }),
    upstreamSilence: new Histogram({
      name: 'gateway_upstream_silence_seconds',
      help: 'How long providers had said nothing when the caller gave up before the first byte.',
      registers,
      labelNames: ['provider'] as const,
      buckets: DURATION_BUCKETS,
    }),
    providerProbes: new Histogram({
      name: 'gateway_provider_probe_duration_seconds',
      help: 'Probes of providers by how they ended: ok, refused (our credential), failed.',
      registers,
      labelNames: ['provider', 'outcome'] as const,
      buckets: DURATION_BUCKETS,
    }),
    admissions: new TallyCounter({
      registry,
      name: 'gateway_admissions_total',
      help: 'Decisions of the limits by what was asked for and how it was decided.',
      labelNames: ['class', 'outcome'],
    }),
    keyLookups: new TallyCounter({
      registry,
      name: 'gateway_key_lookups_total',
      help: 'Key checks answered by the cache (hit) or by the control plane (miss).',
      labelNames: ['result'],
    }),
  };
}
