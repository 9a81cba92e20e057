import { connectRedis, type RedisConnection } from '@model-gateway/limits';
import type { RedisServer } from '@model-gateway/test-kit';

/** Runs `work` on a connection to one node of a cluster. */
export async function onNode<Value>(
  { url }: RedisServer,
  work: (client: RedisConnection['client']) => Promise<Value>,
): Promise<Value> {
  const connection = connectRedis({ url, commandTimeoutMs: 5_000 });
  try {
    await connection.whenReady(10_000);
    return await work(connection.client);
  } finally {
    connection.close();
  }
}

export async function slotOf(node: RedisServer, hashTag: string): Promise<number> {
  return await onNode(node, async (client) => Number(await client.call('CLUSTER', 'KEYSLOT', hashTag)));
}

/**
 * Moves a slot in the same steps as `redis-cli --cluster reshard`.
 * @param meanwhile runs when both nodes know of the move, before any key is moved
 */
export async function moveSlot(
  slot: number,
  from: RedisServer,
  to: RedisServer,
  meanwhile: () => Promise<void>,
): Promise<void> {
  await onNode(from, (source) =>
    onNode(to, async (target) => {
      const [sourceId, targetId] = [
        String(await source.cluster('MYID')),
        String(await target.cluster('MYID')),
      ];
      await target.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', sourceId);
      await source.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', targetId);
      await meanwhile();
      for (;;) {
        const keys = await source.cluster('GETKEYSINSLOT', slot, 100);
        if (keys.length === 0) break;
        await source.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
      }
      await target.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
      await source.call('CLUSTER', 'SETSLOT', slot, 'NODE', targetId);
    }),
  );
}
