import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { applyMigrations, createDatabase, databaseUrl, dropDatabase } from '@model-gateway/database';
import type { TestProject } from 'vitest/node';
import { findChromium } from './browser.ts';
import { findContainers } from './containers/find-containers.ts';
import { findPostgres } from './find-postgres.ts';
import { findRedis } from './find-redis.ts';
import { hasProgram } from './has-program.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** A Postgres whose user may create databases, and the migrated database to copy. */
    postgres: { adminUrl: string; template: string };
    /** A Redis that tests share by using keys of their own; undefined when there is none. */
    redis: { url: string } | undefined;
    /** Whether a test can start a Redis of its own with `startRedisServer`, which it may stop. */
    ownRedis: boolean;
  }
}

const NO_REDIS =
  'Tests against Redis were skipped: TEST_REDIS_URL is not set, there is no Docker to run one, ' +
  'and no redis-server on the PATH.';
const NO_OPEN_RESPONSES =
  'The cases of Open Responses were not run: OPEN_RESPONSES names no folder with its schema.';
const NO_PROMTOOL =
  'The alerts were not tried: there is no promtool on the PATH (Debian has it in the package prometheus).';
const NO_OWN_REDIS =
  'Tests that stop a Redis of their own were skipped: there is no redis-server on the PATH.';

/**
 * Starts one Postgres and one Redis for the whole run: each is that of TEST_DATABASE_URL or TEST_REDIS_URL,
 * else in a container, else on this machine. There is not one for each worker, because a test file has a
 * database of its own anyway, and a second server needs a second to start and copies no faster.
 */
export async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env;
  const containers = TEST_DATABASE_URL && TEST_REDIS_URL ? undefined : await findContainers();
  const [postgres, redis] = await Promise.all([
    findPostgres(TEST_DATABASE_URL, containers),
    findRedis(TEST_REDIS_URL, containers),
  ]);
  const template = `gateway_template_${randomBytes(6).toString('hex')}`;
  await createDatabase(postgres.adminUrl, template);
  await applyMigrations(databaseUrl(postgres.adminUrl, template));
  provide('postgres', { adminUrl: postgres.adminUrl, template });
  provide('redis', redis && { url: redis.url });
  const ownRedis = hasProgram('redis-server');
  provide('ownRedis', ownRedis);
  const chromium = findChromium();
  return async () => {
    if (redis === undefined) process.stderr.write(`\n${NO_REDIS}\n`);
    else if (!ownRedis) process.stderr.write(`\n${NO_OWN_REDIS}\n`);
    if ('missing' in chromium)
      process.stderr.write(`\nTests in a browser were skipped: ${chromium.missing}.\n`);
    if (!existsSync(process.env.OPEN_RESPONSES ?? '')) process.stderr.write(`\n${NO_OPEN_RESPONSES}\n`);
    if (!hasProgram('promtool')) process.stderr.write(`\n${NO_PROMTOOL}\n`);
    await redis?.stop();
    await dropDatabase(postgres.adminUrl, template);
    await postgres.stop();
    await containers?.remove();
  };
}
