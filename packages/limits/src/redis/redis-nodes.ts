import calculateSlot from 'cluster-key-slot';
import { Cluster, type Redis } from 'ioredis';
import { counterTags } from './counter-tags.ts';

/** Finds the node of Redis that has the keys of a hash tag. A single Redis is one node. */
export interface RedisNodes {
  nodeOf(hashTag: string): string;
  /** Returns a hash tag whose keys the node has; undefined if it has no slots now. */
  hashTagOn(node: string): string | undefined;
  /** Replaces the connection to a node. */
  reconnect(node: string): void;
}

/** Names a single Redis. In a cluster it stands for slots that no node has. */
const ONLY_NODE = '';

export function redisNodes(client: Redis | Cluster): RedisNodes {
  return client instanceof Cluster ? clusterNodes(client) : singleNode(client);
}

function singleNode(client: Redis): RedisNodes {
  return {
    nodeOf: () => ONLY_NODE,
    hashTagOn: () => 'probe',
    reconnect: () => client.disconnect(true),
  };
}

function clusterNodes(client: Cluster): RedisNodes {
  const masterOf = (slot: number) => client.slots[slot]?.[0] ?? ONLY_NODE;
  const tags = counterTags(true).map((tag) => ({ tag, slot: calculateSlot(tag) }));
  return {
    nodeOf: (hashTag) => masterOf(calculateSlot(hashTag)),
    hashTagOn: (node) => tags.find(({ slot }) => masterOf(slot) === node)?.tag,
    reconnect: (node) => {
      const isNode = ({ options: { host, port } }: Redis) => `${host}:${port}` === node;
      // The cluster client connects again when the next command needs the node.
      client.nodes().find(isNode)?.disconnect();
    },
  };
}
