import type { RuleBudget } from '@model-gateway/shared/rules';
import { describe, expect, it } from 'vitest';
import type { KeyContext } from '../keys/key-context.ts';
import { fundingOf } from './funding.ts';

const BERLIN = { timezone: 'Europe/Berlin', weekStarts: 'monday' } as const;
const MIDNIGHT = Date.parse('2026-11-27T00:00:00+01:00');

function budget(id: string, window: RuleBudget['window'], scope: RuleBudget['scope'] = 'key'): RuleBudget {
  return { id, scope, window, warns: false, calendar: BERLIN };
}

const NO_LISTS = { models: [], providers: [], endpoints: [], networks: [] };

function rulesOf(...budgets: RuleBudget[]) {
  return { ...NO_LISTS, budgets, requireTags: [], requireEndUser: false };
}

function keyWith(...budgets: RuleBudget[]): KeyContext {
  return {
    keyId: 'key_1',
    accountId: 'acct_1',
    seatId: undefined,
    teamId: undefined,
    payer: [{ kind: 'account', id: 'acct_1' }],
    expiresAtMs: undefined,
    limits: { freePerMinute: 1, paidPerMinute: 1, readsPerMinute: 1, concurrentStreams: 1, teamPerMinute: 1 },
    rules: budgets.length === 0 ? undefined : rulesOf(...budgets),
    tags: {},
    endUsers: undefined,
    cache: undefined,
    contentsKeyId: undefined,
    priceListId: undefined,
  };
}

describe('the funding of a request', () => {
  it('has the windows of its moment: the last millisecond of a day counts in that day', () => {
    const key = keyWith(budget('bud_d', 'day'), budget('bud_m', 'month'), budget('bud_t', 'total'));
    const at = (ms: number) => fundingOf({ key }, ms).windowIds;
    const before = ['bud_d/2026-11-26', 'bud_m/2026-11', 'bud_t/total'];
    const after = ['bud_d/2026-11-27', 'bud_m/2026-11', 'bud_t/total'];
    expect([at(MIDNIGHT - 1), at(MIDNIGHT)]).toEqual([before, after]);
    expect(at(MIDNIGHT - 1)).toEqual(before);
    expect(fundingOf({ key }, MIDNIGHT - 1).endsAtMs).toBe(MIDNIGHT);
  });

  it('is the same object until a window ends, so that a request costs a comparison', () => {
    const key = keyWith(budget('bud_d', 'day'));
    const first = fundingOf({ key }, MIDNIGHT);
    expect(fundingOf({ key }, MIDNIGHT + 3_600_000)).toBe(first);
    expect(fundingOf({ key }, first.endsAtMs)).not.toBe(first);
  });

  it('has a window for each end user, also one whose name Postgres could not store', () => {
    const key = keyWith(budget('bud_k', 'total'));
    const endUserRules = rulesOf(budget('bud_u', 'day', 'end_user'));
    const of = (endUser: string) => fundingOf({ key, endUser, endUserRules }, MIDNIGHT);
    expect(of('ann/1').windowIds).toEqual(['bud_k/total', 'bud_u/2026-11-27/ann/1']);
    expect(of('a\0\ud800').windowIds[1]).toBe('bud_u/2026-11-27/a\ufffd\ufffd');
    expect(of('ann').id).not.toBe(of('bob').id);
    expect(fundingOf({ key, endUserRules }, MIDNIGHT).windowIds).toEqual(['bud_k/total']);
  });

  it('is the same object for an end user, too, until a window ends or rules change', () => {
    const key = keyWith(budget('bud_k', 'month'));
    const endUserRules = rulesOf(budget('bud_u', 'day', 'end_user'));
    const of = (nowMs: number, rules = endUserRules, ofKey = key) =>
      fundingOf({ key: ofKey, endUser: 'cyd', endUserRules: rules }, nowMs);
    const first = of(MIDNIGHT);
    expect(of(first.endsAtMs - 1)).toBe(first);
    expect(of(first.endsAtMs).windowIds).toEqual(['bud_k/2026-11', 'bud_u/2026-11-28/cyd']);
    expect(of(MIDNIGHT).windowIds).toEqual(first.windowIds);
    const changed = rulesOf(budget('bud_v', 'day', 'end_user'));
    expect(of(MIDNIGHT, changed).windowIds[1]).toBe('bud_v/2026-11-27/cyd');
    expect(of(MIDNIGHT, changed, keyWith()).windowIds).toEqual(['bud_v/2026-11-27/cyd']);
  });

  it('has no windows and never ends without budgets', () => {
    const funding = fundingOf({ key: keyWith() }, MIDNIGHT);
    expect(funding).toMatchObject({ windowIds: [], endsAtMs: Number.POSITIVE_INFINITY });
    expect(funding.id).not.toBe(fundingOf({ key: keyWith(budget('bud_t', 'total')) }, MIDNIGHT).id);
  });
});
