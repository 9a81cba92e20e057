import { z } from 'zod';
import { pingRedis } from '../../fleet/ping-redis.ts';
import { route } from '../route.ts';

const count = z.int().min(0);

export const storageRoutes = [
  route({
    method: 'GET',
    path: '/admin/v1/fleet/storage',
    operationId: 'getStorage',
    tag: 'Fleet',
    summary: 'Get the state of Postgres and Redis',
    description: 'As the control plane that responds sees them. Counts of rows are estimates of Postgres.',
    scope: 'fleet:read',
    isInstallationWide: true,
    response: z
      .object({
        object: z.literal('storage'),
        postgres: z.object({
          version: z.string(),
          latency_ms: count,
          size_bytes: count,
          connections: count,
          max_connections: count,
          tables: z
            .array(z.object({ name: z.string(), size_bytes: count, rows: count.nullable() }))
            .describe('The largest, with their indexes. Rows are null until Postgres has statistics.'),
          replicas: z
            .array(
              z.object({
                name: z.string(),
                state: z.string().nullable().describe('Null: the user of the database may not see it.'),
                lag_seconds: z.number().nullable().describe('Null: none, or not known.'),
              }),
            )
            .describe('Servers that replicate this one.'),
        }),
        redis: z
          .object({ reachable: z.boolean(), latency_ms: count.nullable() })
          .nullable()
          .describe('Null: the control plane has no REDIS_URL.'),
      })
      .meta({ id: 'Storage' }),
    async handle({ redis, storageStore }, { signal }) {
      const [postgres, ping] = await Promise.all([storageStore.read(signal), redis && pingRedis(redis)]);
      return {
        object: 'storage' as const,
        postgres: {
          version: postgres.version,
          latency_ms: postgres.latencyMs,
          size_bytes: postgres.sizeBytes,
          connections: postgres.connections,
          max_connections: postgres.maxConnections,
          tables: postgres.tables.map(({ name, rows, sizeBytes }) => ({ name, size_bytes: sizeBytes, rows })),
          replicas: postgres.replicas.map(({ lagSeconds, name, state }) => ({
            ...{ name, state, lag_seconds: lagSeconds },
          })),
        },
        redis:
          ping === undefined
            ? null
            : { reachable: ping.latencyMs !== undefined, latency_ms: ping.latencyMs ?? null },
      };
    },
  }),
];
