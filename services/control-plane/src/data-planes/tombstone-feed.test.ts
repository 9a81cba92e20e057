import { createLogger } from '@model-gateway/service-kit';
import { expect, it } from 'vitest';
import { TombstoneFeed, type TombstoneFeedOptions } from './tombstone-feed.ts';

/** Shard of Redis with only its counter. */
function shard() {
  let counter: bigint | undefined;
  const tombstones: TombstoneFeedOptions['tombstones'] = {
    onConnect: () => undefined,
    writtenUntil: async () => counter,
    async append(page, from) {
      const until = page.at(-1)?.revision ?? from ?? 0n;
      if (from === undefined) counter = until;
      else if (counter === undefined || counter < from) return false;
      else if (counter < until) counter = until;
      return true;
    },
  };
  return { tombstones, counter: () => counter };
}

it('a control plane that starts after all revocations are pruned makes another report a loss at most once', async () => {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLogger({ service: 'test', level: 'warn', destination });
  const { tombstones, counter } = shard();
  let events = [{ hashTag: 'key_1', keyId: 'key_1', revision: 100n }];
  const keyEventListStore = {
    recordExpired: async () => new Date(),
    revocationsSince: async (after: bigint) => events.filter(({ revision }) => revision > after),
  };
  const first = new TombstoneFeed({ keyEventListStore, tombstones, log });
  expect(await first.flush()).toBe(true);
  events = [];
  expect(await new TombstoneFeed({ keyEventListStore, tombstones, log }).flush()).toBe(true);
  for (let again = 0; again < 5; again++) expect(await first.flush()).toBe(true);
  expect(lines.length).toBeLessThanOrEqual(1);
  events = [{ hashTag: 'key_2', keyId: 'key_2', revision: 101n }];
  expect(await first.flush()).toBe(true);
  expect(counter()).toBe(101n);
});
