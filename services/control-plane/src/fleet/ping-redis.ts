import type { RedisConnection } from '@model-gateway/limits';

const TIMEOUT_MS = 1_000;

/** @returns `latencyMs`: undefined if Redis does not reply within a second */
export async function pingRedis({
  client,
  whenReady,
}: RedisConnection): Promise<{ latencyMs: number | undefined }> {
  if (!(await whenReady(TIMEOUT_MS))) return { latencyMs: undefined };
  const startedAtMs = performance.now();
  try {
    await client.ping();
    return { latencyMs: Math.round(performance.now() - startedAtMs) };
  } catch {
    return { latencyMs: undefined };
  }
}
