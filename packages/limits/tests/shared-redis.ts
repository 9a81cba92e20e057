import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';
import { connectRedis, type RedisConnection } from '../src/index.ts';

/** Address of the Redis of this test run; undefined where there is none. */
export const redisUrl = inject('redis')?.url;

/** A long timeout, so that a busy machine is not taken for a Redis that is away. */
export async function connect(url = redisUrl): Promise<RedisConnection & Disposable> {
  if (url === undefined) throw new Error('no Redis');
  const connection = connectRedis({ url, commandTimeoutMs: 5_000 });
  if (!(await connection.whenReady(5_000))) throw new Error('Redis did not answer');
  return { ...connection, [Symbol.dispose]: () => connection.close() };
}

/** Keys of one test, which nobody else uses. */
export function ownPrefix(): string {
  return `test-${randomUUID()}:`;
}
