import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyMigrations, createDatabase, databaseUrl, dropDatabase } from '@model-gateway/database';
import { startEmbeddedPostgres } from '@model-gateway/database/embedded-postgres';
import type { TestProject } from 'vitest/node';
import { findChromium } from './browser.ts';
import { findRedis, NO_REDIS } from './redis.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres whose user may create databases, and the migrated database to copy. */
    postgres: { adminUrl: string; template: string };
  }
}

/**
 * One Postgres for the whole run: TEST_DATABASE_URL, else an embedded one that is thrown away.
 * One Redis likewise, where there is one.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const postgres = await findPostgres(process.env.TEST_DATABASE_URL);
  const template = `gateway_template_${randomBytes(6).toString('hex')}`;
  await createDatabase(postgres.adminUrl, template);
  await applyMigrations(databaseUrl(postgres.adminUrl, template));
  provide('postgres', { adminUrl: postgres.adminUrl, template });
  const redis = await findRedis(process.env.TEST_REDIS_URL);
  provide('redis', redis && { url: redis.url });
  const chromium = findChromium();
  return async () => {
    if (redis === undefined) process.stderr.write(`\n${NO_REDIS}\n`);
    if ('missing' in chromium)
      process.stderr.write(`\nTests in a browser were skipped: ${chromium.missing}.\n`);
    await redis?.stop();
    await dropDatabase(postgres.adminUrl, template);
    await postgres.stop();
  };
}

async function findPostgres(url: string | undefined): Promise<{ adminUrl: string; stop(): Promise<void> }> {
  if (url) return { adminUrl: url, stop: async () => {} };
  const dataDir = await mkdtemp(join(tmpdir(), 'model-gateway-test-'));
  const postgres = await startEmbeddedPostgres({ dataDir, durable: false });
  return {
    adminUrl: postgres.url,
    async stop() {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
