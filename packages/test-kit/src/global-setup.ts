import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
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
    /** True where a test can start a Redis of its own with `startRedisServer`, and stop it. */
    ownRedis: boolean;
  }
}

const NO_REDIS =
  'skipped tests against Redis: TEST_REDIS_URL is not set, no Docker runs one, and there is no redis-server on the ' +
  'PATH (Debian has it in the package redis-server).';
const NO_OPEN_RESPONSES =
  'The cases of Open Responses were not run: OPEN_RESPONSES names no folder with its schema.';
const NO_PROMTOOL =
  'The alerts were not tested: there is no promtool on the PATH (Debian has it in the package prometheus).';
const NO_OWN_REDIS =
  'skipped tests that stop a Redis of their own: there is no redis-server on the PATH (Debian has it in the package ' +
  'redis-server).';

/**
 * Starts one Postgres and one Redis for the whole run: each is that of TEST_DATABASE_URL or TEST_REDIS_URL,
 * else in a container, else on this machine. Workers share it: each test file has its own database anyway,
 * and a second server takes a second to start and copies no faster.
 */
export async function setup({ provide, vitest }: TestProject): Promise<() => Promise<void>> {
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
    if (redis === undefined)
      process.stderr.write(`\n${countFiles(vitest, ['redis', 'ownRedis'])} ${NO_REDIS}\n`);
    else if (!ownRedis) process.stderr.write(`\n${countFiles(vitest, ['ownRedis'])} ${NO_OWN_REDIS}\n`);
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

/** Returns how many test files of this run inject one of these, such as "3 test files". */
function countFiles(vitest: TestProject['vitest'], names: readonly string[]): string {
  const isInjected = ({ filepath }: { filepath: string }) => {
    const text = readFileSync(filepath, 'utf8');
    return names.some((name) => text.includes(`inject('${name}')`));
  };
  const count = vitest.state.getFiles().filter(isInjected).length;
  return count === 1 ? '1 test file' : `${count} test files`;
}
