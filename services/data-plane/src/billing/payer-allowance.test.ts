import { describe, expect, it, vi } from 'vitest';
import { newFunding } from './funding.ts';
import { PayerAllowance } from './payer-allowance.ts';

const allowanceOf = (granted: bigint, { exact = false, recall = 0 } = {}, needed = 0n) => {
  const allowance = new PayerAllowance(newFunding([{ kind: 'account', id: 'acct' }]));
  allowance.grant({ granted, exact, recall }, needed);
  return allowance;
};

describe('the allowance of a payer', () => {
  it('has available what was granted, minus what was reserved, spent or returned', () => {
    const allowance = allowanceOf(100n);
    const hold = allowance.reserve(30n);
    expect(allowance.available).toBe(70n);
    allowance.settle(hold, 10n);
    expect(allowance.available).toBe(90n);
    expect([allowance.giveBackUnused(), allowance.available, allowance.returned]).toEqual([true, 0n, 90n]);
    expect(allowance.giveBackUnused()).toBe(false);
  });

  it('counts totals: a repeated or late response adds nothing', () => {
    const allowance = allowanceOf(100n);
    allowance.grant({ granted: 100n, exact: false, recall: 0 }, 0n);
    allowance.grant({ granted: 40n, exact: false, recall: 0 }, 0n);
    expect(allowance.available).toBe(100n);
  });

  it('has no spare money after a recall, until a later grant allows it', () => {
    const allowance = allowanceOf(100n);
    allowance.markRecalled(1);
    expect([allowance.isExact, allowance.hasOpenRecall]).toEqual([true, true]);
    // The money was granted before the recall, and its response arrived after it.
    allowance.grant({ granted: 120n, exact: false, recall: 0 }, 0n);
    expect(allowance.isExact).toBe(true);
    allowance.markRecallAnswered(1);
    allowance.grant({ granted: 200n, exact: false, recall: 1 }, 0n);
    expect([allowance.isExact, allowance.hasOpenRecall]).toEqual([false, false]);
  });

  it('wants a refill below a quarter of the spare money, but not after a small grant', () => {
    const allowance = allowanceOf(0n);
    allowance.reserve(10n);
    allowance.grant({ granted: 10n + allowance.spareWanted, exact: false, recall: 0 }, 10n);
    expect(allowance.wantsRefill).toBe(false);
    while (allowance.available > 70n) allowance.reserve(10n);
    expect(allowance.wantsRefill).toBe(true);

    const small = allowanceOf(0n);
    small.reserve(10n);
    small.grant({ granted: 20n, exact: false, recall: 0 }, 10n);
    small.reserve(5n);
    expect(small.wantsRefill).toBe(false);
  });

  it('doubles the spare money if a grant is used up within a second, and halves it if one lasts', () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    try {
      const allowance = allowanceOf(0n);
      allowance.reserve(10n);
      let granted = 0n;
      const grantAfter = (ms: number) => {
        vi.advanceTimersByTime(ms);
        granted += 1_000n;
        allowance.grant({ granted, exact: false, recall: 0 }, 0n);
        return allowance.spareWanted;
      };
      expect([grantAfter(0), grantAfter(900), grantAfter(100), grantAfter(1_500)]).toEqual([
        320n,
        640n,
        1_280n,
        1_280n,
      ]);
      // Nothing more is reserved, so the money lasts.
      const returnedAfter = (ms: number) => {
        vi.advanceTimersByTime(ms);
        allowance.giveBackSurplus();
        return [allowance.spareWanted, allowance.available, allowance.owesReturn];
      };
      expect(returnedAfter(7_000)).toEqual([1_280n, 3_990n, false]);
      expect(returnedAfter(1_000)).toEqual([640n, 640n, true]);
      expect(returnedAfter(8_000)).toEqual([320n, 320n, true]);
      expect(returnedAfter(8_000)).toEqual([320n, 320n, true]);
      for (let grant = 0; grant < 20; grant++) grantAfter(1);
      expect(allowance.spareWanted).toBe(10_240n);
      granted += 10n;
      allowance.grant({ granted, exact: true, recall: 0 }, 10n);
      expect(allowance.spareWanted).toBe(10_240n);
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks for little to spare for an end user, because there can be any number of them', () => {
    const bounds = { startsAtMs: Number.NEGATIVE_INFINITY, endsAtMs: Number.POSITIVE_INFINITY };
    const calendar = { timezone: 'UTC', weekStarts: 'monday' } as const;
    const spareOf = (scope: 'key' | 'end_user') => {
      const budget = { id: 'bud_1', scope, window: 'total', warns: false, calendar } as const;
      const windows = [{ ...bounds, id: 'bud_1/total', budget }];
      const allowance = new PayerAllowance(newFunding([{ kind: 'account', id: 'acct' }], windows));
      allowance.reserve(10n);
      return allowance.spareWanted;
    };
    expect([spareOf('key'), spareOf('end_user')]).toEqual([320n, 10n]);
  });
});
