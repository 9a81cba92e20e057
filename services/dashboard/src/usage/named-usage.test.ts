import type { GetUsageResponseMessage, HolderKeyMessage } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { namedUsage, namedUsageRows } from './named-usage.ts';

const question = {
  accountId: 'acct_1',
  seatId: undefined,
  period: { start: 0, end: 86_400 },
  width: 'day',
  groupBy: ['model', 'key'],
} as const;

/** An account whose only key is made, and used, while its usage is read. */
function holder() {
  const keys: HolderKeyMessage[] = [];
  return {
    async getHolderUsage(): Promise<GetUsageResponseMessage> {
      keys.push({
        key: {
          id: 'key_new',
          accountId: 'acct_1',
          name: 'New',
          displayPrefix: 'gw_live_11111111',
          kind: 'issued',
          createdAtMs: '0',
        },
        requestsThisMonth: '1',
      });
      const groups = [{ model: 'a', key: 'key_new', sums: null }];
      const buckets = [{ startTime: '0', endTime: '86400', groups }];
      return { startTime: '0', endTime: '86400', totals: null, pools: [], buckets };
    },
    listHolderKeys: async () => ({ keys: [...keys] }),
  };
}

describe('usage of a key that was made a moment ago', () => {
  it('has the name of the key, and is not taken for the playground', async () => {
    expect((await namedUsage(holder(), question)).byKey).toMatchObject([
      { keyId: 'key_new', name: 'New', kind: 'issued' },
    ]);
    const [row] = await Array.fromAsync(namedUsageRows(holder(), question));
    expect(row?.slice(0, 4)).toEqual(['1970-01-01', 'a', 'New', 'gw_live_11111111']);
  });
});
