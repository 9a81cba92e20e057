import { z } from 'zod';
import type { Cluster } from './cluster.ts';

/** Folders of deploy/kubernetes. */
export const FAILOVER_DATABASES = ['postgres-standby', 'redis-cluster'];
export const REDIS_CLUSTER_NODES = Array.from(
  { length: 6 },
  (_, n) => `redis-cluster-${n}.redis-cluster:6379`,
);

/** Marks the default StorageClass. */
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';
const annotations = z.record(z.string(), z.string()).default({});

/**
 * Returns a kustomization of the Postgres with a standby and the Redis Cluster of deploy/kubernetes, with
 * lower requests and, if the cluster has no volumes, without persistent data.
 */
export async function failoverDatabases(gateway: Cluster): Promise<Record<string, unknown>> {
  const classes = z
    .object({ items: z.array(z.object({ metadata: z.object({ annotations }) })) })
    .parse(JSON.parse(await gateway.kubectl('get', 'storageclass', '--output', 'json')));
  const hasVolumes = classes.items.some(({ metadata }) => metadata.annotations[DEFAULT_CLASS] === 'true');
  const lowRequests = {
    op: 'replace',
    path: '/spec/template/spec/containers/0/resources/requests',
    value: { cpu: '50m', memory: '64Mi' },
  };
  const withoutVolumes = [
    { op: 'remove', path: '/spec/volumeClaimTemplates' },
    { op: 'add', path: '/spec/template/spec/volumes/-', value: { name: 'data', emptyDir: {} } },
  ];
  return {
    resources: FAILOVER_DATABASES.map((name) => `../${name}`),
    patches: [
      { target: { kind: 'StatefulSet' }, patch: JSON.stringify([lowRequests]) },
      ...(hasVolumes
        ? []
        : [{ target: { kind: 'StatefulSet', name: 'postgres' }, patch: JSON.stringify(withoutVolumes) }]),
    ],
  };
}
