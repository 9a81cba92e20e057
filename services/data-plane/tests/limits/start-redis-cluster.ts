import { connectRedis } from '@model-gateway/limits';
import { type RedisServer, startRedisServer, until } from '@model-gateway/test-kit';

export interface RedisCluster extends AsyncDisposable {
  /** As REDIS_URL names a cluster: several addresses, separated by commas. */
  url: string;
  shards: readonly RedisServer[];
}

const SLOTS = 16_384;
const SHARDS = 2;

/** Two shards without replicas. @returns undefined where there is no redis-server on the PATH */
export async function startRedisCluster(): Promise<RedisCluster | undefined> {
  await using stack = new AsyncDisposableStack();
  const shards: RedisServer[] = [];
  for (let shard = 0; shard < SHARDS; shard++) {
    const server = await startRedisServer({
      // A node that only waits for a CPU must not be taken for one that is gone.
      settings: ['--cluster-enabled', 'yes', '--cluster-node-timeout', '60000'],
    });
    if (server === undefined) return undefined;
    shards.push(stack.use(server));
  }
  using connections = new DisposableStack();
  const clients = shards.map(({ url }) => {
    const connection = connectRedis({ url, commandTimeoutMs: 5_000 });
    connections.defer(() => connection.close());
    return connection;
  });
  for (const [index, { client, whenReady }] of clients.entries()) {
    await whenReady(5_000);
    const first = Math.ceil((index * SLOTS) / SHARDS);
    await client.cluster('ADDSLOTSRANGE', first, Math.ceil(((index + 1) * SLOTS) / SHARDS) - 1);
  }
  // Each meets each: hearing of one another by gossip takes seconds.
  for (const { client } of clients) {
    for (const { port } of shards) await client.cluster('MEET', '127.0.0.1', port);
  }
  for (const { client } of clients) {
    await until(async () => {
      const state = await client.cluster('INFO');
      return state.includes('cluster_state:ok') && state.includes(`cluster_size:${SHARDS}`);
    });
  }
  const owned = stack.move();
  return {
    url: shards.map(({ url }) => url).join(','),
    shards,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
