import { Prisma, type PrismaClient } from '@model-gateway/database';
import { MAX_ACCOUNTS, type MinuteOutcomes } from '../status/health-store.ts';
import { widenMinutes } from './widen-minutes.ts';

/** Columns that are added up, besides the histograms. */
const COUNTS = {
  attempts: 'attempts',
  failed_attempts: 'failedAttempts',
  requests: 'requests',
  failed_requests: 'failedRequests',
  gave_up: 'gaveUp',
} as const;
const HISTOGRAMS = { latency_buckets: 'latencyBuckets', first_token_buckets: 'firstTokenBuckets' } as const;
const COLUMNS = Prisma.raw(
  ['model_id', 'provider_id', ...Object.keys({ ...COUNTS, ...HISTOGRAMS })].join(', '),
);
const MEMBERS = ['modelId', 'providerId', ...Object.values({ ...COUNTS, ...HISTOGRAMS })];
const GIVEN = Prisma.raw(MEMBERS.map((name) => `given."${name}"`).join(', '));
const TYPES = Prisma.raw(
  MEMBERS.map(
    (name) => `"${name}" ${name.endsWith('Buckets') ? 'int[]' : name.endsWith('Id') ? 'text' : 'int'}`,
  ).join(', '),
);
/** Assignments of an upsert into `sum`. */
const ADDED = Prisma.raw(
  [
    ...Object.keys(COUNTS).map((name) => `${name} = sum.${name} + EXCLUDED.${name}`),
    ...Object.keys(HISTOGRAMS).map(
      (name) => `${name} = (
        SELECT array_agg(a + b ORDER BY place)
        FROM unnest(sum.${name}, EXCLUDED.${name}) WITH ORDINALITY AS bucket (a, b, place)
      )`,
    ),
  ].join(', '),
);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** @param time column with the start */
function addTo(
  table: 'model_hours' | 'model_days',
  time: 'hour' | 'day',
  rows: readonly object[],
): Prisma.Sql {
  return Prisma.sql`
      INSERT INTO ${Prisma.raw(table)} AS sum (${COLUMNS}, ${Prisma.raw(time)})
      SELECT ${GIVEN}, given.start
      FROM fresh, ROWS FROM (
        jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (${TYPES}, start timestamptz)
      ) WITH ORDINALITY AS given
      ORDER BY given.ordinality
      ON CONFLICT (${Prisma.raw(time)}, model_id, provider_id) DO UPDATE SET ${ADDED}`;
}

/**
 * Adds a batch's counts to their minutes, hours and days, once, waiting for a concurrent call.
 * @param rows sorted equally by all callers, because they are locked in order
 */
export async function storeOutcomes(
  prisma: PrismaClient,
  batchId: string,
  rows: readonly MinuteOutcomes[],
): Promise<void> {
  await prisma.$executeRaw`
    WITH fresh AS (
      INSERT INTO settled_batches (id) VALUES (${batchId}) ON CONFLICT DO NOTHING RETURNING id
    ), hours AS (${addTo('model_hours', 'hour', widenMinutes(rows, HOUR_MS))}
    ), days AS (${addTo('model_days', 'day', widenMinutes(rows, DAY_MS))}
    )
    INSERT INTO model_minutes AS sum (${COLUMNS}, minute, accounts)
    SELECT ${GIVEN}, given.minute, given.accounts
    FROM fresh, ROWS FROM (
      jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS (${TYPES}, minute timestamptz, accounts jsonb)
    ) WITH ORDINALITY AS given
    ORDER BY given.ordinality
    ON CONFLICT (model_id, provider_id, minute) DO UPDATE SET ${ADDED},
      accounts = (
        SELECT coalesce(jsonb_object_agg(id, counts), '{}') FROM (
          SELECT id, jsonb_build_array(sum((each.counts ->> 0)::int), sum((each.counts ->> 1)::int),
            sum((each.counts ->> 2)::int), sum((each.counts ->> 3)::int), sum((each.counts ->> 4)::int)
          ) AS counts
          FROM (
            SELECT * FROM jsonb_each(sum.accounts) UNION ALL SELECT * FROM jsonb_each(EXCLUDED.accounts)
          ) AS each (id, counts)
          GROUP BY id ORDER BY sum((each.counts ->> 1)::int) DESC, id LIMIT ${MAX_ACCOUNTS}
        ) AS kept
      )`;
}
