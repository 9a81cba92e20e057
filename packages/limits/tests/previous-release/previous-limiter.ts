import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from '../../src/index.ts';

const SCRIPT = readFileSync(new URL('admit.lua', import.meta.url), 'utf8');
const WINDOW_MICROS = 60_000_000;

/**
 * Counts one request against one limit of the key `key-1` as the previous release does, with the script of
 * that release: all limits have logs, and nothing else is known.
 * @param now in microseconds
 * @returns whether it was admitted
 */
export async function admitAsBefore(
  { client }: RedisConnection,
  { keyPrefix, bucket, limit, now }: { keyPrefix: string; bucket: string; limit: number; now: number },
): Promise<boolean> {
  const log = `${keyPrefix}log:{key-1}:${bucket}`;
  const reply = await client.eval(SCRIPT, 1, log, randomUUID(), now, WINDOW_MICROS, 1, -1, 0, limit);
  if (!Array.isArray(reply)) throw new TypeError('the script of the previous release answered no list');
  return reply[0] === 0;
}
