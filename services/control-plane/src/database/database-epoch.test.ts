import { createLogger } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { DatabaseEpoch } from './database-epoch.ts';
import type { EpochState } from './epoch-store.ts';

const log = createLogger({ service: 'test', level: 'silent', destination: { write: () => undefined } });

/** Database whose state the test sets, and an epoch that knows it. */
async function known() {
  const database: EpochState = { epoch: 'first', isSame: true, position: 100n, revision: 7n };
  let renewals = 0;
  const epoch = new DatabaseEpoch(
    {
      adopt: async () => undefined,
      read: async () => ({ ...database }),
      renew: async (expected) => {
        if (expected === database.epoch)
          Object.assign(database, { epoch: `renewed ${++renewals}`, isSame: true });
        return database.epoch;
      },
    },
    log,
  );
  let forgotten = 0;
  epoch.onChange(() => void forgotten++);
  await epoch.verify();
  return { database, epoch, forgotten: () => forgotten, renewals: () => renewals };
}

it('a database is the same while its log and revisions advance', async () => {
  const { database, epoch, forgotten } = await known();
  Object.assign(database, { position: 101n, revision: 8n });
  expect(await epoch.verify()).toBe(true);
  expect(forgotten()).toBe(0);
});

it.each([
  ['it is another copy or timeline', { isSame: false }],
  ['its log has gone back, as after a snapshot of the disk', { position: 99n }],
  ['its revisions have gone back', { revision: 6n }],
])('a database is another one when %s, and one new epoch begins', async (_name, state) => {
  const { database, epoch, forgotten, renewals } = await known();
  Object.assign(database, state);
  expect(await epoch.verify()).toBe(false);
  expect([forgotten(), renewals(), epoch.current]).toEqual([1, 1, 'renewed 1']);
  expect(await epoch.verify()).toBe(true);
  expect([forgotten(), renewals()]).toEqual([1, 1]);
});

it('an epoch begun by another process counts as a new database, and does not begin a second one', async () => {
  const { database, epoch, forgotten, renewals } = await known();
  Object.assign(database, { epoch: 'second', position: 1n, revision: 1n });
  expect(await epoch.verify()).toBe(false);
  expect([forgotten(), renewals()]).toEqual([1, 0]);
});
