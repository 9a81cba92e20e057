import { once } from 'node:events';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { RedisCalls } from '../src/redis/redis-calls.ts';
import { connect, ownPrefix, redisUrl } from './shared-redis.ts';

async function connected() {
  const connection = await connect();
  const { client } = connection;
  if (!(client instanceof Redis)) throw new Error('a cluster has no one socket');
  return { connection, client, calls: new RedisCalls(connection), prefix: ownPrefix() };
}

describe.skipIf(redisUrl === undefined)('commands of one turn of the event loop', () => {
  test('go out together, without waiting for answers to earlier ones', async () => {
    const { connection, client, calls, prefix } = await connected();
    using _closed = connection;
    const first = calls.send('INCR', [`${prefix}count`]);
    const others = [1, 2, 3].map(() => calls.send('INCR', [`${prefix}count`]));
    expect(client.stream.writableLength).toBeGreaterThan(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(client.stream.writableLength).toBe(0);
    expect(await Promise.all([first, ...others])).toEqual([1, 2, 3, 4]);
  });

  test('keep their order among commands that are sent directly', async () => {
    const { connection, client, calls, prefix } = await connected();
    using _closed = connection;
    const key = `${prefix}count`;
    const answers: Promise<unknown>[] = [];
    for (let sent = 0; sent < 50; sent += 1)
      answers.push(sent % 3 === 0 ? client.incr(key) : calls.send('INCR', [key]));
    expect(await Promise.all(answers)).toEqual(answers.map((_, index) => index + 1));
  });

  test('fail with their connection, and those on the next connection succeed', async () => {
    const { connection, client, calls, prefix } = await connected();
    using _closed = connection;
    const { stream } = client;
    const lost = calls.send('INCR', [`${prefix}count`]);
    stream.destroy();
    await expect(lost).rejects.toThrow();
    expect(await connection.whenReady(5_000)).toBe(true);
    expect(client.stream).not.toBe(stream);
    // Sent in the same turn of the event loop in which the connection is given up.
    const given = calls.send('INCR', [`${prefix}count`]).catch(() => 'lost');
    const closed = once(client.stream, 'close');
    connection.nodes.reconnect('');
    await Promise.all([given, closed]);
    expect(await connection.whenReady(5_000)).toBe(true);
    const answers = [1, 2, 3].map(() => calls.send('ECHO', ['1']));
    expect(`${await Promise.all(answers)}`).toBe('1,1,1');
    expect(client.stream.writableCorked).toBe(0);
  });
});
