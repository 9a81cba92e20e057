import type { Containers } from './containers/find-containers.ts';
import { startRedisServer } from './redis.ts';

export interface FoundRedis {
  url: string;
  stop(): Promise<void>;
}

/**
 * Finds the one Redis for the whole run, which tests share by using keys of their own: the one of the URL,
 * else one in Docker, else a `redis-server` from the PATH, else none.
 */
export async function findRedis(
  url: string | undefined,
  containers: Containers | undefined,
): Promise<FoundRedis | undefined> {
  if (url) return { url, stop: async () => {} };
  if (containers !== undefined) {
    try {
      return await startInDocker(containers);
    } catch (error) {
      process.stderr.write(`No Redis in Docker, looking for a redis-server: ${String(error)}\n`);
    }
  }
  return startRedisServer();
}

async function startInDocker(containers: Containers): Promise<FoundRedis> {
  const address = await containers.start({
    image: 'redis:7-alpine',
    port: 6379,
    command: ['redis-server', '--save', '', '--appendonly', 'no'],
    readyWhen: 'redis-cli ping',
  });
  return { url: `redis://${address}`, stop: async () => {} };
}
