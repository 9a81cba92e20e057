import { UNITS } from '@model-gateway/shared';

const RETAINED_SINCE = `(SELECT min(bucket) FROM usage_rollups WHERE width = 60)`;
const RETAINED_DAYS_SINCE = `date_trunc('day', ${RETAINED_SINCE}, 'UTC')`;

const POOL_ADDS_UP = `
  SELECT 'pool' AS kind, id, format(
    'included %s, remaining %s, held %s, charged %s: these do not add up, or one is negative',
    included, remaining, held, charged
  ) AS problem
  FROM pools
  WHERE included <> remaining + held + charged OR least(included, remaining, held, charged) < 0
  ORDER BY id`;

const POOL_IS_SUM_OF_LEDGER = `
  SELECT 'pool' AS kind, p.id, format(
    CASE WHEN unlimited THEN 'unlimited, and charged %s' ELSE 'remaining and held are %s' END ||
      ', but its ledger entries sum to %s', abs(owned), coalesce(entries.sum, 0)
  ) AS problem
  FROM pools p CROSS JOIN LATERAL (
    SELECT CASE WHEN p.unlimited THEN -p.charged ELSE p.remaining + p.held END AS owned
  ) AS money
  LEFT JOIN (SELECT pool_id, sum(amount) FROM ledger_entries GROUP BY 1) AS entries ON pool_id = p.id
  WHERE owned <> coalesce(entries.sum, 0)
  ORDER BY p.id`;

const POOL_HOLDS_ITS_PARTS = `
  SELECT 'pool' AS kind, p.id, format(
    'held %s, but allowances hold %s of it', p.held, coalesce(parts.sum, 0)
  ) AS problem
  FROM pools p LEFT JOIN (SELECT pool_id, sum(held) FROM allowance_parts GROUP BY 1)
    AS parts ON pool_id = p.id
  WHERE p.held <> coalesce(parts.sum, 0)
  ORDER BY p.id`;

/** Its parts may hold less than this, because used money has moved to the usage records, but never more. */
const ALLOWANCE_HOLDS_ITS_PARTS = `
  SELECT 'allowance' AS kind, a.id, CASE
    WHEN a.closed_at IS NULL
    THEN format('holds %s, but was granted %s and gave back %s', coalesce(parts.sum, 0), a.granted,
      a.returned)
    ELSE format('ended, but holds %s', parts.sum)
  END AS problem
  FROM allowances a LEFT JOIN (SELECT allowance_id, sum(held) FROM allowance_parts GROUP BY 1) AS parts
    ON allowance_id = a.id
  WHERE coalesce(parts.sum, 0) > CASE WHEN a.closed_at IS NULL THEN a.granted - a.returned ELSE 0 END
  ORDER BY a.id`;

const BUDGET_HOLDS_ITS_ALLOWANCES = `
  SELECT 'budget' AS kind, id, format(
    'held %s, but allowances hold %s within it', coalesce(w.held, 0), coalesce(parts.sum, 0)
  ) AS problem
  FROM budget_windows w FULL JOIN (
    SELECT window_id AS id, sum(part.held)
    FROM allowances a JOIN allowance_parts part ON part.allowance_id = a.id, unnest(a.budgets) AS window_id
    WHERE part.held > 0 GROUP BY 1
  ) AS parts USING (id)
  WHERE coalesce(w.held, 0) <> coalesce(parts.sum, 0)
  ORDER BY 2`;

/** Skips windows that began before the oldest kept record: they may have spent more. */
const BUDGET_SPENT_ITS_RECORDS = `
  SELECT 'budget' AS kind, id, format(
    'spent %s, but its usage records sum to %s', w.spent, coalesce(records.sum, 0)
  ) AS problem
  FROM budget_windows w LEFT JOIN (
    SELECT window_id AS id, sum(charged) FROM usage_records, unnest(budgets) AS window_id GROUP BY 1
  ) AS records USING (id)
  WHERE w.spent <> coalesce(records.sum, 0) AND coalesce(w.created_at >= ${RETAINED_SINCE}, true)
  ORDER BY 2`;

const SETTLEMENT_IS_SUM_OF_ITS_RECORDS = `
  SELECT 'settlement' AS kind, concat_ws(' ', settlement, pool_id) AS id, format(
    'charged %s in the ledger, but its usage records sum to %s', coalesce(entries.sum, 0),
    coalesce(records.sum, 0)
  ) AS problem
  FROM (
    SELECT coalesce(settlement, corrects) AS settlement, pool_id, -sum(amount) AS sum,
      min(created_at) AS charged_at
    FROM ledger_entries WHERE kind IN ('charge', 'correction') GROUP BY 1, 2
  ) AS entries
  FULL JOIN (
    SELECT settlement, pool_id, sum(amount) AS sum
    FROM (
      SELECT settlement, pool_id, charged AS amount FROM usage_records WHERE pool_id IS NOT NULL
      UNION ALL
      SELECT settlement, charge->>'poolId', (charge->>'amount')::bigint
      FROM usage_records, jsonb_array_elements(charges) AS charge WHERE charges IS NOT NULL
    ) AS paid GROUP BY 1, 2
  ) AS records USING (settlement, pool_id)
  WHERE coalesce(entries.sum, 0) <> coalesce(records.sum, 0)
    AND (charged_at IS NULL OR charged_at >= ${RETAINED_SINCE})
  ORDER BY settlement, pool_id`;

const RECORD_SAYS_WHO_PAID = `
  SELECT 'usage_record' AS kind, request_id AS id, format(
    'charged %s, but names the payers of %s', charged, coalesce(paid.sum, 0)
  ) AS problem
  FROM usage_records, LATERAL (
    SELECT CASE
      WHEN charges IS NULL THEN CASE WHEN pool_id IS NOT NULL THEN charged END
      ELSE (SELECT sum((charge->>'amount')::bigint) FROM jsonb_array_elements(charges) AS charge)
    END AS sum
  ) AS paid
  WHERE charged <> coalesce(paid.sum, 0)
  ORDER BY 2`;

const RECORD_ADDS_UP = `
  SELECT 'usage_record' AS kind, request_id AS id, format(
    'cost %s, charged %s, uncollected %s, cost at the provider %s, of unused attempts %s: these do not add up, or '
      'one is negative', cost, charged, uncollected, coalesce(provider_cost, cost), coalesce(attempts_cost, 0)
  ) AS problem
  FROM usage_records
  WHERE cost <> charged + uncollected OR least(charged, uncollected, provider_cost, attempts_cost) < 0
  ORDER BY 2`;

/**
 * A checkpoint stored during a settlement elsewhere is deleted within a minute (AllowanceStore) and charges
 * nothing, so only older ones are wrong.
 */
const SETTLED_HAS_NO_CHECKPOINT = `
  SELECT 'usage_checkpoint' AS kind, request_id AS id, 'the request is settled already' AS problem
  FROM usage_checkpoints JOIN usage_records USING (request_id)
  WHERE updated_at < now() - interval '5 minutes'
  ORDER BY 2`;

const COUNTED = ['requests', ...UNITS.map(({ column }) => column), 'charged'];
const SUMS = [...COUNTED, 'provider_cost'];

/** Adds up sums. Sums of earlier releases have no cost at the provider: it is what was charged. */
const SUM_OF_SUMS = [
  ...COUNTED.map((sum) => `sum(${sum}) AS ${sum}`),
  ...['provider_cost', 'least_provider_cost'].map((sum) => `sum(coalesce(provider_cost, charged)) AS ${sum}`),
].join(', ');

/**
 * Adds up records. `least_provider_cost` counts what was charged of records without a cost at the provider:
 * sums of an earlier release lack what it could not collect.
 */
const SUM_OF_RECORDS = [
  'count(*) AS requests',
  ...COUNTED.slice(1).map((sum) => `sum(${sum}) AS ${sum}`),
  'sum(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0)) AS provider_cost',
  'sum(coalesce(provider_cost, charged) + coalesce(attempts_cost, 0)) AS least_provider_cost',
].join(', ');

function rollups(bucket: 'hour' | 'day', condition: string, key = 'key_id'): string {
  return sumsOf('usage_rollups', bucket, condition, key);
}

function sumsOf(table: string, bucket: 'hour' | 'day', condition: string, key: string): string {
  return `
    SELECT account_id, seat_id, ${key} AS key_id, model_id, date_trunc('${bucket}', bucket, 'UTC') AS bucket,
      ${SUM_OF_SUMS}
    FROM ${table} WHERE ${condition} GROUP BY 1, 2, 3, 4, 5`;
}

const RECORDS_BY_DAY = `
  SELECT account_id, coalesce(seat_id, '') AS seat_id, key_id, model_id,
    date_trunc('day', ended_at, 'UTC') AS bucket,
    ${SUM_OF_RECORDS}
  FROM usage_records r
  WHERE ended_at >= ${RETAINED_DAYS_SINCE}
    AND NOT EXISTS (SELECT FROM pending_settlements WHERE number = r.settlement)
  GROUP BY 1, 2, 3, 4, 5`;

const LABELS_BY_DAY = `
  SELECT account_id, seat_id, label || ' ' || value AS key_id, model_id, bucket, ${COUNTED.join(', ')},
    coalesce(provider_cost, charged) AS provider_cost
  FROM usage_label_days WHERE bucket >= ${RETAINED_DAYS_SINCE}`;

/** Sums records as usage_label_days does: values that it does not keep apart count as ''. */
const LABELLED_RECORDS_BY_DAY = `
  SELECT account_id, seat_id, label || ' ' || CASE WHEN EXISTS (
      SELECT FROM usage_label_days kept
      WHERE kept.account_id = r.account_id AND kept.label = r.label AND kept.bucket = r.bucket AND kept.value = r.value
    ) THEN value ELSE '' END AS key_id, model_id, bucket,
    ${[...SUMS, 'least_provider_cost'].map((sum) => `sum(${sum}) AS ${sum}`).join(', ')}
  FROM (
    SELECT account_id, coalesce(seat_id, '') AS seat_id, model_id, label, value,
      date_trunc('day', ended_at, 'UTC') AS bucket, ${SUM_OF_RECORDS}
    FROM usage_records r CROSS JOIN LATERAL (
      SELECT 'tag:' || tag, text FROM jsonb_each_text(tags) AS given (tag, text)
      UNION ALL VALUES ('end_user', end_user), ('session', session)
    ) AS labels (label, value)
    WHERE value <> '' AND ended_at >= ${RETAINED_DAYS_SINCE}
      AND NOT EXISTS (SELECT FROM pending_settlements WHERE number = r.settlement)
    GROUP BY 1, 2, 3, 4, 5, 6
  ) AS r
  GROUP BY 1, 2, 3, 4, 5`;

/**
 * Compares buckets in `actual` with sums of `parts`. Treats an empty bucket as missing: a corrected report
 * may have left it.
 * @param name name of a bucket
 */
function sumsAgree(name: string, actual: string, partsName: string, parts: string): string {
  const least = (sum: string) => (sum === 'provider_cost' ? 'least_provider_cost' : sum);
  const differing = SUMS.map(
    (
      sum,
    ) => `CASE WHEN coalesce(actual.${sum}, 0) NOT BETWEEN coalesce(parts.${least(sum)}, 0) AND coalesce(parts.${sum}, 0)
      THEN format('${sum} %s, but ${partsName} sum to %s', coalesce(actual.${sum}, 0),
        coalesce(parts.${sum}, 0)) END`,
  );
  return `
    SELECT 'usage_rollup' AS kind, problem, concat_ws(
      ' ', '${name}', to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI"Z"'), account_id,
      nullif(seat_id, ''), nullif(key_id, ''), model_id
    ) AS id
    FROM (
      SELECT account_id, seat_id, key_id, model_id, bucket,
        concat_ws('; ', ${differing.join(', ')}) AS problem
      FROM (${actual}) AS actual FULL JOIN (${parts}) AS parts
        USING (account_id, seat_id, key_id, model_id, bucket)
    ) AS compared
    WHERE problem <> ''
    ORDER BY bucket, 3`;
}

/** Hours and days contain all minutes before this time. */
const WATERMARK = '(SELECT until FROM rollup_watermark)';
const SINCE_RETAINED_DAY = `bucket >= ${RETAINED_DAYS_SINCE}`;

/** Checks that read pools, allowances and budgets, but no records. */
export const BALANCE_CHECKS: readonly string[] = [
  POOL_ADDS_UP,
  POOL_HOLDS_ITS_PARTS,
  ALLOWANCE_HOLDS_ITS_PARTS,
  BUDGET_HOLDS_ITS_ALLOWANCES,
];

export const LEDGER_CHECKS: readonly string[] = [
  POOL_ADDS_UP,
  POOL_IS_SUM_OF_LEDGER,
  POOL_HOLDS_ITS_PARTS,
  ALLOWANCE_HOLDS_ITS_PARTS,
  BUDGET_HOLDS_ITS_ALLOWANCES,
  BUDGET_SPENT_ITS_RECORDS,
  RECORD_ADDS_UP,
  RECORD_SAYS_WHO_PAID,
  SETTLEMENT_IS_SUM_OF_ITS_RECORDS,
  SETTLED_HAS_NO_CHECKPOINT,
  sumsAgree(
    'day',
    rollups('day', `(width = 86400 OR width = 60 AND bucket >= ${WATERMARK}) AND ${SINCE_RETAINED_DAY}`),
    'usage records',
    RECORDS_BY_DAY,
  ),
  sumsAgree('day', rollups('day', 'width = 86400'), 'hours', rollups('day', 'width = 3600')),
  sumsAgree(
    'hour',
    rollups('hour', `width = 3600 AND ${SINCE_RETAINED_DAY}`),
    'minutes',
    rollups('hour', `width = 60 AND bucket < ${WATERMARK} AND ${SINCE_RETAINED_DAY}`),
  ),
  sumsAgree(
    'day of all keys',
    sumsOf('usage_days', 'day', 'true', `''`),
    'those of each key',
    rollups('day', 'width = 86400', `''`),
  ),
  sumsAgree('day of a label', LABELS_BY_DAY, 'usage records', LABELLED_RECORDS_BY_DAY),
];
