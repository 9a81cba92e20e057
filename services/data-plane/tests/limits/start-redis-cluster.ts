import { connectRedis, type RedisConnection } from '@model-gateway/limits';
import { type RedisServer, startRedisServer, until } from '@model-gateway/test-kit';

export interface RedisCluster extends AsyncDisposable {
  /** As REDIS_URL names a cluster: several addresses, separated by commas. */
  url: string;
  shards: readonly RedisServer[];
  /** The replica of each shard; none unless asked for. */
  replicas: readonly RedisServer[];
}

export interface RedisClusterOptions {
  shards?: number;
  /** Each shard has a replica, which takes over when its master is gone. */
  replicas?: boolean;
  /** How long a node may be silent; by default longer than one that only waits for a CPU ever is. */
  nodeTimeoutMs?: number;
}

const SLOTS = 16_384;

/**
 * Each shard has an equal part of the slots, in their order.
 * @returns undefined where there is no redis-server on the PATH
 */
export async function startRedisCluster({
  shards: shardCount = 2,
  replicas: hasReplicas = false,
  nodeTimeoutMs = 60_000,
}: RedisClusterOptions = {}): Promise<RedisCluster | undefined> {
  await using stack = new AsyncDisposableStack();
  const nodes: RedisServer[] = [];
  for (let node = 0; node < shardCount * (hasReplicas ? 2 : 1); node++) {
    const server = await startRedisServer({
      settings: [
        ...['--cluster-enabled', 'yes', '--cluster-node-timeout', `${nodeTimeoutMs}`],
        // Otherwise a node learns its address from the first ping of another one, and names none before.
        ...['--cluster-announce-ip', '127.0.0.1'],
      ],
    });
    if (server === undefined) return undefined;
    nodes.push(stack.use(server));
  }
  using connections = new DisposableStack();
  const clients = nodes.map(({ url }) => {
    const connection = connectRedis({ url, commandTimeoutMs: 5_000 });
    connections.defer(() => connection.close());
    return connection;
  });
  for (const [index, { client, whenReady }] of clients.entries()) {
    await whenReady(5_000);
    if (index >= shardCount) continue;
    const last = firstSlot(index + 1, shardCount) - 1;
    await client.cluster('ADDSLOTSRANGE', firstSlot(index, shardCount), last);
  }
  // Each meets each: hearing of one another by gossip takes seconds.
  for (const { client } of clients) {
    for (const { port } of nodes) await client.cluster('MEET', '127.0.0.1', port);
  }
  for (const { client } of clients) {
    await until(async () => {
      const state = await client.cluster('INFO');
      return (
        state.includes('cluster_state:ok') &&
        state.includes(`cluster_size:${shardCount}\r`) &&
        state.includes(`cluster_known_nodes:${nodes.length}\r`)
      );
    });
  }
  for (const [index, replica] of clients.slice(shardCount).entries()) {
    await follow(replica, clients[index]);
  }
  const owned = stack.move();
  return {
    url: nodes.map(({ url }) => url).join(','),
    shards: nodes.slice(0, shardCount),
    replicas: nodes.slice(shardCount),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** @returns the shard that has the slot at the start */
export function shardOfSlot(slot: number, shardCount: number): number {
  return Math.floor((slot * shardCount) / SLOTS);
}

function firstSlot(shard: number, shardCount: number): number {
  return Math.ceil((shard * SLOTS) / shardCount);
}

/** Resolves when the replica has what its master has. */
async function follow({ client }: RedisConnection, master: RedisConnection | undefined): Promise<void> {
  if (master === undefined) throw new Error('a replica needs a master');
  await client.cluster('REPLICATE', await master.client.cluster('MYID'));
  await until(async () => (await client.info('replication')).includes('master_link_status:up'));
}
