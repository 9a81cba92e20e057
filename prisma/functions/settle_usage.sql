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
