import type { TestSql } from '@model-gateway/test-kit/bounded-reads';

/** The start of a day in UTC, in Unix seconds. */
export const DAY_START = Date.UTC(2026, 2, 10) / 1_000;

/** Writes roll-ups of an account by the minute, and those of the hour and the day (DAY_START) that they add up to. */
export async function fillRollups(
  control: TestSql,
  accountId: string,
  { minutes, keys, models }: { minutes: number; keys: number; models: number },
): Promise<void> {
  for (const width of [60, 3_600, 86_400]) {
    const buckets = Math.ceil((minutes * 60) / width);
    await control.query(
      `INSERT INTO usage_rollups (
         account_id, seat_id, width, bucket, key_id, model_id, capability, requests, input_tokens, cached_input_tokens,
         output_tokens, images, characters, audio_ms, search_units, charged
       )
       SELECT $1, '', $2::int, to_timestamp($3::float8 + b * $2::int), 'key_' || lpad(k::text, 24, '0'),
         'sim/chat-' || lpad(m::text, 4, '0'), 'chat', n, 10 * n, 0, 20 * n, 0, 0, 0, 0, 1000 * n
       FROM generate_series(0, $4::int - 1) AS b, generate_series(1, $5::int) AS k, generate_series(1, $6::int) AS m,
         LATERAL (SELECT least($2::int / 60, $7::int - b * $2::int / 60)) AS minutes (n)`,
      [accountId, width, DAY_START, buckets, keys, models, minutes],
    );
  }
  await control.query('TRUNCATE usage_days');
  await control.query(
    `INSERT INTO usage_days (
       account_id, seat_id, bucket, model_id, capability, requests, input_tokens, cached_input_tokens, output_tokens,
       images, characters, audio_ms, search_units, cache_write_tokens, cache_write_1h_tokens, audio_input_tokens,
       image_input_tokens, reasoning_tokens, audio_output_tokens, image_output_tokens, web_search_requests, tool_calls,
       charged
     )
     SELECT account_id, seat_id, bucket, model_id, min(capability), sum(requests), sum(input_tokens), 0,
       sum(output_tokens), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, sum(charged)
     FROM usage_rollups WHERE width = 86400 GROUP BY 1, 2, 3, 4`,
  );
}
