import { expect, test } from 'vitest';
import { connectRedis } from './redis-connection.ts';

test.each(['http://redis:6379', 'redis', 'redis://', 'redis://a:6379/x', '', 'redis://a:1,'])(
  'an address that is none (%j) is refused without repeating it',
  (url) => {
    expect(() => connectRedis({ url })).toThrow(TypeError);
  },
);

test('a password does not show in the error', () => {
  expect(() => connectRedis({ url: 'redis://:s3cret@host/x' })).toThrow(/^(?!.*s3cret)/);
});

test('several addresses are first nodes of one cluster', () => {
  const cluster = connectRedis({ url: 'rediss://user:a%2Fb@127.0.0.1:1, rediss://127.0.0.1:2' });
  expect(cluster.isCluster).toBe(true);
  expect(cluster.client.options).toMatchObject({
    redisOptions: { username: 'user', password: 'a/b', tls: { servername: '127.0.0.1' } },
  });
  cluster.close();
});
