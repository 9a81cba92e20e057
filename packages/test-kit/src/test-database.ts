import { randomBytes } from 'node:crypto';
import { createDatabase, databaseUrl, dropDatabase } from '@model-gateway/database';
import { inject } from 'vitest';

export interface TestDatabase {
  url: string;
  drop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Creates a migrated database, copied from the template in about 40 ms. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('postgres');
  const name = `gateway_test_${randomBytes(8).toString('hex')}`;
  await createDatabase(adminUrl, name, { template });
  const drop = () => dropDatabase(adminUrl, name);
  return { url: databaseUrl(adminUrl, name), drop, [Symbol.asyncDispose]: drop };
}

/** Creates a database without any table. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  const { adminUrl } = inject('postgres');
  const name = `gateway_empty_${randomBytes(8).toString('hex')}`;
  await createDatabase(adminUrl, name);
  const drop = () => dropDatabase(adminUrl, name);
  return { url: databaseUrl(adminUrl, name), drop, [Symbol.asyncDispose]: drop };
}
