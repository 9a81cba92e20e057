-- Prices that payers are charged instead of the catalog's, and what requests cost at their providers. New
-- columns are null in existing rows, so that no table is rewritten.
CREATE TABLE price_lists (
  id text PRIMARY KEY,
  name text NOT NULL,
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  updated_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX price_lists_created_at_id_idx ON price_lists (created_at, id);
CREATE UNIQUE INDEX price_lists_default ON price_lists (is_default) WHERE is_default;

CREATE TABLE price_list_versions (
  number int PRIMARY KEY,
  list_id text REFERENCES price_lists (id) ON DELETE SET NULL ON UPDATE CASCADE,
  valid_from timestamptz(3) NOT NULL,
  terms jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX price_list_versions_list_id_idx ON price_list_versions (list_id);

ALTER TABLE accounts ADD COLUMN price_list_id text
  REFERENCES price_lists (id) ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE usage_records ADD COLUMN price_list_version int, ADD COLUMN service_tier text,
  ADD COLUMN provider_cost bigint, ADD COLUMN attempts_cost bigint;
ALTER TABLE usage_checkpoints ADD COLUMN price_list_version int, ADD COLUMN service_tier text,
  ADD COLUMN provider_cost bigint, ADD COLUMN attempts_cost bigint;
ALTER TABLE usage_rollups ADD COLUMN provider_cost bigint;
ALTER TABLE usage_days ADD COLUMN provider_cost bigint;
ALTER TABLE usage_label_days ADD COLUMN provider_cost bigint;
ALTER TABLE model_usage ADD COLUMN provider_cost bigint;
ALTER TABLE unreported_records ADD COLUMN reported_cost bigint;
ALTER TABLE events ADD COLUMN operator_data jsonb;


-- Stores ended requests and charges their cost: first money set aside for them, then the pools' balance, as
-- far as their budgets allow; the rest is uncollected. Skips requests that are stored already, but replaces a
-- provisional record (its data plane seemed gone) and charges or refunds the difference, once
-- (correct_charge). Writes one ledger entry per paying pool, and the payers of each record. Sums follow later
-- (roll_up_settlements).
--   p_request_ids  ascending and distinct; the other arrays have the same length and order
--   p_payers       as grant_allowances takes them; p_accounts, p_seats and p_teams are only stored
--   p_units        of all requests, concatenated, sixteen each: input tokens, cached input, output tokens,
--                  images, characters, milliseconds of audio, search units, tokens written to the cache,
--                  written for an hour, audio input, image input, reasoning, audio output, image output, web
--                  searches, tool calls
--   p_tags, p_end_users, p_sessions, p_affinities, p_price_list_versions, p_provider_costs, p_attempts_costs,
--   p_service_tiers  as in usage_records; null: none
--   p_budgets      windows of budgets that money was reserved from, each an array in a text; null: none
--   p_provisional  the final records may still follow. The caller holds locks (close_expired_allowance), so
--                  it waits for no pool
-- @throws lock_not_available when it may not wait for a locked pool; nothing was stored
--
-- A connection caches plans from its first calls, when tables may have been small. A sequential scan of
-- usage_records in such a plan would cost ever more, so these scans are off. Up to Postgres 17, any scan that
-- remains then looks so costly that Postgres compiles it, which takes longer than running it: JIT is off.
CREATE OR REPLACE FUNCTION settle_usage(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_price_list_versions int[], p_provider_costs bigint[], p_attempts_costs bigint[],
  p_service_tiers text[], p_provisional boolean
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_settlement bigint;
  -- Records with an arrival outside of this time are stored without it, so that a day is fully settled two
  -- days later (drop_usage_partitions).
  v_earliest text COLLATE "C" := arrival_at(now() - interval '48 hours');
  v_latest text COLLATE "C" := arrival_at(now() + interval '24 hours');
  -- First and last arrival of these.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
  v_locked_windows text[];
  v_locked_pools text[];
  -- Stored already, without the replaced ones.
  v_known_ids text[];
  -- Partly known and replaced: the settlements that charged it, and who paid.
  v_replaced_ids text[];
  v_settlements bigint[];
  v_payers text[];
  v_charged bigint[];
  v_charges jsonb[];
  v_old_budgets text[];
  -- Budgets and pools that replaced records were charged to, in this attempt and earlier ones.
  v_charged_windows text[] := '{}';
  v_charged_pools text[] := '{}';
  v_locked_ids text[];
  -- Those in the sums, with their stored values.
  v_summed_ids text[];
  v_summed usage_records[];
  v_old record;
  -- The others.
  v_new_ids text[];
  -- Those with a tag, an end user or a session.
  v_labelled_ids text[] := ARRAY(
    SELECT request_id FROM unnest(p_request_ids, p_tags, p_end_users, p_sessions) AS r (request_id, tags, end_user, session)
    WHERE tags IS NOT NULL OR end_user IS NOT NULL OR session IS NOT NULL
  );
  -- Allowances that pay all their charges here, each from one pool.
  v_paying text[];
  v_pools text[];
  v_amounts bigint[];
  -- End of the first and last request.
  v_first timestamptz;
  v_last timestamptz;
  v_is_late boolean;
  v_checkpoints text[];
  v_record record;
BEGIN
  FOR v_attempt IN 1..100 LOOP
    BEGIN
      v_settlement := nextval('pending_settlements_number_seq');
      v_new_ids := p_request_ids;
      v_locked_ids := '{}';
      v_summed_ids := '{}';
      v_summed := NULL;
      v_is_late := false;
      SELECT array_agg(DISTINCT id) INTO v_locked_windows
      FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id;
      IF p_provisional THEN
        PERFORM FROM budget_windows WHERE id = ANY(v_locked_windows) ORDER BY id FOR UPDATE NOWAIT;
      ELSE
        PERFORM lock_budgets(v_locked_windows || v_charged_windows);
      END IF;
      SELECT array_agg(DISTINCT p.id) INTO v_locked_pools
      FROM (
        SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
      ) AS paid, payer_pools(paid.payer::text[]) AS p;
      IF p_provisional THEN
        PERFORM FROM pools WHERE id = ANY(v_locked_pools) ORDER BY id FOR UPDATE NOWAIT;
      END IF;
      PERFORM lock_pools(v_locked_pools || v_charged_pools);
      SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
      FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
      -- Pools of free requests are not locked, so the same records may be replaced concurrently: wait for
      -- those locks and read again.
      LOOP
        SELECT coalesce(array_agg(request_id) FILTER (WHERE NOT is_replaced), '{}'),
          coalesce(array_agg(request_id) FILTER (WHERE is_replaced), '{}'),
          array_agg(settlement) FILTER (WHERE is_replaced), array_agg(pool_id) FILTER (WHERE is_replaced),
          array_agg(charged) FILTER (WHERE is_replaced), array_agg(charges) FILTER (WHERE is_replaced),
          array_agg(budgets::text) FILTER (WHERE is_replaced)
        INTO v_known_ids, v_replaced_ids, v_settlements, v_payers, v_charged, v_charges, v_old_budgets
        FROM (
          -- An OR would look up each id twice per partition.
          SELECT *, is_provisional AND NOT p_provisional AS is_replaced FROM (
            SELECT * FROM usage_records WHERE request_id = ANY(p_request_ids) AND arrival = ''
            UNION ALL
            SELECT * FROM usage_records
            WHERE request_id = ANY(p_request_ids) AND arrival BETWEEN v_first_arrival AND v_last_arrival
              AND arrival <> ''
          ) AS found
          ORDER BY request_id
        ) AS stored;
        EXIT WHEN v_replaced_ids <@ v_locked_ids;
        -- Waiting for records added meanwhile would break the lock order.
        IF v_locked_ids <> '{}' THEN RAISE lock_not_available; END IF;
        PERFORM FROM usage_records
        WHERE request_id = ANY(v_replaced_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
        ORDER BY request_id FOR UPDATE;
        v_locked_ids := v_replaced_ids;
      END LOOP;
      IF v_replaced_ids <> '{}' THEN
        v_charged_windows := ARRAY(
          SELECT unnest(v_charged_windows)
          UNION SELECT id FROM unnest(v_old_budgets) AS given (budgets), unnest(budgets::text[]) AS id
        );
        -- They are not all among the payer's pools: the final report may be free, or a pool removed.
        v_charged_pools := ARRAY(
          SELECT unnest(v_charged_pools)
          UNION SELECT pool_id FROM unnest(v_payers) AS paid (pool_id) WHERE pool_id IS NOT NULL
          UNION SELECT charge->>'poolId' FROM unnest(v_charges) AS paid (charges), jsonb_array_elements(charges) AS charge
        );
        PERFORM FROM budget_windows WHERE id = ANY(v_charged_windows) ORDER BY id FOR UPDATE NOWAIT;
        PERFORM FROM pools WHERE id = ANY(v_charged_pools) ORDER BY id FOR UPDATE NOWAIT;
      END IF;
      IF v_known_ids || v_replaced_ids <> '{}' THEN
        v_new_ids := ARRAY(
          SELECT id FROM unnest(p_request_ids) AS id WHERE id <> ALL(v_known_ids || v_replaced_ids)
        );
      END IF;
      -- Nearly always an allowance has money of one pool and enough of it.
      WITH total AS (
        SELECT allowance_id, payer, coalesce(budgets, '{}') AS budgets, sum(cost) AS cost,
          count(*) OVER (PARTITION BY allowance_id) AS groups
        FROM unnest(p_request_ids, p_allowances, p_payers, p_budgets, p_costs)
          AS r (request_id, allowance_id, payer, budgets, cost)
        WHERE cost > 0 AND request_id <> ALL(v_known_ids || v_replaced_ids) GROUP BY 1, 2, 3
      ), covered AS (
        SELECT a.id, min(part.pool_id) AS pool_id, total.cost
        FROM total
        JOIN allowances a ON a.id = total.allowance_id AND a.payer = total.payer::text[]
          AND a.budgets = total.budgets::text[]
        JOIN allowance_parts part ON part.allowance_id = a.id AND part.held > 0
        WHERE total.groups = 1
        GROUP BY a.id, total.cost
        HAVING count(*) = 1 AND min(part.held) >= total.cost
      )
      SELECT array_agg(id), array_agg(pool_id), array_agg(cost) INTO v_paying, v_pools, v_amounts FROM covered;
      -- A pool added meanwhile is not locked.
      IF EXISTS (SELECT unnest(v_pools) EXCEPT SELECT unnest(v_locked_pools)) THEN RAISE lock_not_available; END IF;

      IF cardinality(v_replaced_ids) > 0 THEN
        PERFORM FROM pending_settlements WHERE number = ANY(v_settlements) ORDER BY number FOR UPDATE;
        FOR v_old IN SELECT * FROM unnest(v_replaced_ids, v_settlements) AS old (request_id, settlement) LOOP
          -- A settlement changed here is not summed meanwhile.
          UPDATE pending_settlements SET first_ended_at = least(first_ended_at, r.ended_at),
            last_ended_at = greatest(last_ended_at, r.ended_at),
            labelled_ids = labelled_ids || ARRAY(SELECT r.request_id WHERE r.request_id = ANY(v_labelled_ids))
          FROM unnest(p_request_ids, p_ended_at) AS r (request_id, ended_at)
          WHERE number = v_old.settlement AND r.request_id = v_old.request_id;
          IF NOT FOUND THEN v_summed_ids := v_summed_ids || v_old.request_id; END IF;
        END LOOP;
        SELECT array_agg(r) INTO v_summed FROM usage_records r
        WHERE request_id = ANY(v_summed_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
        DELETE FROM usage_records
        WHERE request_id = ANY(v_replaced_ids)
          AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival);
      END IF;
      INSERT INTO usage_records (
        request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, input_tokens,
        cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
        cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
        image_output_tokens, web_search_requests, tool_calls, parts, usage_source, billing_reason, held, cost,
        charged, uncollected, attempts, ended_at, is_provisional, client_status, client_error_code, tags, end_user,
        session, affinity, budgets, settlement, pool_id, arrival, price_list_version, provider_cost, attempts_cost,
        service_tier
      )
      SELECT request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version,
        p_units[at + 1], p_units[at + 2], p_units[at + 3], p_units[at + 4], p_units[at + 5], p_units[at + 6],
        p_units[at + 7], p_units[at + 8], p_units[at + 9], p_units[at + 10], p_units[at + 11], p_units[at + 12],
        p_units[at + 13], p_units[at + 14], p_units[at + 15], p_units[at + 16],
        parts, usage_source, billing_reason, held, cost,
        CASE WHEN pool_id IS NULL THEN 0 ELSE cost END, CASE WHEN pool_id IS NULL THEN cost ELSE 0 END, attempts,
        ended_at, p_provisional, client_status, client_error_code, tags, end_user, session, affinity, budgets::text[],
        v_settlement, pool_id,
        CASE WHEN arrival_of(request_id) COLLATE "C" BETWEEN v_earliest AND v_latest THEN arrival_of(request_id) ELSE '' END,
        price_list_version, provider_cost, attempts_cost, service_tier
      FROM unnest(
        p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities, p_price_versions,
        p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at, p_client_statuses,
        p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets, p_price_list_versions,
        p_provider_costs, p_attempts_costs, p_service_tiers
      ) WITH ORDINALITY AS r (
        request_id, allowance_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, parts,
        usage_source, billing_reason, held, cost, attempts, ended_at, client_status, client_error_code, tags, end_user,
        session, affinity, budgets, price_list_version, provider_cost, attempts_cost, service_tier, place
      )
      LEFT JOIN unnest(v_paying, v_pools) AS paying (id, pool_id)
        ON paying.id = allowance_id AND cost > 0 AND request_id <> ALL(v_replaced_ids),
      LATERAL (SELECT (16 * (place - 1))::int) AS units (at)
      WHERE request_id <> ALL(v_known_ids)
      -- Waits for anybody storing one of them, too.
      ORDER BY place;
      IF v_new_ids <> '{}' THEN
        SELECT min(ended_at), max(ended_at) INTO v_first, v_last FROM unnest(p_ended_at) AS r (ended_at);
        v_is_late := v_first <= now() - interval '5 minutes';
        IF NOT v_is_late THEN
          INSERT INTO pending_settlements (number, first_ended_at, last_ended_at, request_ids, labelled_ids)
          VALUES (
            v_settlement, v_first, v_last, v_new_ids,
            CASE
              WHEN v_known_ids || v_replaced_ids = '{}' THEN v_labelled_ids
              ELSE ARRAY(SELECT id FROM unnest(v_labelled_ids) AS id WHERE id = ANY(v_new_ids))
            END
          );
        END IF;
      END IF;
      -- By the second suffices, and whoever holds the lock is using it.
      UPDATE allowances SET used_at = now() WHERE NOT p_provisional AND id IN (
        SELECT id FROM allowances
        WHERE id IN (SELECT DISTINCT unnest(p_allowances)) AND used_at < now() - interval '1 second'
        FOR UPDATE SKIP LOCKED
      );
      v_checkpoints := ARRAY(
        SELECT request_id FROM usage_checkpoints WHERE request_id = ANY(p_request_ids) ORDER BY request_id FOR UPDATE
      );
      IF v_checkpoints <> '{}' THEN DELETE FROM usage_checkpoints WHERE request_id = ANY(v_checkpoints); END IF;

      WITH due AS (
        SELECT * FROM unnest(v_paying, v_pools, v_amounts) AS r (allowance_id, pool_id, amount)
      ), parts AS (
        UPDATE allowance_parts part SET held = held - due.amount FROM due
        WHERE part.allowance_id = due.allowance_id AND part.pool_id = due.pool_id
      ), sums AS (
        SELECT pool_id, sum(amount) AS amount FROM due GROUP BY 1
      ), charges AS (
        UPDATE pools SET held = held - sums.amount, charged = charged + sums.amount FROM sums WHERE id = pool_id
      )
      INSERT INTO ledger_entries (pool_id, kind, amount, settlement)
      SELECT pool_id, 'charge', -amount, v_settlement FROM sums;
      IF v_locked_windows IS NOT NULL THEN
        UPDATE budget_windows w SET held = w.held - sum.amount, spent = w.spent + sum.amount
        FROM (
          SELECT window_id, sum(amount)::bigint AS amount
          FROM unnest(v_paying, v_amounts) AS due (allowance_id, amount)
          JOIN allowances a ON a.id = due.allowance_id, unnest(a.budgets) AS window_id GROUP BY 1
        ) AS sum
        WHERE w.id = sum.window_id;
      END IF;
      FOR v_record IN
        SELECT request_id, allowance_id, payer
        FROM unnest(p_request_ids, p_allowances, p_payers, p_costs) AS r (request_id, allowance_id, payer, cost)
        WHERE cost > 0 AND (allowance_id = ANY(v_paying)) IS NOT TRUE
          AND request_id <> ALL(v_known_ids || v_replaced_ids)
      LOOP
        PERFORM charge_request(v_record.request_id, v_record.allowance_id, v_record.payer::text[]);
      END LOOP;
      FOR v_old IN
        SELECT old.*, r.budgets FROM unnest(v_replaced_ids, v_settlements, v_payers, v_charged, v_charges, v_old_budgets)
          AS old (request_id, settlement, pool_id, charged, charges, old_budgets)
        JOIN unnest(p_request_ids, p_budgets) AS r (request_id, budgets) USING (request_id)
      LOOP
        IF coalesce(v_old.budgets, '{}')::text[] <> coalesce(v_old.old_budgets, '{}')::text[] THEN
          PERFORM change_budgets(v_old.old_budgets::text[], 0, -v_old.charged);
          PERFORM change_budgets(v_old.budgets::text[], 0, v_old.charged);
        END IF;
        PERFORM correct_charge(
          request_id, allowance_id, payer::text[], v_old.settlement, v_old.charged, v_old.pool_id, v_old.charges
        )
        FROM unnest(p_request_ids, p_allowances, p_payers) AS r (request_id, allowance_id, payer)
        WHERE request_id = v_old.request_id;
      END LOOP;
      -- Reads of usage include all records since the first pending one, so late reports are summed at once.
      IF v_is_late OR v_summed_ids <> '{}' THEN
        -- No roll-up reports them: the events of request.settled are made from these rows.
        INSERT INTO unreported_records (request_id, reported, reported_cost)
        SELECT id, 0, 0 FROM unnest(v_new_ids) AS id WHERE v_is_late
        UNION ALL SELECT old.request_id, old.charged, coalesce(old.provider_cost, old.cost) + coalesce(old.attempts_cost, 0)
        FROM unnest(v_summed) AS old;
        v_summed_ids := CASE WHEN v_is_late THEN v_new_ids ELSE '{}' END || v_summed_ids;
        PERFORM sum_up(v_summed_ids, v_summed);
        IF v_summed IS NOT NULL OR v_labelled_ids <> '{}' THEN PERFORM add_label_sums(v_summed_ids, v_summed); END IF;
      END IF;
      -- Last, because an insert of the same response waits for this (store_followed). A locked one is being
      -- claimed, and is deleted later (FollowedResponseStore.prune).
      IF v_replaced_ids <> '{}' THEN
        DELETE FROM followed_responses WHERE request_id IN (
          SELECT request_id FROM followed_responses WHERE request_id = ANY(v_replaced_ids) FOR UPDATE SKIP LOCKED
        );
      END IF;
      RETURN;
    EXCEPTION WHEN unique_violation OR lock_not_available THEN
      IF v_attempt = 100 OR p_provisional AND SQLSTATE = '55P03' THEN RAISE; END IF;
      -- Somebody stored one of the requests, or locked a pool added meanwhile or charged before. Retry: it is
      -- known now, and all locks of this attempt are free, so that the next one takes its own in their order.
    END;
  END LOOP;
END
$$;

-- Stores and charges requests provisionally (settle_usage), so that other data planes can follow their
-- responses (store_followed).
--   p_followed  as in followed_responses; the others as in settle_usage
-- @throws lock_not_available when a pool added meanwhile is locked
CREATE OR REPLACE FUNCTION hand_over_usage(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_price_list_versions int[], p_provider_costs bigint[],
  p_attempts_costs bigint[], p_service_tiers text[], p_followed text[]
) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_budgets(ARRAY(
    SELECT DISTINCT id FROM unnest(p_budgets) AS given (budgets), unnest(budgets::text[]) AS id
  ));
  PERFORM lock_pools((
    SELECT array_agg(DISTINCT p.id)
    FROM (
      SELECT DISTINCT payer FROM unnest(p_payers, p_costs) AS r (payer, cost) WHERE cost > 0
    ) AS paid, payer_pools(paid.payer::text[]) AS p
  ));
  PERFORM settle_usage(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets,
    p_price_list_versions, p_provider_costs, p_attempts_costs, p_service_tiers, true
  );
  PERFORM store_followed(p_request_ids, p_followed);
END
$$;

-- For the previous release: settles requests without price lists (settle_usage).
CREATE OR REPLACE FUNCTION settle_requests(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_provisional boolean
) RETURNS void
LANGUAGE sql AS $$
  SELECT settle_usage(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets, NULL, NULL,
    NULL, NULL, p_provisional
  )
$$;

-- For the previous release: hands over responses of requests without price lists (hand_over_usage).
CREATE OR REPLACE FUNCTION hand_over_responses(
  p_request_ids text[], p_allowances text[], p_payers text[], p_accounts text[], p_seats text[], p_teams text[],
  p_keys text[], p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_tags jsonb[], p_end_users text[],
  p_sessions text[], p_affinities text[], p_budgets text[], p_followed text[]
) RETURNS void
LANGUAGE sql AS $$
  SELECT hand_over_usage(
    p_request_ids, p_allowances, p_payers, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities,
    p_price_versions, p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_tags, p_end_users, p_sessions, p_affinities, p_budgets, NULL, NULL,
    NULL, NULL, p_followed
  )
$$;

-- Closes an allowance whose data plane is gone, and bills its streams by their checkpoints (settle_usage).
-- Leaves the responses that their providers still work on to other data planes (store_followed).
-- Locks everything first; when a pool added meanwhile is locked, the next sweep closes it.
-- @returns true when it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
  v_unfinished text[];
  v_followed text[];
BEGIN
  PERFORM lock_budgets((SELECT a.budgets FROM allowances a WHERE a.id = p_id));
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.payer) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  SELECT array_agg(request_id), array_agg(followed) INTO v_unfinished, v_followed
  FROM usage_checkpoints WHERE allowance_id = p_id AND followed IS NOT NULL;
  PERFORM settle_usage(
    request_ids, allowances, payers, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(
      -- An older control plane stores fewer units.
      SELECT coalesce(units[place], 0) FROM usage_checkpoints, generate_series(1, 16) AS place
      WHERE allowance_id = p_id ORDER BY request_id COLLATE "C", place
    ), parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes,
    tags, end_users, sessions, affinities, budgets, price_list_versions, provider_costs, attempts_costs, service_tiers, true
  )
  FROM (
    SELECT array_agg(request_id) AS request_ids, array_agg(allowance_id) AS allowances, array_agg(payer) AS payers,
      array_agg(account_id) AS accounts, array_agg(seat_id) AS seats, array_agg(team_id) AS teams,
      array_agg(key_id) AS keys, array_agg(model_id) AS models, array_agg(capability) AS capabilities,
      array_agg(price_version) AS price_versions, array_agg(parts) AS parts,
      array_agg(usage_source) AS usage_sources, array_agg(billing_reason) AS billing_reasons,
      array_agg(held) AS held, array_agg(cost) AS costs, array_agg(attempts) AS attempts,
      array_agg(ended_at) AS ended_at, array_agg(client_status) AS client_statuses,
      array_agg(client_error_code) AS client_error_codes, array_agg(tags) AS tags,
      array_agg(end_user) AS end_users, array_agg(session) AS sessions, array_agg(affinity) AS affinities,
      array_agg(budgets) AS budgets, array_agg(price_list_version) AS price_list_versions,
      array_agg(provider_cost) AS provider_costs, array_agg(attempts_cost) AS attempts_costs,
      array_agg(service_tier) AS service_tiers
    FROM (
      SELECT * FROM usage_checkpoints WHERE allowance_id = p_id ORDER BY request_id COLLATE "C"
    ) AS checkpoint
    HAVING count(*) > 0
  ) AS known;
  IF v_unfinished IS NOT NULL THEN PERFORM store_followed(v_unfinished, v_followed); END IF;
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;

-- Adds usage records to the sums of their minute, and subtracts replaced ones. Adds them to hours and days,
-- too, if their minute is before p_until; later minutes are added in bulk by a later call. Adds them to the
-- sums by model and provider of all accounts (model_usage) at once. Locks the sums last, in order of key and
-- once per transaction, so this is one statement.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
--   p_from         minutes from here until p_until are added to their hours and days, which lack them
--   p_until        hours and days then contain all minutes before this
--
-- A connection caches plans from its first calls, when tables may have been small. A sequential scan of
-- usage_records in such a plan would cost ever more, so these scans are off. Up to Postgres 17, any scan that
-- remains then looks so costly that Postgres compiles it, which takes longer than running it: JIT is off.
CREATE OR REPLACE FUNCTION add_sums(
  p_request_ids text[], p_replaced usage_records[], p_from timestamptz, p_until timestamptz
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  -- First and last of the records to add.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- Many records make few minutes, so hours and days are summed from minutes.
  WITH minutes AS MATERIALIZED (
    SELECT account_id, coalesce(seat_id, '') AS seat_id, date_bin('1 minute', ended_at, 'epoch') AS minute, key_id,
      model_id, coalesce(attempts->-1->>'providerId', '') AS provider_id, min(capability) AS capability, count(*) AS requests,
      sum(input_tokens)::bigint AS input_tokens, sum(cached_input_tokens)::bigint AS cached_input_tokens,
      sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images,
      sum(characters)::bigint AS characters, sum(audio_ms)::bigint AS audio_ms,
      sum(search_units)::bigint AS search_units, sum(cache_write_tokens)::bigint AS cache_write_tokens,
      sum(cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(audio_input_tokens)::bigint AS audio_input_tokens, sum(image_input_tokens)::bigint AS image_input_tokens,
      sum(reasoning_tokens)::bigint AS reasoning_tokens, sum(audio_output_tokens)::bigint AS audio_output_tokens,
      sum(image_output_tokens)::bigint AS image_output_tokens,
      sum(web_search_requests)::bigint AS web_search_requests, sum(tool_calls)::bigint AS tool_calls,
      sum(charged)::bigint AS charged,
      sum(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0))::bigint AS provider_cost,
      true AS is_new
    FROM usage_records
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    GROUP BY 1, 2, 3, 4, 5, 6
    UNION ALL
    SELECT account_id, coalesce(seat_id, ''), date_bin('1 minute', ended_at, 'epoch'), key_id, model_id,
      coalesce(attempts->-1->>'providerId', ''), capability,
      -1, -input_tokens, -cached_input_tokens, -output_tokens, -images, -characters, -audio_ms, -search_units,
      -cache_write_tokens, -cache_write_1h_tokens, -audio_input_tokens, -image_input_tokens, -reasoning_tokens,
      -audio_output_tokens, -image_output_tokens, -web_search_requests, -tool_calls, -charged,
      -(coalesce(provider_cost, cost) + coalesce(attempts_cost, 0)), true
    FROM unnest(p_replaced)
    UNION ALL
    SELECT account_id, seat_id, bucket, key_id, model_id, NULL, capability,
      requests, input_tokens, cached_input_tokens, output_tokens, images, characters, audio_ms, search_units,
      cache_write_tokens, cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens,
      audio_output_tokens, image_output_tokens, web_search_requests, tool_calls, charged,
      coalesce(provider_cost, charged), false
    FROM usage_rollups WHERE width = 60 AND bucket >= p_from AND bucket < p_until
  ), days AS (
    INSERT INTO usage_days AS sum (
      account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
      images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
      image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
      charged, provider_cost
    )
    SELECT account_id, seat_id, date_bin('1 day', minute, 'epoch'), model_id, min(capability),
      sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
      sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
      sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
      sum(web_search_requests), sum(tool_calls), sum(charged), sum(provider_cost)
    FROM minutes WHERE minute < p_until
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (account_id, seat_id, bucket, model_id) DO UPDATE SET
      requests = sum.requests + EXCLUDED.requests,
      input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
      cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
      output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
      images = sum.images + EXCLUDED.images,
      characters = sum.characters + EXCLUDED.characters,
      audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
      search_units = sum.search_units + EXCLUDED.search_units,
      cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
      cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
      audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
      image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
      reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
      audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
      image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
      web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
      tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
      charged = sum.charged + EXCLUDED.charged,
      provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost
  ), models AS (
    INSERT INTO model_usage AS sum (width, bucket, model_id, provider_id, requests, charged, provider_cost)
    SELECT width, date_bin(make_interval(secs => width), minute, 'epoch'), model_id, provider_id,
      sum(requests), sum(charged), sum(provider_cost)
    FROM minutes, (VALUES (60), (3600), (86400)) AS widths (width) WHERE is_new
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3, 4
    ON CONFLICT (width, bucket, model_id, provider_id) DO UPDATE SET
      requests = sum.requests + EXCLUDED.requests,
      charged = sum.charged + EXCLUDED.charged,
      provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost
  )
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged, provider_cost
  )
  SELECT account_id, seat_id, width, date_bin(make_interval(secs => width), minute, 'epoch'), key_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images), sum(characters),
    sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens), sum(audio_input_tokens),
    sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged), sum(provider_cost)
  FROM minutes
  JOIN (VALUES (60), (3600), (86400)) AS widths (width) ON CASE WHEN width = 60 THEN is_new ELSE minute < p_until END
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, seat_id, width, bucket, key_id, model_id) DO UPDATE SET
    requests = sum.requests + EXCLUDED.requests,
    input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
    cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
    output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
    images = sum.images + EXCLUDED.images,
    characters = sum.characters + EXCLUDED.characters,
    audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
    search_units = sum.search_units + EXCLUDED.search_units,
    cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
    cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
    audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
    image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
    reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
    audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
    image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
    web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
    tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
    charged = sum.charged + EXCLUDED.charged,
    provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost;
END
$$;

-- Adds usage records to the daily sums of their tags, end user and session, and subtracts replaced ones.
-- Keeps at most 1,000 values of a label apart per account and day, the first ones; the rest has the value ''.
-- One caller at a time, so that a value is always summed in the same place.
--   p_request_ids  records to add
--   p_replaced     replaced records, as the sums have them; null: none
--
-- Plans as in add_sums. Joins of these queries would compare all with all, because Postgres expects few rows.
CREATE OR REPLACE FUNCTION add_label_sums(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  v_most int := 1000;
  -- First and last of the records to add.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('add_label_sums'));
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  WITH changes AS (
    SELECT 1 AS sign, r.* FROM usage_records r
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    UNION ALL
    SELECT -1, r.* FROM unnest(p_replaced) AS r
  ), added AS MATERIALIZED (
    SELECT account_id, label, date_bin('1 day', ended_at, 'epoch') AS bucket, value, coalesce(seat_id, '') AS seat_id,
      model_id, min(capability) AS capability,
      sum(sign) AS requests, sum(sign * input_tokens)::bigint AS input_tokens,
      sum(sign * cached_input_tokens)::bigint AS cached_input_tokens,
      sum(sign * output_tokens)::bigint AS output_tokens, sum(sign * images)::bigint AS images,
      sum(sign * characters)::bigint AS characters, sum(sign * audio_ms)::bigint AS audio_ms,
      sum(sign * search_units)::bigint AS search_units,
      sum(sign * cache_write_tokens)::bigint AS cache_write_tokens,
      sum(sign * cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(sign * audio_input_tokens)::bigint AS audio_input_tokens,
      sum(sign * image_input_tokens)::bigint AS image_input_tokens,
      sum(sign * reasoning_tokens)::bigint AS reasoning_tokens,
      sum(sign * audio_output_tokens)::bigint AS audio_output_tokens,
      sum(sign * image_output_tokens)::bigint AS image_output_tokens,
      sum(sign * web_search_requests)::bigint AS web_search_requests,
      sum(sign * tool_calls)::bigint AS tool_calls, sum(sign * charged)::bigint AS charged,
      sum(sign * (coalesce(provider_cost, cost) + coalesce(attempts_cost, 0)))::bigint AS provider_cost
    FROM changes CROSS JOIN LATERAL (
      SELECT 'tag:' || tag, text FROM jsonb_each_text(tags) AS given (tag, text) WHERE text <> ''
      UNION ALL SELECT 'end_user', end_user WHERE end_user IS NOT NULL
      UNION ALL SELECT 'session', session WHERE session IS NOT NULL
    ) AS labels (label, value)
    GROUP BY 1, 2, 3, 4, 5, 6
  ), known AS (
    SELECT *, (
      SELECT true FROM usage_label_days kept
      WHERE kept.account_id = added.account_id AND kept.label = added.label AND kept.bucket = added.bucket
        AND kept.value = added.value
      LIMIT 1
    ) IS TRUE AS is_known
    FROM added
  ), placed AS (
    SELECT *, dense_rank() OVER (PARTITION BY account_id, label, bucket, is_known ORDER BY value) AS place
    FROM known
  ), counted AS (
    SELECT *, CASE WHEN place = 1 AND NOT is_known THEN (
      SELECT CASE
        WHEN EXISTS (
          SELECT FROM usage_label_days rest
          WHERE rest.account_id = placed.account_id AND rest.label = placed.label AND rest.bucket = placed.bucket
            AND rest.value = ''
        ) THEN v_most
        ELSE (
          SELECT count(DISTINCT value) FROM usage_label_days kept
          WHERE kept.account_id = placed.account_id AND kept.label = placed.label AND kept.bucket = placed.bucket
        )
      END
    ) END AS kept
    FROM placed
  ), summed AS (
    SELECT *, CASE
      WHEN is_known OR max(kept) OVER (PARTITION BY account_id, label, bucket) + place <= v_most THEN value ELSE ''
    END AS summed_value
    FROM counted
  )
  INSERT INTO usage_label_days AS sum (
    account_id, label, bucket, value, seat_id, model_id, capability, requests, input_tokens,
    cached_input_tokens, output_tokens, images, characters, audio_ms, search_units, cache_write_tokens,
    cache_write_1h_tokens, audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens,
    image_output_tokens, web_search_requests, tool_calls, charged, provider_cost
  )
  SELECT account_id, label, bucket, summed_value, seat_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens), sum(output_tokens), sum(images),
    sum(characters), sum(audio_ms), sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens),
    sum(audio_input_tokens), sum(image_input_tokens), sum(reasoning_tokens), sum(audio_output_tokens),
    sum(image_output_tokens), sum(web_search_requests), sum(tool_calls), sum(charged),
    sum(provider_cost)
  FROM summed
  GROUP BY 1, 2, 3, 4, 5, 6
  ORDER BY 1, 2, 3, 4, 5, 6
  ON CONFLICT (account_id, label, bucket, value, seat_id, model_id) DO UPDATE SET
    requests = sum.requests + EXCLUDED.requests,
    input_tokens = sum.input_tokens + EXCLUDED.input_tokens,
    cached_input_tokens = sum.cached_input_tokens + EXCLUDED.cached_input_tokens,
    output_tokens = sum.output_tokens + EXCLUDED.output_tokens,
    images = sum.images + EXCLUDED.images,
    characters = sum.characters + EXCLUDED.characters,
    audio_ms = sum.audio_ms + EXCLUDED.audio_ms,
    search_units = sum.search_units + EXCLUDED.search_units,
    cache_write_tokens = sum.cache_write_tokens + EXCLUDED.cache_write_tokens,
    cache_write_1h_tokens = sum.cache_write_1h_tokens + EXCLUDED.cache_write_1h_tokens,
    audio_input_tokens = sum.audio_input_tokens + EXCLUDED.audio_input_tokens,
    image_input_tokens = sum.image_input_tokens + EXCLUDED.image_input_tokens,
    reasoning_tokens = sum.reasoning_tokens + EXCLUDED.reasoning_tokens,
    audio_output_tokens = sum.audio_output_tokens + EXCLUDED.audio_output_tokens,
    image_output_tokens = sum.image_output_tokens + EXCLUDED.image_output_tokens,
    web_search_requests = sum.web_search_requests + EXCLUDED.web_search_requests,
    tool_calls = sum.tool_calls + EXCLUDED.tool_calls,
    charged = sum.charged + EXCLUDED.charged,
    provider_cost = coalesce(sum.provider_cost, sum.charged) + EXCLUDED.provider_cost;
END
$$;

-- Begins a new epoch, unless somebody has done so. Counters jump beyond anything that may have been lost, so
-- that no revision or price version is used twice. In a restored dump, ids of transactions are small again:
-- new events still follow those of before.
--   p_expected  epoch known to the caller; null: any
-- @returns the epoch in force
CREATE OR REPLACE FUNCTION renew_epoch(p_expected text) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE
  v_epoch text;
  v_last_transaction bigint;
BEGIN
  UPDATE installation SET epoch = gen_random_uuid()::text, identity = database_identity(), renewed_at = now(),
    price_floor = greatest(
      price_floor, (SELECT max(version) FROM model_prices), (SELECT max(number) FROM price_list_versions)
    ) + 10000
  WHERE p_expected IS NULL OR epoch = p_expected
  RETURNING epoch INTO v_epoch;
  IF v_epoch IS NULL THEN
    SELECT epoch INTO v_epoch FROM installation;
    RETURN v_epoch;
  END IF;
  SELECT transaction_id INTO v_last_transaction FROM events ORDER BY created_at DESC LIMIT 1;
  IF v_last_transaction >= event_transaction() THEN
    UPDATE installation SET transaction_offset = transaction_offset
      + v_last_transaction + 1000000000 - event_transaction();
  END IF;
  UPDATE revisions SET value = value + 1000000000;
  PERFORM pg_notify('gateway_catalog', ''), pg_notify('gateway_keys', ''), pg_notify('gateway_watchers', '');
  RETURN v_epoch;
END
$$;

-- Stores events and one delivery for each receiver, in the transaction of the change that they report. Stores
-- nothing of an event without a receiver. Waits for no lock.
--   p_events  objects with id, type, account_id (null: the installation), data, operator_data (as in events),
--             and mail_to: addresses that get it by mail (null: none)
-- @returns deliveries
CREATE OR REPLACE FUNCTION emit_events(p_events jsonb) RETURNS bigint
LANGUAGE sql AS $$
  WITH event AS (
    SELECT e.* FROM ROWS FROM (
      jsonb_to_recordset(p_events) AS (id text, type text, account_id text, data jsonb, operator_data jsonb, mail_to text[])
    ) WITH ORDINALITY AS e (id, type, account_id, data, operator_data, mail_to, number)
  ), receiver AS (
    SELECT e.id, w.id AS target, w.disabled_at IS NULL AS is_enabled
    FROM event e JOIN webhook_endpoints w
      ON (w.account_id IS NULL OR w.account_id = e.account_id) AND e.type = ANY(w.events)
    UNION
    SELECT e.id, 'mailto:' || address, true FROM event e, unnest(e.mail_to) AS address
  ), stored AS (
    INSERT INTO events (id, transaction_id, type, account_id, data, operator_data)
    SELECT id, event_transaction(), type, account_id, data, operator_data FROM event
    WHERE id IN (SELECT id FROM receiver) ORDER BY number
    RETURNING id, transaction_id, position
  ), delivery AS (
    INSERT INTO webhook_deliveries (event_id, target, transaction_id, position, state, due_at)
    SELECT s.id, r.target, s.transaction_id, s.position,
      CASE WHEN r.is_enabled THEN 'pending' ELSE 'held' END, CASE WHEN r.is_enabled THEN now() END
    FROM stored s JOIN receiver r USING (id)
    RETURNING due_at
  )
  SELECT coalesce(max(deliveries), 0) FROM (
    SELECT count(*) AS deliveries, CASE WHEN count(due_at) > 0 THEN pg_notify('gateway_events', '')::text END
    FROM delivery
  ) AS counted
$$;
