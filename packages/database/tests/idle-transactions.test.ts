import { createTestDatabase } from '@model-gateway/test-kit/test-database';
import { until } from '@model-gateway/test-kit/until';
import { expect, it } from 'vitest';
import { createPrismaClient } from '../src/index.ts';

const LOCK = 'SELECT FROM audit_chains WHERE chain = 0 FOR UPDATE NOWAIT';

it('an abandoned transaction releases its locks', async () => {
  await using database = await createTestDatabase();
  const [gone, other] = [
    createPrismaClient(database.url, { queryTimeoutMs: 3_000 }),
    createPrismaClient(database.url),
  ];
  const isFree = () =>
    other.$executeRawUnsafe(LOCK).then(
      () => true,
      () => false,
    );
  let wasFreed = false;
  const silent = gone.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(LOCK);
    expect(await isFree()).toBe(false);
    await until(isFree);
    wasFreed = true;
    await transaction.$executeRawUnsafe(LOCK);
  });
  await expect(silent).rejects.toThrow();
  expect(wasFreed).toBe(true);
  await Promise.all([gone.$disconnect(), other.$disconnect()]);
});
