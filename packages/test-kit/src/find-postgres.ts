import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { Containers } from './containers/find-containers.ts';
import { makeScratchFolder } from './scratch-folder.ts';

export interface FoundPostgres {
  /** The URL of a user who may create databases. */
  adminUrl: string;
  stop(): Promise<void>;
}

/** The same settings as for the embedded Postgres: many connections, and nothing that survives a crash. */
const SETTINGS = {
  max_connections: '200',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
};

/**
 * Finds the one Postgres for the whole run: the one of the URL, else one in Docker, else an embedded one that
 * is thrown away.
 */
export async function findPostgres(
  url: string | undefined,
  containers: Containers | undefined,
): Promise<FoundPostgres> {
  if (url) return { adminUrl: url, stop: async () => {} };
  if (containers !== undefined) {
    try {
      return await startInDocker(containers);
    } catch (error) {
      process.stderr.write(`No Postgres in Docker, taking the embedded one: ${String(error)}\n`);
    }
  }
  return startEmbedded();
}

async function startInDocker(containers: Containers): Promise<FoundPostgres> {
  const password = randomBytes(16).toString('hex');
  const address = await containers.start({
    image: 'postgres:17-alpine',
    port: 5432,
    command: ['postgres', ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    environment: {
      POSTGRES_PASSWORD: password,
      POSTGRES_INITDB_ARGS: '--no-sync --encoding=UTF8 --locale=C',
    },
    // The check uses TCP, because the server that the image starts for its own set-up only listens on a
    // socket.
    readyWhen: 'pg_isready --quiet --host=127.0.0.1 --username=postgres',
  });
  return { adminUrl: `postgresql://postgres:${password}@${address}/postgres`, stop: async () => {} };
}

async function startEmbedded(): Promise<FoundPostgres> {
  const dataDir = await makeScratchFolder('model-gateway-test-');
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  return {
    adminUrl: postgres.url,
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
