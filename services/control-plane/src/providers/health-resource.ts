import { z } from 'zod';
import type { HealthToSend } from '../status/health-message.ts';
import { timestamp } from '../timestamps.ts';

const count = z.int().min(0);
const share = z.number().nullable().describe('Share of the responses. Null: there were none.');
const milliseconds = z.object({ p50: z.number(), p95: z.number() }).nullable();

export const healthSchema = z.object({
  status: z.string(),
  state: z.string(),
  sentence: z.string().nullable().describe('What is wrong. Null: nothing.'),
  since: timestamp.nullable().describe('Start of the trouble.'),
  last_traffic_at: timestamp.nullable(),
  requests_5m: count,
  requests_24h: count,
  success_5m: share,
  success_24h: share,
  latency_ms: milliseconds.describe('Last five minutes.'),
  time_to_first_token_ms: milliseconds.describe('Last five minutes.'),
});

export type HealthFiguresToSend = HealthToSend['models'][number];

export function healthResource(figures: HealthFiguresToSend): z.infer<typeof healthSchema> {
  return {
    status: figures.status,
    state: figures.state,
    sentence: figures.sentence ?? null,
    since: timeOf(figures.since),
    last_traffic_at: timeOf(figures.lastTrafficAt),
    requests_5m: figures.requests5m,
    requests_24h: figures.requests24h,
    success_5m: figures.uptime5m ?? null,
    success_24h: figures.uptime24h ?? null,
    latency_ms: figures.latencyMs ?? null,
    time_to_first_token_ms: figures.timeToFirstTokenMs ?? null,
  };
}

function timeOf(seconds: number | undefined): string | null {
  return seconds === undefined ? null : new Date(seconds * 1_000).toISOString();
}
