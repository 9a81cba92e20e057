/** The SQL that fills a database. Only this file knows the columns that simulated usage needs. */

/** Ten consecutive records have one key and lie within a minute, as from a program that uses the gateway. */
export const RECORDS_OF_A_BURST = 10;
const BURST_STEP_MS = 5_000;
/** Records are charged in groups of this size, as in a full batch of a data plane. */
const RECORDS_OF_A_SETTLEMENT = 500;

/** Numbers the keys from 0, each with its payer. */
export const CREATE_FILL_KEYS = `
  CREATE UNLOGGED TABLE fill_keys AS
  SELECT row_number() OVER (ORDER BY k.id) - 1 AS place, k.id AS key_id, k.account_id, a.id AS allowance_id,
    part.pool_id
  FROM api_keys k JOIN allowances a ON a.payer = ARRAY['account:' || k.account_id] JOIN allowance_parts part ON allowance_id = a.id`;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Eight characters of base62 for a number of milliseconds. */
const TIME_IN_BASE62 = Array.from(
  { length: 8 },
  (_, place) => `substr('${ALPHABET}', (ended_ms / ${62n ** BigInt(7 - place)} % 62)::int + 1, 1)`,
).join(' || ');

/**
 * Stores and charges the requests with the numbers p_first to p_last, as if they had been settled when they
 * ended, and adds them to the sums of usage. Ids sort by time, as those of data planes do. The first burst
 * begins at p_from (Unix milliseconds), and each p_step milliseconds another one.
 */
export const CREATE_FILL_FUNCTION = `
  CREATE FUNCTION fill_usage(p_first bigint, p_last bigint, p_from bigint, p_step float8, p_models text[])
  RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
  DECLARE
    v_keys bigint := (SELECT count(*) FROM fill_keys);
    v_ids text[];
  BEGIN
    WITH settlements AS MATERIALIZED (
      SELECT place, nextval('pending_settlements_number_seq') AS settlement
      FROM generate_series(p_first / ${RECORDS_OF_A_SETTLEMENT}, p_last / ${RECORDS_OF_A_SETTLEMENT}) AS place
    ), timed AS (
      SELECT k.*, settlement, number, 100 + number % 400 AS input_tokens,
        p_from + floor(number / ${RECORDS_OF_A_BURST} * p_step)::bigint
          + number % ${RECORDS_OF_A_BURST} * ${BURST_STEP_MS} AS ended_ms
      FROM generate_series(p_first, p_last) AS number
      JOIN settlements ON settlements.place = number / ${RECORDS_OF_A_SETTLEMENT}
      JOIN fill_keys k ON k.place = abs(hashint8extended(number / ${RECORDS_OF_A_BURST}, 0) % v_keys)
    ), given AS MATERIALIZED (
      SELECT *, input_tokens * 100 + 100000 AS cost, to_timestamp(ended_ms / 1000.0) AS ended_at,
        'req_' || ${TIME_IN_BASE62} || substr(md5(number::text), 1, 16) AS request_id
      FROM timed
    ), stored AS (
      INSERT INTO usage_records (
        request_id, account_id, key_id, model_id, capability, price_version, input_tokens, cached_input_tokens,
        output_tokens, images, characters, audio_ms, search_units, usage_source, billing_reason, held, cost,
        charged, uncollected, attempts, client_status, ended_at, settled_at,
        settlement, pool_id, arrival
      )
      SELECT request_id, account_id, key_id, p_models[1 + place % cardinality(p_models)], 'chat', 1, input_tokens,
        0, 250, 0, 0, 0, 0, 'provider', 'completed', 1000000, cost, cost, 0,
        '[{"providerId":"fixed","httpStatus":200,"errorCode":null,"durationMs":350,"timeToFirstTokenMs":null}]',
        200, ended_at, ended_at, settlement, pool_id,
        arrival_of(request_id)
      FROM given ORDER BY ended_ms
      RETURNING request_id
    ), entries AS (
      INSERT INTO ledger_entries (pool_id, kind, amount, settlement)
      SELECT pool_id, 'charge', -sum(cost), settlement FROM given GROUP BY settlement, pool_id
    ), parts AS (
      UPDATE allowance_parts part SET held = held - due.cost
      FROM (SELECT allowance_id, sum(cost) AS cost FROM given GROUP BY 1) AS due
      WHERE part.allowance_id = due.allowance_id
    ), charges AS (
      UPDATE pools SET held = held - due.cost, charged = charged + due.cost
      FROM (SELECT pool_id, sum(cost) AS cost FROM given GROUP BY 1) AS due
      WHERE id = due.pool_id
    )
    SELECT array_agg(request_id) INTO v_ids FROM stored;
    PERFORM sum_up(v_ids, NULL);
  END
  $$`;

/** Creates partitions for the records of this many days. */
export const MAKE_FILL_PARTITIONS = 'SELECT make_usage_partitions($1::int, 3)';

export const FILL = 'SELECT fill_usage($1::bigint, $2::bigint, $3::bigint, $4::float8, $5::text[])';

export const DROP_FILL_FUNCTION = 'DROP FUNCTION fill_usage';
export const DROP_FILL_KEYS = 'DROP TABLE fill_keys';
