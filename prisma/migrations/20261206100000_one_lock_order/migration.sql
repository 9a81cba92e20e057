-- Adds usage records to the sums of their minute, hour and day, and takes out what these have of replaced ones. Sums
-- are locked last of all, in the order of their key, and once in a transaction: so all of it is one statement.
--   p_request_ids  of the records to add
--   p_replaced     records as the sums have them; null: none
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION sum_up(p_request_ids text[], p_replaced usage_records[]) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET work_mem = '64MB' AS $$
DECLARE
  -- Of the records to add, the first and the last.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
BEGIN
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  INSERT INTO usage_rollups AS sum (
    account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
    output_tokens, images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens,
    audio_input_tokens, image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens,
    web_search_requests, tool_calls, charged
  )
  SELECT account_id, seat_id, width, date_bin(make_interval(secs => width), minute, 'epoch'), key_id, model_id,
    min(capability),
    sum(requests), sum(input_tokens), sum(cached_input_tokens),
    sum(output_tokens), sum(images), sum(characters), sum(audio_ms),
    sum(search_units), sum(cache_write_tokens), sum(cache_write_1h_tokens),
    sum(audio_input_tokens), sum(image_input_tokens), sum(reasoning_tokens),
    sum(audio_output_tokens), sum(image_output_tokens),
    sum(web_search_requests), sum(tool_calls), sum(charged)
  FROM (
    -- Many records make few minutes, so that hours and days are added up from these.
    SELECT account_id, coalesce(seat_id, '') AS seat_id, date_bin('1 minute', ended_at, 'epoch') AS minute, key_id,
      model_id, min(capability) AS capability, count(*) AS requests,
      sum(input_tokens)::bigint AS input_tokens, sum(cached_input_tokens)::bigint AS cached_input_tokens,
      sum(output_tokens)::bigint AS output_tokens, sum(images)::bigint AS images,
      sum(characters)::bigint AS characters, sum(audio_ms)::bigint AS audio_ms,
      sum(search_units)::bigint AS search_units, sum(cache_write_tokens)::bigint AS cache_write_tokens,
      sum(cache_write_1h_tokens)::bigint AS cache_write_1h_tokens,
      sum(audio_input_tokens)::bigint AS audio_input_tokens,
      sum(image_input_tokens)::bigint AS image_input_tokens,
      sum(reasoning_tokens)::bigint AS reasoning_tokens,
      sum(audio_output_tokens)::bigint AS audio_output_tokens,
      sum(image_output_tokens)::bigint AS image_output_tokens,
      sum(web_search_requests)::bigint AS web_search_requests, sum(tool_calls)::bigint AS tool_calls,
      sum(charged)::bigint AS charged
    FROM usage_records
    WHERE request_id = ANY(p_request_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    GROUP BY 1, 2, 3, 4, 5
    UNION ALL
    SELECT account_id, coalesce(seat_id, ''), date_bin('1 minute', ended_at, 'epoch'), key_id, model_id, capability,
      -1, -input_tokens, -cached_input_tokens, -output_tokens, -images, -characters, -audio_ms, -search_units,
      -cache_write_tokens, -cache_write_1h_tokens, -audio_input_tokens, -image_input_tokens, -reasoning_tokens,
      -audio_output_tokens, -image_output_tokens, -web_search_requests, -tool_calls, -charged
    FROM unnest(p_replaced)
  ) AS minutes, (VALUES (60), (3600), (86400)) AS widths (width)
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
    charged = sum.charged + EXCLUDED.charged;
END
$$;

-- Adds the records of settlements to the sums of usage, each settlement once: it is pending until the sums
-- have it. One at a time does so, and those that are just being changed are left for the next time.
-- @returns how many settlements were summed up; fewer than p_most: for now these were all
CREATE OR REPLACE FUNCTION roll_up_settlements(p_most int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  v_count int;
  v_request_ids text[];
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('roll_up_settlements')) THEN RETURN 0; END IF;
  WITH taken AS (
    DELETE FROM pending_settlements WHERE number IN (
      SELECT number FROM pending_settlements ORDER BY number LIMIT p_most FOR UPDATE SKIP LOCKED
    ) RETURNING request_ids
  )
  SELECT (SELECT count(*) FROM taken), ARRAY(SELECT unnest(request_ids) FROM taken) INTO v_count, v_request_ids;
  PERFORM sum_up(v_request_ids, NULL);
  RETURN v_count;
END
$$;

-- Charges a stored request what it still owes: first to what an allowance holds, then to what the pools of its
-- payer have left. Its record then says who has paid, and the ledger has it in the entries of its settlement;
-- of a request that was settled before there were settlements, in entries of its own. The caller has locked
-- the pools of the payer; one that was added since is locked here, but not waited for.
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION charge_request(p_request_id text, p_allowance_id text) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
DECLARE
  v_record record;
  v_source record;
  v_due bigint;
  v_take bigint;
  v_charges jsonb;
BEGIN
  SELECT * INTO v_record FROM usage_records
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
  v_due := v_record.uncollected;
  IF v_due = 0 THEN RETURN; END IF;
  PERFORM FROM pools WHERE id IN (
    SELECT p.id FROM payer_pools(v_record.account_id, v_record.seat_id, v_record.team_id) AS p
  ) ORDER BY id FOR UPDATE NOWAIT;
  v_charges := CASE
    WHEN v_record.charges IS NOT NULL THEN v_record.charges
    WHEN v_record.pool_id IS NOT NULL THEN jsonb_build_array(
      jsonb_build_object('poolId', v_record.pool_id, 'amount', v_record.charged)
    )
    ELSE '[]'
  END;
  FOR v_source IN
    SELECT p.id AS pool_id, source.amount, source.is_held
    FROM payer_pools(v_record.account_id, v_record.seat_id, v_record.team_id) WITH ORDINALITY AS p
    LEFT JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_allowance_id
    CROSS JOIN LATERAL (VALUES (part.held, true), (p.remaining, false)) AS source (amount, is_held)
    WHERE source.amount > 0
    ORDER BY NOT source.is_held, p.ordinality
  LOOP
    EXIT WHEN v_due = 0;
    v_take := least(v_due, v_source.amount);
    v_due := v_due - v_take;
    IF v_source.is_held THEN
      UPDATE allowance_parts SET held = held - v_take
      WHERE allowance_id = p_allowance_id AND pool_id = v_source.pool_id;
      UPDATE pools SET held = held - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    ELSE
      UPDATE pools SET remaining = remaining - v_take, charged = charged + v_take WHERE id = v_source.pool_id;
    END IF;
    IF v_record.settlement IS NULL THEN
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, request_id)
      VALUES (v_source.pool_id, 'charge', -v_take, p_request_id)
      ON CONFLICT (request_id, pool_id) DO UPDATE SET amount = entry.amount - v_take;
    ELSE
      INSERT INTO ledger_entries AS entry (pool_id, kind, amount, settlement)
      VALUES (v_source.pool_id, 'charge', -v_take, v_record.settlement)
      ON CONFLICT (settlement, pool_id) WHERE settlement IS NOT NULL DO UPDATE SET amount = entry.amount - v_take;
      v_charges := v_charges || jsonb_build_object('poolId', v_source.pool_id, 'amount', v_take);
    END IF;
  END LOOP;
  -- A pool that has paid twice, from what was set aside and from the rest, is one that has paid the sum.
  SELECT coalesce(jsonb_agg(jsonb_build_object('poolId', pool_id, 'amount', amount) ORDER BY place), '[]')
  INTO v_charges
  FROM (
    SELECT charge->>'poolId' AS pool_id, sum((charge->>'amount')::bigint) AS amount, min(place) AS place
    FROM jsonb_array_elements(v_charges) WITH ORDINALITY AS given (charge, place) GROUP BY 1
  ) AS by_pool;
  UPDATE usage_records SET charged = cost - v_due, uncollected = v_due,
    pool_id = CASE WHEN jsonb_array_length(v_charges) = 1 THEN v_charges->0->>'poolId' END,
    charges = CASE WHEN jsonb_array_length(v_charges) > 1 THEN v_charges END
  WHERE request_id = p_request_id AND arrival IN ('', arrival_of(p_request_id));
END
$$;

-- Stores ended requests and charges what they cost: first to what was set aside for them, then to what the
-- pools still have; the rest is uncollected. A request that is stored already changes nothing, unless what is
-- stored is only what was known of it when its data plane seemed to be gone: then the rest of its cost is
-- charged, once. The ledger gets one entry for each pool that pays, and each record says who has paid what of
-- it. Their sums follow later (roll_up_settlements).
--   p_request_ids  in ascending order, each once; the other arrays are as long, and in the same order
--   p_units        of all requests, one after the other, each with sixteen: input tokens, cached ones, output
--                  tokens, images, characters, milliseconds of audio, search units, tokens written to the cache,
--                  those written for an hour, of audio input, of image input, of reasoning, of audio output, of
--                  image output, web searches, tool calls
--   p_provisional  this is only what is known of them. The caller has locks already (close_expired_allowance), so
--                  that this waits for no pool
-- @throws lock_not_available when it may not wait for a pool that somebody else has; nothing was stored
--
-- A connection keeps the plans of its first calls, when the tables were small or not analyzed yet. Reading
-- usage_records from end to end for every batch then costs more the longer it goes on, so that is switched
-- off. Until Postgres 17 a plan that must read a table whole all the same has a cost so high that it would be
-- compiled, which takes longer than to run it, so that is switched off, too.
CREATE OR REPLACE FUNCTION settle_records(
  p_request_ids text[], p_allowances text[], p_accounts text[], p_seats text[], p_teams text[], p_keys text[],
  p_models text[], p_capabilities text[], p_price_versions int[], p_units bigint[], p_parts jsonb[],
  p_usage_sources text[], p_billing_reasons text[], p_held bigint[], p_costs bigint[], p_attempts jsonb[],
  p_ended_at timestamptz[], p_client_statuses int[], p_client_error_codes text[], p_provisional boolean
) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_settlement bigint := nextval('pending_settlements_number_seq');
  -- A record of a request that seems to have arrived outside of this time is stored without an arrival, so that
  -- all others of a day are settled two days later (drop_usage_partitions).
  v_earliest text COLLATE "C" := arrival_at(now() - interval '48 hours');
  v_latest text COLLATE "C" := arrival_at(now() + interval '24 hours');
  -- The first and the last arrival of these.
  v_first_arrival text COLLATE "C";
  v_last_arrival text COLLATE "C";
  v_locked_pools text[];
  -- Those that are stored already, but for the replaced ones.
  v_known_ids text[];
  -- What was only known in part, and is replaced: which settlements have charged it, and who has paid what.
  v_replaced_ids text[];
  v_settlements bigint[];
  v_payers text[];
  v_charged bigint[];
  v_charges jsonb[];
  v_locked_ids text[] := '{}';
  -- Those of them that the sums contain, and what is stored of these.
  v_summed_ids text[] := '{}';
  v_summed usage_records[];
  v_old record;
  -- The others.
  v_new_ids text[] := p_request_ids;
  -- The allowances that pay for all that this charges to them, each from one pool.
  v_paying text[];
  v_pools text[];
  v_amounts bigint[];
  -- When the first and the last of the requests ended.
  v_first timestamptz;
  v_last timestamptz;
  v_is_late boolean;
  v_checkpoints text[];
  v_record record;
BEGIN
  SELECT array_agg(DISTINCT p.id) INTO v_locked_pools
  FROM (
    SELECT DISTINCT account_id, seat_id, team_id
    FROM unnest(p_accounts, p_seats, p_teams, p_costs) AS r (account_id, seat_id, team_id, cost)
    WHERE cost > 0
  ) AS payer, payer_pools(payer.account_id, payer.seat_id, payer.team_id) AS p;
  IF p_provisional THEN
    PERFORM FROM pools WHERE id = ANY(v_locked_pools) ORDER BY id FOR UPDATE NOWAIT;
  END IF;
  PERFORM lock_pools(v_locked_pools);
  SELECT min(arrival), max(arrival) INTO v_first_arrival, v_last_arrival
  FROM (SELECT arrival_of(id) COLLATE "C" FROM unnest(p_request_ids) AS id) AS r (arrival);
  -- The pools of free requests are not locked, so that somebody else may be replacing the same records. Their
  -- locks are waited for, and what is stored is read again after that.
  LOOP
    SELECT coalesce(array_agg(request_id) FILTER (WHERE NOT is_replaced), '{}'),
      coalesce(array_agg(request_id) FILTER (WHERE is_replaced), '{}'),
      array_agg(settlement) FILTER (WHERE is_replaced), array_agg(pool_id) FILTER (WHERE is_replaced),
      array_agg(charged) FILTER (WHERE is_replaced), array_agg(charges) FILTER (WHERE is_replaced)
    INTO v_known_ids, v_replaced_ids, v_settlements, v_payers, v_charged, v_charges
    FROM (
      -- One condition with OR would look for each id twice in each of the partitions.
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
    -- More of them meanwhile: to wait for these, too, would be to lock out of order.
    IF v_locked_ids <> '{}' THEN RAISE lock_not_available; END IF;
    PERFORM FROM usage_records
    WHERE request_id = ANY(v_replaced_ids)
      AND (arrival = '' OR arrival BETWEEN v_first_arrival AND v_last_arrival)
    ORDER BY request_id FOR UPDATE;
    v_locked_ids := v_replaced_ids;
  END LOOP;
  IF v_known_ids || v_replaced_ids <> '{}' THEN
    v_new_ids := ARRAY(
      SELECT id FROM unnest(p_request_ids) AS id WHERE id <> ALL(v_known_ids || v_replaced_ids)
    );
  END IF;
  -- Nearly always an allowance has money of one pool, and not less of it than its requests cost.
  WITH total AS (
    SELECT allowance_id, account_id, seat_id, team_id, sum(cost) AS cost
    FROM unnest(p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_costs)
      AS r (request_id, allowance_id, account_id, seat_id, team_id, cost)
    WHERE cost > 0 AND request_id <> ALL(v_known_ids || v_replaced_ids) GROUP BY 1, 2, 3, 4
  ), covered AS (
    SELECT a.id, min(part.pool_id) AS pool_id, total.cost
    FROM total
    JOIN allowances a ON a.id = total.allowance_id AND a.account_id = total.account_id
      AND a.seat_id IS NOT DISTINCT FROM total.seat_id AND a.team_id IS NOT DISTINCT FROM total.team_id
    JOIN allowance_parts part ON part.allowance_id = a.id AND part.held > 0
    GROUP BY a.id, total.cost
    HAVING count(*) = 1 AND min(part.held) >= total.cost
  )
  SELECT array_agg(id), array_agg(pool_id), array_agg(cost) INTO v_paying, v_pools, v_amounts FROM covered;
  -- A pool that was added meanwhile is not locked.
  IF EXISTS (SELECT unnest(v_pools) EXCEPT SELECT unnest(v_locked_pools)) THEN RAISE lock_not_available; END IF;

  IF cardinality(v_replaced_ids) > 0 THEN
    PERFORM FROM pending_settlements WHERE number = ANY(v_settlements) ORDER BY number FOR UPDATE;
    FOR v_old IN SELECT * FROM unnest(v_replaced_ids, v_settlements) AS old (request_id, settlement) LOOP
      -- A settlement that is changed here is not summed meanwhile.
      UPDATE pending_settlements SET first_ended_at = least(first_ended_at, r.ended_at),
        last_ended_at = greatest(last_ended_at, r.ended_at)
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
    charged, uncollected, attempts, ended_at, is_provisional, client_status, client_error_code, settlement,
    pool_id, arrival
  )
  SELECT request_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version,
    p_units[at + 1], p_units[at + 2], p_units[at + 3], p_units[at + 4], p_units[at + 5], p_units[at + 6],
    p_units[at + 7], p_units[at + 8], p_units[at + 9], p_units[at + 10], p_units[at + 11], p_units[at + 12],
    p_units[at + 13], p_units[at + 14], p_units[at + 15], p_units[at + 16],
    parts, usage_source, billing_reason, held, cost,
    CASE WHEN pool_id IS NULL THEN 0 ELSE cost END, CASE WHEN pool_id IS NULL THEN cost ELSE 0 END, attempts,
    ended_at, p_provisional, client_status, client_error_code, v_settlement, pool_id,
    CASE WHEN arrival_of(request_id) COLLATE "C" BETWEEN v_earliest AND v_latest THEN arrival_of(request_id) ELSE '' END
  FROM unnest(
    p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities, p_price_versions,
    p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at, p_client_statuses,
    p_client_error_codes
  ) WITH ORDINALITY AS r (
    request_id, allowance_id, account_id, seat_id, team_id, key_id, model_id, capability, price_version, parts,
    usage_source, billing_reason, held, cost, attempts, ended_at, client_status, client_error_code, place
  )
  LEFT JOIN unnest(v_paying, v_pools) AS paying (id, pool_id)
    ON paying.id = allowance_id AND cost > 0 AND request_id <> ALL(v_replaced_ids),
  LATERAL (SELECT (16 * (place - 1))::int) AS units (at)
  WHERE request_id <> ALL(v_known_ids)
  -- Whoever is storing one of them, too, is waited for.
  ORDER BY place;
  IF v_new_ids <> '{}' THEN
    SELECT min(ended_at), max(ended_at) INTO v_first, v_last FROM unnest(p_ended_at) AS r (ended_at);
    v_is_late := v_first <= now() - interval '5 minutes';
    IF NOT v_is_late THEN
      INSERT INTO pending_settlements (number, first_ended_at, last_ended_at, request_ids)
      VALUES (v_settlement, v_first, v_last, v_new_ids);
    END IF;
  END IF;
  -- By the second is often enough, and whoever has locked one is using it.
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
  FOR v_record IN
    SELECT request_id, allowance_id
    FROM unnest(p_request_ids, p_allowances, p_costs) AS r (request_id, allowance_id, cost)
    WHERE cost > 0 AND (allowance_id = ANY(v_paying)) IS NOT TRUE
      AND request_id <> ALL(v_known_ids || v_replaced_ids)
  LOOP
    PERFORM charge_request(v_record.request_id, v_record.allowance_id);
  END LOOP;
  -- What was charged stays, and stays in the settlement that has charged it.
  FOR v_old IN
    SELECT * FROM unnest(v_replaced_ids, v_settlements, v_payers, v_charged, v_charges)
      AS old (request_id, settlement, pool_id, charged, charges)
  LOOP
    UPDATE usage_records SET
      settlement = v_old.settlement, pool_id = v_old.pool_id, charges = v_old.charges, charged = v_old.charged,
      cost = greatest(cost, v_old.charged), uncollected = greatest(cost - v_old.charged, 0)
    WHERE request_id = v_old.request_id AND arrival IN ('', arrival_of(v_old.request_id));
    PERFORM charge_request(
      v_old.request_id, p_allowances[array_position(p_request_ids, v_old.request_id)]
    );
  END LOOP;
  -- Whoever reads usage reads all records since the first that is pending. So what is reported after an outage is
  -- summed up at once.
  IF v_is_late OR v_summed_ids <> '{}' THEN
    PERFORM sum_up(CASE WHEN v_is_late THEN v_new_ids ELSE '{}' END || v_summed_ids, v_summed);
  END IF;
EXCEPTION WHEN unique_violation OR lock_not_available THEN
  IF p_provisional AND SQLSTATE = '55P03' THEN RAISE; END IF;
  -- Somebody has stored one of the requests meanwhile, or has a pool that was added meanwhile. Now that is known,
  -- and all locks of this attempt are free.
  PERFORM settle_records(
    p_request_ids, p_allowances, p_accounts, p_seats, p_teams, p_keys, p_models, p_capabilities, p_price_versions,
    p_units, p_parts, p_usage_sources, p_billing_reasons, p_held, p_costs, p_attempts, p_ended_at,
    p_client_statuses, p_client_error_codes, p_provisional
  );
END
$$;

-- settle_records for records in the form of JSON, which checkpoints have, and in which the release before
-- settles. That release knows nothing of settlements that are pending, so that they are summed up when it
-- settles. Not for what is only known, because close_expired_allowance has more to do then; and only when all
-- requests are new and pending, because otherwise this has changed sums, which may be done once in a transaction.
--   p_records      an array of objects whose members are those of the recordset below; a unit that is not there is 0
--   p_provisional  this is only what is known of them
CREATE OR REPLACE FUNCTION settle_usage(p_records jsonb, p_provisional boolean DEFAULT false) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
BEGIN
  PERFORM settle_records(
    ids, allowances, accounts, seats, teams, keys, models, capabilities, price_versions, ARRAY(SELECT unnest(units)),
    parts, usage_sources, billing_reasons, held, costs, attempts, ended_at, client_statuses, client_error_codes,
    p_provisional
  )
  FROM (
    SELECT array_agg("requestId") AS ids, array_agg("allowanceId") AS allowances, array_agg("accountId") AS accounts,
      array_agg("seatId") AS seats, array_agg("teamId") AS teams, array_agg("keyId") AS keys,
      array_agg("modelId") AS models, array_agg(capability) AS capabilities,
      array_agg("priceVersion") AS price_versions, array_agg(ARRAY[
        coalesce("inputTokens", 0), coalesce("cachedInputTokens", 0), coalesce("outputTokens", 0),
        coalesce(images, 0), coalesce(characters, 0), coalesce("audioMs", 0), coalesce("searchUnits", 0),
        coalesce("cacheWriteTokens", 0), coalesce("cacheWrite1hTokens", 0), coalesce("audioInputTokens", 0),
        coalesce("imageInputTokens", 0), coalesce("reasoningTokens", 0), coalesce("audioOutputTokens", 0),
        coalesce("imageOutputTokens", 0), coalesce("webSearchRequests", 0), coalesce("toolCalls", 0)
      ]) AS units, array_agg(parts) AS parts, array_agg("usageSource") AS usage_sources,
      array_agg("billingReason") AS billing_reasons, array_agg(held) AS held, array_agg(cost) AS costs,
      array_agg(attempts) AS attempts, array_agg("endedAt") AS ended_at, array_agg("clientStatus") AS client_statuses,
      array_agg("clientErrorCode") AS client_error_codes
    FROM (
      -- A request that is there twice is one request.
      SELECT DISTINCT ON ("requestId" COLLATE "C") r.*
      FROM ROWS FROM (
        jsonb_to_recordset(p_records) AS (
          "requestId" text, "accountId" text, "seatId" text, "teamId" text, "keyId" text, "modelId" text,
          capability text, "priceVersion" int, "inputTokens" bigint, "cachedInputTokens" bigint,
          "outputTokens" bigint, images bigint, characters bigint, "audioMs" bigint, "searchUnits" bigint,
          "cacheWriteTokens" bigint, "cacheWrite1hTokens" bigint, "audioInputTokens" bigint,
          "imageInputTokens" bigint, "reasoningTokens" bigint, "audioOutputTokens" bigint,
          "imageOutputTokens" bigint, "webSearchRequests" bigint, "toolCalls" bigint, parts jsonb,
          "usageSource" text, "billingReason" text, held bigint, cost bigint, attempts jsonb,
          "endedAt" timestamptz, "clientStatus" int, "clientErrorCode" text, "allowanceId" text
        )
      ) WITH ORDINALITY AS r
      ORDER BY "requestId" COLLATE "C", ordinality
    ) AS record
  ) AS given
  WHERE ids IS NOT NULL;
  IF p_provisional OR p_records = '[]' THEN RETURN; END IF;
  IF (
    SELECT cardinality(request_ids) FROM pending_settlements
    WHERE number = currval('pending_settlements_number_seq')
  ) = (SELECT count(DISTINCT record->>'requestId') FROM jsonb_array_elements(p_records) AS record) THEN
    PERFORM roll_up_settlements(100);
  END IF;
END
$$;

-- Asks for what other allowances on pools hold unused; the caller holds the locks of the pools.
-- @returns those that have to answer, each with the recall to be answered; one that is still out is not asked
-- twice. One whose data plane is gone is among them although it cannot answer: nobody uses what it holds.
CREATE OR REPLACE FUNCTION recall_allowances(p_pool_ids text[], p_except text)
RETURNS TABLE ("allowanceId" text, recall int)
LANGUAGE plpgsql AS $$
BEGIN
  UPDATE pools SET recalled_at = now() WHERE id = ANY(p_pool_ids);
  RETURN QUERY
    UPDATE allowances a SET recall = greatest(a.recall, a.answered + 1)
    WHERE a.id IN (
      SELECT other.id FROM allowances other
      WHERE other.closed_at IS NULL AND other.id <> p_except AND other.id IN (
        SELECT part.allowance_id FROM allowance_parts part WHERE part.pool_id = ANY(p_pool_ids) AND part.held > 0
      ) AND (
        NOT other.exact OR NOT EXISTS (
          SELECT FROM key_watchers w WHERE w.instance_id = other.instance_id AND w.lease_until > now()
        )
      )
      ORDER BY other.id FOR UPDATE OF other
    )
    RETURNING a.id, a.recall;
  PERFORM pg_notify('gateway_recalls', '');
END
$$;

-- Takes back what an allowance does not use: the last pool that would be drawn on gets it first. The caller has
-- locked the pools of its payer, or those that it holds money of; one that was added to these since is locked here,
-- but not waited for.
--   p_returned  all that the data plane says it has ever given back; what is said twice counts once
--   p_recall    the recall that this answers; 0: none
--   p_close     everything is given back, and nothing can be granted any more
--   p_granted   all that the data plane knows it was granted. While a grant is on its way to it, it cannot
--               answer for that, so a recall stays unanswered; null: all of it
-- @throws lock_not_available
CREATE OR REPLACE FUNCTION take_back_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
DECLARE
  v_allowance allowances;
  v_recall int := p_recall;
  v_returned bigint;
  v_due bigint;
  v_take bigint;
  v_part record;
BEGIN
  SELECT * INTO v_allowance FROM allowances WHERE id = p_id FOR UPDATE;
  -- From here on nobody else changes what it holds.
  PERFORM FROM pools WHERE id IN (
    SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = p_id AND part.held > 0
  ) ORDER BY id FOR UPDATE NOWAIT;
  granted := coalesce(v_allowance.granted, 0);
  closed := v_allowance.id IS NULL OR v_allowance.closed_at IS NOT NULL;
  IF closed THEN RETURN; END IF;
  IF p_granted < granted THEN v_recall := 0; END IF;
  v_returned := greatest(least(p_returned, granted), v_allowance.returned);
  v_due := v_returned - v_allowance.returned;
  FOR v_part IN
    SELECT part.pool_id, part.held
    FROM payer_pools(v_allowance.account_id, v_allowance.seat_id, v_allowance.team_id) WITH ORDINALITY AS p
    JOIN allowance_parts part ON part.pool_id = p.id AND part.allowance_id = p_id
    WHERE part.held > 0 ORDER BY p.ordinality DESC
  LOOP
    v_take := CASE WHEN p_close THEN v_part.held ELSE least(v_due, v_part.held) END;
    CONTINUE WHEN v_take = 0;
    UPDATE allowance_parts SET held = held - v_take WHERE allowance_id = p_id AND pool_id = v_part.pool_id;
    UPDATE pools SET held = held - v_take, remaining = remaining + v_take WHERE id = v_part.pool_id;
    v_due := v_due - v_take;
  END LOOP;
  UPDATE allowances SET returned = v_returned, answered = greatest(answered, v_recall),
    exact = exact OR (v_recall > 0 AND v_recall >= recall), used_at = now(), closed_at = CASE WHEN p_close THEN now() END
  WHERE id = p_id;
  IF p_close THEN
    closed := true;
    -- One that somebody else has is being settled, or is late.
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT request_id FROM usage_checkpoints WHERE allowance_id = p_id FOR UPDATE SKIP LOCKED
    );
  END IF;
  IF v_recall > 0 OR p_close THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;

-- Takes back what an allowance does not use, after locking the pools that it holds money of. Parameters, result and
-- errors are those of take_back_allowance.
CREATE OR REPLACE FUNCTION return_allowance(
  p_id text, p_returned bigint, p_recall int, p_close boolean, p_granted bigint DEFAULT NULL,
  OUT granted bigint, OUT closed boolean
)
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_pools((SELECT array_agg(part.pool_id) FROM allowance_parts part WHERE part.allowance_id = p_id));
  SELECT back.granted, back.closed INTO return_allowance.granted, return_allowance.closed
  FROM take_back_allowance(p_id, p_returned, p_recall, p_close, p_granted) AS back;
END
$$;

-- Takes back what many allowances do not use, in one statement, as return_allowance does of one. It waits for
-- nobody, as acquire_allowances: an allowance that somebody else has locked, or of which somebody has locked a
-- pool, is left out, and so is a checkpoint that somebody is settling. Also left out is one that holds money of several pools and is not closed: the order in which they get
-- it back matters there.
--   p_returned  all that the data plane says it has ever given back
--   p_closes    everything is given back, and nothing can be granted any more
-- @returns a row for each allowance that is not left out, with all that was ever granted to it
-- Its plans are kept as those of acquire_allowances.
CREATE OR REPLACE FUNCTION return_allowances(p_ids text[], p_returned bigint[], p_closes boolean[])
RETURNS TABLE ("allowanceId" text, granted bigint, closed boolean)
LANGUAGE plpgsql
SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_ids text[];
BEGIN
  SELECT coalesce(array_agg(free.id), '{}') INTO v_pools FROM (
    SELECT id FROM pools WHERE id IN (
      SELECT part.pool_id FROM allowance_parts part WHERE part.allowance_id = ANY(p_ids)
    ) ORDER BY id FOR UPDATE SKIP LOCKED
  ) AS free;
  SELECT array_agg(free.id) INTO v_ids FROM (
    SELECT a.id FROM unnest(p_ids, p_closes) AS given (id, close) JOIN allowances a ON a.id = given.id
    WHERE a.closed_at IS NULL AND (
      SELECT coalesce(bool_and(part.pool_id = ANY(v_pools)), true)
        AND (given.close OR count(*) FILTER (WHERE part.held > 0) <= 1)
      FROM allowance_parts part WHERE part.allowance_id = a.id
    )
    FOR UPDATE OF a SKIP LOCKED
  ) AS free;

  RETURN QUERY
  WITH back AS (
    SELECT a.id, given.close, greatest(least(given.returned, a.granted), a.returned) AS returned,
      a.returned AS before
    FROM unnest(p_ids, p_returned, p_closes) AS given (id, returned, close)
    JOIN allowances a ON a.id = given.id
    WHERE a.id = ANY(v_ids)
  ), taken AS (
    SELECT part.allowance_id, part.pool_id,
      CASE WHEN back.close THEN part.held ELSE least(part.held, back.returned - back.before) END AS amount
    FROM back JOIN allowance_parts part ON part.allowance_id = back.id
    WHERE part.held > 0
  ), parts AS (
    UPDATE allowance_parts part SET held = part.held - taken.amount FROM taken
    WHERE part.allowance_id = taken.allowance_id AND part.pool_id = taken.pool_id
  ), filled AS (
    UPDATE pools p SET held = p.held - sum.amount, remaining = p.remaining + sum.amount
    FROM (SELECT pool_id, sum(amount)::bigint AS amount FROM taken GROUP BY pool_id) AS sum
    WHERE p.id = sum.pool_id AND sum.amount > 0
  ), checkpoints AS (
    DELETE FROM usage_checkpoints WHERE request_id IN (
      SELECT c.request_id FROM usage_checkpoints c JOIN back ON c.allowance_id = back.id
      WHERE back.close FOR UPDATE OF c SKIP LOCKED
    )
  )
  UPDATE allowances a
  SET returned = back.returned, used_at = now(), closed_at = CASE WHEN back.close THEN now() END
  FROM back WHERE a.id = back.id
  RETURNING a.id, a.granted, back.close;
  -- Whoever waits for the answer to a recall has it, when the allowance is closed.
  IF true = ANY(p_closes) THEN PERFORM pg_notify('gateway_returns', ''); END IF;
END
$$;

-- Sets money aside for as many of the needs as can be covered, from the first on, and some to spare when
-- there is plenty. An allowance that does not exist is opened. What the data plane does not use is taken back
-- first, in the same statement, so that whoever waits for money never holds a part of it that could cover
-- somebody else.
--   p_returned                  all that the data plane says it has ever given back
--   lapsed                      the data plane has no lease; nothing was granted, because it could be freed
--                               at any moment
--   closed                      the allowance was closed; nothing was granted, a new id is needed
--   granted                     all that was ever granted to the allowance
--   covered                     how many of the needs this grant covers
--   exact                       nothing was granted to spare
--   recall                      the last recall that the grant knew of
--   recalls                     when not even the first need is covered: what others have been asked for, as
--                               an array of allowanceId and recall; without any, the need cannot be covered
--   available, held, resets_at  of the payer's pools, after the grant
-- @throws lock_not_available, as take_back_allowance
CREATE OR REPLACE FUNCTION acquire_allowance(
  p_id text, p_instance_id text, p_account_id text, p_seat_id text, p_team_id text, p_needs bigint[],
  p_spare bigint, p_returned bigint DEFAULT 0,
  OUT lapsed boolean, OUT closed boolean, OUT granted bigint, OUT covered int, OUT exact boolean, OUT recall int,
  OUT recalls jsonb, OUT available bigint, OUT held bigint, OUT resets_at timestamptz
)
LANGUAGE plpgsql AS $$
DECLARE
  v_ids text[];
  v_recalled boolean;
  v_grant bigint := 0;
  v_spare bigint := 0;
  v_need bigint;
  v_take bigint;
  v_pool record;
BEGIN
  SELECT array_agg(id) INTO v_ids FROM payer_pools(p_account_id, p_seat_id, p_team_id);
  PERFORM lock_pools(v_ids);
  PERFORM take_back_allowance(p_id, p_returned, 0, false, NULL);
  SELECT coalesce(sum(remaining), 0), coalesce(bool_or(recalled_at > now() - interval '2 seconds'), false)
  INTO available, v_recalled FROM pools WHERE id = ANY(v_ids);
  INSERT INTO allowances (id, instance_id, account_id, seat_id, team_id)
  VALUES (p_id, p_instance_id, p_account_id, p_seat_id, p_team_id) ON CONFLICT DO NOTHING;
  SELECT a.closed_at IS NOT NULL INTO closed FROM allowances a WHERE a.id = p_id FOR UPDATE;
  lapsed := NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = p_instance_id AND w.lease_until > now()
  );
  covered := 0;
  IF NOT closed AND NOT lapsed THEN
    FOREACH v_need IN ARRAY p_needs LOOP
      EXIT WHEN v_grant + v_need > available;
      v_grant := v_grant + v_need;
      covered := covered + 1;
    END LOOP;
    -- Near the end of a pool, and while others are asked for what they do not use, nobody gets more than is needed.
    IF covered = cardinality(p_needs) AND NOT v_recalled THEN
      v_spare := least(p_spare, (available - v_grant) / 8);
    END IF;
    v_grant := v_grant + v_spare;
    available := available - v_grant;
  END IF;
  exact := v_spare = 0;
  UPDATE allowances a SET granted = a.granted + v_grant, exact = a.exact AND v_spare = 0, used_at = now()
  WHERE a.id = p_id RETURNING a.granted, a.recall INTO acquire_allowance.granted, acquire_allowance.recall;
  FOR v_pool IN
    -- Not those that were added since, which are not locked.
    SELECT p.id, p.remaining FROM payer_pools(p_account_id, p_seat_id, p_team_id) p WHERE p.id = ANY(v_ids)
  LOOP
    EXIT WHEN v_grant = 0;
    v_take := least(v_grant, v_pool.remaining);
    CONTINUE WHEN v_take = 0;
    UPDATE pools p SET remaining = p.remaining - v_take, held = p.held + v_take WHERE p.id = v_pool.id;
    INSERT INTO allowance_parts AS part (allowance_id, pool_id, held) VALUES (p_id, v_pool.id, v_take)
    ON CONFLICT (allowance_id, pool_id) DO UPDATE SET held = part.held + v_take;
    v_grant := v_grant - v_take;
  END LOOP;
  IF NOT closed AND NOT lapsed AND covered = 0 AND cardinality(p_needs) > 0 THEN
    SELECT jsonb_agg(r) INTO recalls FROM recall_allowances(v_ids, p_id) r;
  END IF;
  recalls := coalesce(recalls, '[]');
  SELECT coalesce(sum(p.held), 0), min(p.resets_at) INTO acquire_allowance.held, acquire_allowance.resets_at
  FROM pools p WHERE p.id = ANY(v_ids);
END
$$;

-- Closes an allowance whose data plane is gone, and bills its streams as far as they have reported. It locks all
-- that it needs before it begins; when a pool that was added meanwhile is in use, the next sweep closes it.
-- @returns whether it was closed here
CREATE OR REPLACE FUNCTION close_expired_allowance(p_id text, p_grace interval) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
  v_closed boolean;
BEGIN
  PERFORM lock_pools((
    SELECT array_agg(p.id) FROM allowances a, payer_pools(a.account_id, a.seat_id, a.team_id) AS p WHERE a.id = p_id
  ));
  PERFORM FROM allowances a
  WHERE a.id = p_id AND a.closed_at IS NULL AND a.used_at < now() - p_grace AND NOT EXISTS (
    SELECT FROM key_watchers w WHERE w.instance_id = a.instance_id AND w.lease_until > now() - p_grace
  )
  FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  PERFORM settle_usage(coalesce(
    (SELECT jsonb_agg(record) FROM usage_checkpoints WHERE allowance_id = p_id), '[]'
  ), true);
  SELECT closed INTO v_closed FROM take_back_allowance(p_id, 0, 0, true, NULL);
  RETURN v_closed;
EXCEPTION WHEN lock_not_available THEN
  RETURN false;
END
$$;
