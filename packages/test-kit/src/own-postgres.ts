import { rm } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { applyMigrations, createDatabase, databaseUrl } from '@model-gateway/database';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import { makeScratchFolder } from './scratch-folder.ts';

/** A Postgres that belongs to one test, which may kill it. Committed data survives. */
export interface OwnPostgres extends AsyncDisposable {
  /** The URL of a migrated database; it stays the same. */
  databaseUrl: string;
  /** The process id of the postmaster. */
  readonly pid: number;
  /** Sends SIGKILL to the postmaster. Its children notice that, and end without a message. */
  kill(): void;
  /** Starts it again, with the same data and port. */
  restart(): Promise<void>;
}

const DATABASE = 'gateway';
const RESTART_TIMEOUT_MS = 120_000;

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await makeScratchFolder('model-gateway-own-postgres-');
  let server = await startEmbeddedPostgres({ dataDir });
  const { port } = server;
  await createDatabase(server.url, DATABASE);
  const url = databaseUrl(server.url, DATABASE);
  await applyMigrations(url);
  return {
    databaseUrl: url,
    get pid() {
      return server.pid;
    },
    kill: () => void process.kill(server.pid, 'SIGKILL'),
    async restart() {
      const deadlineMs = performance.now() + RESTART_TIMEOUT_MS;
      for (;;) {
        try {
          server = await startEmbeddedPostgres({ dataDir, port });
          return;
        } catch (error) {
          // A child of the killed server still holds the shared memory.
          if (performance.now() > deadlineMs) throw error;
          await wait(50);
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
