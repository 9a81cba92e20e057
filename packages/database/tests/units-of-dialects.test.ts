import { cp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { applyMigrations } from '../src/index.ts';
import { emptyDatabase, migrationFolder } from './migrations-fixture.ts';

const OWN_MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url));
const MIGRATION = '20261128090000_units_of_dialects';

/** As the release before this migration says it. */
const RECORD = {
  requestId: 'req_1',
  accountId: 'acct_1',
  keyId: 'key_1',
  modelId: 'acme/small',
  capability: 'chat',
  inputTokens: 12,
  cachedInputTokens: 4,
  outputTokens: 5,
  images: 0,
  characters: 0,
  audioMs: 0,
  searchUnits: 0,
  usageSource: 'provider',
  billingReason: 'completed',
  held: '0',
  cost: '0',
  attempts: [],
  endedAt: '2026-03-01T10:00:00.000Z',
};

it('records and sums of before stay as they are, and the release before goes on settling', async () => {
  await using database = await emptyDatabase();
  await using before = await migrationFolder({});
  for (const name of await readdir(OWN_MIGRATIONS)) {
    if (name >= MIGRATION || !/^\d/.test(name)) continue;
    await cp(join(OWN_MIGRATIONS, name), join(before.folder, name), { recursive: true });
  }
  await applyMigrations(database.url, { folder: before.folder });
  const settle = (requestId: string) =>
    database.rows(`SELECT settle_usage('${JSON.stringify([{ ...RECORD, requestId }])}'::jsonb)`);
  const known = async () => {
    const [record] = await database.rows("SELECT * FROM usage_records WHERE request_id = 'req_1'");
    const sums = await database.rows('SELECT * FROM usage_rollups ORDER BY width');
    return { record, sums };
  };
  await settle('req_1');
  const old = await known();
  await applyMigrations(database.url);
  const now = await known();
  expect(now.record).toMatchObject(old.record ?? {});
  expect(now.record).toMatchObject({ cache_write_tokens: '0', tool_calls: '0', parts: null });
  expect(now.sums).toHaveLength(3);
  for (const [place, sum] of old.sums.entries()) expect(now.sums[place]).toMatchObject(sum);

  await settle('req_2');
  const [later] = await database.rows("SELECT * FROM usage_records WHERE request_id = 'req_2'");
  expect(later).toMatchObject({ input_tokens: '12', reasoning_tokens: '0', parts: null });
  expect((await known()).sums[0]).toMatchObject({ requests: '2', input_tokens: '24', reasoning_tokens: '0' });
});

it('no record has more in the parts of its tokens than in the whole', async () => {
  await using database = await emptyDatabase();
  await applyMigrations(database.url);
  const settle = (more: object) =>
    database.rows(`SELECT settle_usage('${JSON.stringify([{ ...RECORD, ...more }])}'::jsonb)`);
  const refused = /usage_records_units/;
  // 4 of 12 input tokens are cached, and there are 5 output tokens.
  const ofInput = ['cacheWriteTokens', 'cacheWrite1hTokens', 'audioInputTokens', 'imageInputTokens'];
  const ofOutput = ['reasoningTokens', 'audioOutputTokens', 'imageOutputTokens'];
  for (const unit of ofInput) await expect(settle({ [unit]: 9 }), unit).rejects.toThrow(refused);
  for (const unit of ofOutput) await expect(settle({ [unit]: 6 }), unit).rejects.toThrow(refused);
  for (const unit of [...ofInput, ...ofOutput, 'webSearchRequests', 'toolCalls']) {
    await expect(settle({ [unit]: -1 }), unit).rejects.toThrow(refused);
  }
  await settle({ cacheWriteTokens: 4, imageInputTokens: 4, reasoningTokens: 5, webSearchRequests: 2 });
});
