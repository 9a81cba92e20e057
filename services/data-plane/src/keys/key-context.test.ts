import { describe, expect, it } from 'vitest';
import { keyContextFromMessage } from './key-context.ts';

const limits = { freePerMinute: 1, paidPerMinute: 2, readsPerMinute: 3, concurrentStreams: 4 };

describe('the context of a key', () => {
  it("has the team's limit if the key belongs to a seat, else none", () => {
    const payer = [{ kind: 'seat', id: 'seat_1' }];
    const onSeat = { seatId: 'seat_1', teamId: 'team_1', payer, limits: { ...limits, teamPerMinute: 5 } };
    expect(keyContextFromMessage({ keyId: 'key_1', accountId: 'acct_1', ...onSeat })).toEqual({
      keyId: 'key_1',
      accountId: 'acct_1',
      ...onSeat,
      tags: {},
    });
    const without = keyContextFromMessage({ keyId: 'key_1', accountId: 'acct_1', payer, limits });
    expect(without.limits).toEqual({ ...limits, teamPerMinute: undefined });
    expect(without.teamId).toBeUndefined();
  });

  it('cannot be built from a message without limits', () => {
    expect(() =>
      keyContextFromMessage({ keyId: 'key_1', accountId: 'acct_1', payer: [], limits: null }),
    ).toThrow();
  });
});
