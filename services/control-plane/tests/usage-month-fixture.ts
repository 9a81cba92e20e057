import type { GetUsageResponseMessage } from '@model-gateway/contracts';
import { expect } from 'vitest';
import { at, CALL_DEADLINE_MS, type ControlPlanes } from './control-planes-fixture.ts';

const DAY_SECONDS = 86_400;
const YEAR_SECONDS = 365 * DAY_SECONDS;
const CHUNK = 1_000_000;
const ROUNDS = 30;

/** The last whole calendar month in UTC, in Unix seconds. */
export interface Month {
  start: number;
  end: number;
}

export function lastMonth(): Month {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return { start: Date.UTC(year, month - 1) / 1_000, end: Date.UTC(year, month) / 1_000 };
}

/**
 * Stores requests of one account, spread evenly over a month, 5 models and 20 keys, and adds them to the sums.
 */
export async function fillMonth(control: ControlPlanes, requests: number): Promise<Month> {
  const month = lastMonth();
  for (let from = 0; from < requests; from += CHUNK) {
    const last = Math.min(from + CHUNK, requests) - 1;
    await control.query(
      `INSERT INTO usage_records (
         request_id, account_id, key_id, model_id, capability, price_version, input_tokens, cached_input_tokens,
         output_tokens, images, characters, audio_ms, search_units, usage_source, billing_reason, held, cost, charged,
         uncollected, attempts, ended_at, settlement
       )
       SELECT 'req_' || lpad(i::text, 24, '0'), 'acct_test', 'key_' || lpad((abs(hashint8(i)) % 20)::text, 24, '0'),
         'sim/chat-' || abs(hashint8(-i)) % 5, 'chat', 1, 1000, 100, 200, 0, 0, 0, 0, 'provider', 'completed', 2000,
         1350, 1350, 0,
         '[{"providerId": "sim", "httpStatus": 200, "errorCode": null, "durationMs": 812}]',
         to_timestamp($3::float8 + i * ($4::float8 - $3::float8) / $5::float8), 1
       FROM generate_series($1::bigint, $2::bigint) AS i`,
      [from, last, month.start, month.end, requests],
    );
    await control.query(
      `SELECT sum_up(array_agg('req_' || lpad(i::text, 24, '0')), NULL) FROM generate_series($1::bigint, $2::bigint) AS i`,
      [from, last],
    );
  }
  await control.query('VACUUM ANALYZE usage_rollups, usage_days');
  return month;
}

export interface Asked {
  startTime: number;
  endTime: number;
  bucketWidth: number;
  groupBy?: string[];
  limit: number;
}

function askUsage(control: ControlPlanes, asked: Asked): Promise<GetUsageResponseMessage> {
  return at(control.callers, 0).call(CALL_DEADLINE_MS, 'billing', 'getUsage', {
    owner: { accountId: 'acct_test' },
    ...asked,
  });
}

/** Returns the questions that a dashboard asks about a month. */
export function questions({ start, end }: Month): Record<string, Asked> {
  const groupBy = ['model'];
  return {
    'the month by day': { startTime: start, endTime: end, bucketWidth: DAY_SECONDS, groupBy, limit: 31 },
    'from hh:mm to hh:mm, three weeks later': {
      startTime: start + 13 * 3_600 + 37 * 60,
      endTime: start + 22 * DAY_SECONDS + 22 * 3_600 + 22 * 60,
      bucketWidth: DAY_SECONDS,
      groupBy,
      limit: 31,
    },
    'the last hour by minute': { startTime: end - 3_600, endTime: end, bucketWidth: 60, groupBy, limit: 60 },
    'the month, its first day by hour': {
      startTime: start,
      endTime: end,
      bucketWidth: 3_600,
      groupBy,
      limit: 24,
    },
  };
}

/**
 * By how many milliseconds the limit grows for each millisecond that an empty question takes on this machine
 * at this time.
 */
const SLOWNESS = 20;

/**
 * Asks 30 times and prints how long that took. Half of the answers (`p50`) or nearly all (`p95`) must be
 * fast.
 */
export async function expectFast(
  { percentile, limitMs }: { percentile: 'p50' | 'p95'; limitMs: number },
  control: ControlPlanes,
  name: string,
  asked: Asked,
): Promise<GetUsageResponseMessage> {
  const nothing = {
    ...asked,
    startTime: asked.startTime - YEAR_SECONDS,
    endTime: asked.endTime - YEAR_SECONDS,
  };
  const [times, plainTimes]: [number[], number[]] = [[], []];
  let answer = await askUsage(control, asked);
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAtMs = performance.now();
    answer = await askUsage(control, asked);
    const answeredAtMs = performance.now();
    await askUsage(control, nothing);
    times.push(answeredAtMs - startedAtMs);
    plainTimes.push(performance.now() - answeredAtMs);
  }
  const [taken, plain] = [percentiles(times), percentiles(plainTimes)];
  const { requests } = answer.totals ?? {};
  console.info(
    `${name}: p50 ${taken.p50.toFixed(1)} ms, p95 ${taken.p95.toFixed(1)} ms of ${requests} requests`,
  );
  expect(taken[percentile]).toBeLessThan(limitMs + SLOWNESS * plain[percentile]);
  return answer;
}

function percentiles(times: readonly number[]): { p50: number; p95: number } {
  const sorted = [...times].sort((left, right) => left - right);
  const within = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN;
  return { p50: within(0.5), p95: within(0.95) };
}
