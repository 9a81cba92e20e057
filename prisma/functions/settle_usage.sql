-- Settles records in the form of JSON, which checkpoints have (settle_records).
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
END
$$;
