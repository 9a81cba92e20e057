import { openBooks } from './open-books.ts';

export interface RememberedMinute {
  modelId: string;
  agoMs: number;
  requests: number;
  failed: number;
}

/**
 * Inserts the per-minute statistics that the control plane would have stored for earlier requests to the
 * simulated provider.
 */
export async function rememberMinutes(
  databaseUrl: string,
  minutes: readonly RememberedMinute[],
): Promise<void> {
  await using books = openBooks(databaseUrl);
  for (const { modelId, agoMs, requests, failed } of minutes) {
    await books.query(
      `INSERT INTO model_minutes (model_id, provider_id, minute, attempts, failed_attempts, requests,
         failed_requests, latency_buckets, first_token_buckets)
       VALUES ($1, 'sim', date_trunc('minute', now() - $2 * interval '1 millisecond'), $3, $4, $3, $4,
         array_fill(0, ARRAY[75]), array_fill(0, ARRAY[75]))`,
      [modelId, agoMs, requests, failed],
    );
  }
}
