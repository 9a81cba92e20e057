import { setTimeout as wait } from 'node:timers/promises';
import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { expect, it } from 'vitest';
import { createPrismaClient } from '../src/index.ts';

const TIMEOUT_MS = 300;

it('a transaction that nobody goes on with lets go of its locks', async () => {
  await using database = await createTestDatabase();
  const clientOf = () => createPrismaClient(database.url, { queryTimeoutMs: TIMEOUT_MS });
  const [gone, other] = [clientOf(), clientOf()];
  const lock = 'SELECT FROM audit_chains WHERE chain = 0 FOR UPDATE';
  const silent = gone.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(lock);
    await wait(2 * TIMEOUT_MS);
    await transaction.$executeRawUnsafe(lock);
  });
  await Promise.all([
    expect(silent).rejects.toThrow(),
    wait(2 * TIMEOUT_MS).then(() => other.$executeRawUnsafe(`${lock} NOWAIT`)),
  ]);
  await Promise.all([gone.$disconnect(), other.$disconnect()]);
});
