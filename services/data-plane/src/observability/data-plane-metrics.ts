import {
  createRequestDuration,
  DURATION_BUCKETS,
  type Registry,
  TallyCounter,
  TallyHistogram,
} from '@model-gateway/service-kit';
import { UNITS } from '@model-gateway/shared';
import type { KeyWatch } from '../keys/key-watch.ts';
import type { OpenRequests } from '../keys/open-requests.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { addGauge } from './add-gauge.ts';

/** Bucket bounds in seconds: from the minimum overhead to the longest waits for a database. */
const OVERHEAD_BUCKETS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** Parts whose state the gauges show. */
interface MeasuredParts {
  openRequests: Pick<OpenRequests, 'size' | 'streams'>;
  readingOn: { readonly size: number };
  keyWatch: Pick<KeyWatch, 'lagMs'>;
  bodyBudget: MemoryBudget;
  answerBudget: MemoryBudget;
  /** Undefined: WebSocket is turned off. */
  webSockets: { readonly size: number; remembered: { readonly bytes: number } } | undefined;
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
export function createDataPlaneMetrics(
  registry: Registry,
  { answerBudget, bodyBudget, keyWatch, openRequests, readingOn, webSockets }: MeasuredParts,
) {
  const gauge = (name: string, help: string, read: () => number) => addGauge(registry, name, help, read);
  gauge('gateway_open_requests', 'Authenticated requests under way.', () => openRequests.size);
  gauge('gateway_open_streams', 'Streamed answers under way.', () => openRequests.streams);
  gauge(
    'gateway_reading_on',
    'Paid answers that are read on for their count after their callers have left.',
    () => readingOn.size,
  );
  gauge('gateway_open_websockets', 'WebSocket connections to /v1/responses.', () => webSockets?.size ?? 0);
  gauge(
    'gateway_websocket_remembered_bytes',
    'Memory for the responses that these connections continue.',
    () => webSockets?.remembered.bytes ?? 0,
  );
  gauge('gateway_body_bytes', 'Memory that request bodies take.', () => bodyBudget.usedBytes);
  gauge('gateway_waiting_bodies', 'Request bodies that wait for memory.', () => bodyBudget.waitingClaims);
  gauge('gateway_answer_bytes', 'Memory that answers read whole take.', () => answerBudget.usedBytes);
  gauge('gateway_waiting_answers', 'Answers that wait for memory.', () => answerBudget.waitingClaims);
  gauge(
    'gateway_key_watch_lag_seconds',
    'Time since cached keys were last proven right.',
    () => keyWatch.lagMs() / 1_000,
  );
  return {
    requests: new TallyCounter({
      registry,
      name: 'gateway_requests_total',
      help: 'Answers by route, status and error code.',
      labelNames: ['route', 'status', 'code'],
    }),
    duration: createRequestDuration(registry, 'gateway_request_duration_seconds'),
    overhead: new TallyHistogram({
      registry,
      name: 'gateway_overhead_seconds',
      help: 'Time in the gateway until the first byte of the provider, without the waits for providers.',
      labelNames: [],
      buckets: OVERHEAD_BUCKETS,
    }),
    timeToFirstToken: new TallyHistogram({
      registry,
      name: 'gateway_time_to_first_token_seconds',
      help: 'Time from the request to the first streamed event.',
      labelNames: ['provider'],
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
    unusedAttemptsCost: new TallyCounter({
      registry,
      name: 'gateway_unused_attempts_cost_usd_total',
      help: 'Estimated cost of attempts whose responses were not used, by reason: timeout, cut, failed.',
      labelNames: ['provider', 'reason'],
    }),
    upstreamAttempts: new TallyCounter({
      registry,
      name: 'gateway_upstream_attempts_total',
      help: 'Attempts at providers by outcome and cause: an error code, or credential.',
      labelNames: ['provider', 'outcome', 'cause'],
    }),
    upstreamSilence: new TallyHistogram({
      registry,
      name: 'gateway_upstream_silence_seconds',
      help: 'How long providers had been silent when the caller gave up before the first byte.',
      labelNames: ['provider'],
      buckets: DURATION_BUCKETS,
    }),
    providerProbes: new TallyHistogram({
      registry,
      name: 'gateway_provider_probe_duration_seconds',
      help: 'Probes of providers by how they ended: ok, refused (our credential), failed.',
      labelNames: ['provider', 'outcome'],
      buckets: DURATION_BUCKETS,
    }),
    admissions: new TallyCounter({
      registry,
      name: 'gateway_admissions_total',
      help: 'Decisions of the rate limits by class and outcome.',
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
