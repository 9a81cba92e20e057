import { describe, expect, it } from 'vitest';
import { budgetId, endUserOwner, ruleOwner, scopeOfOwner } from './rule-owner.ts';
import { rules, ruleTimeMs, tags } from './rules.ts';

describe('rules', () => {
  it('restrict nothing when all members are missing', () => {
    expect(rules.parse({})).toEqual({
      models: null,
      providers: null,
      endpoints: null,
      networks: null,
      budgets: [],
      requests_per_minute: null,
      tokens_per_minute: null,
      streams: null,
      expires_at: null,
      require_tags: [],
      require_end_user: false,
    });
  });

  it.each([
    { budget: [] },
    { budgets: [{ usd: '1', window: 'month', on_exced: 'warn' }] },
    { budgets: [{ usd: 1, window: 'month' }] },
    { budgets: [{ usd: '1', window: 'year' }] },
    { budgets: [{ usd: '1', window: 'day', temporary_usd: '2' }] },
    { budgets: Array(9).fill({ usd: '1', window: 'day' }) },
    { networks: ['10.0.0.0/33'] },
    { networks: ['intranet'] },
    { endpoints: ['chats'] },
    { tokens_per_minute: 0 },
    { require_tags: ['Project'] },
    { require_tags: ['__proto__'] },
    { expires_at: 'tomorrow' },
  ])('refuse %j', (given) => expect(rules.safeParse(given).success).toBe(false));

  it('block where a budget does not say what happens', () => {
    expect(rules.parse({ budgets: [{ usd: '25.00', window: 'month' }] }).budgets[0]?.on_exceed).toBe('block');
  });

  it('accept a time in both forms', () => {
    expect(ruleTimeMs('2026-11-26T01:00:00+01:00')).toBe(Date.parse('2026-11-26T00:00:00Z'));
    expect(ruleTimeMs(1_000)).toBe(1_000_000);
  });
});

describe('tags', () => {
  it.each([{ 'project.a_b-1': 'Ölpreis 25' }, {}])('%j are accepted', (given) =>
    expect(tags.safeParse(given).success).toBe(true),
  );
  it.each([{ Project: 'a' }, { a: '' }, { a: 'x,y' }, { a: 'line\nbreak' }, { a: 'x'.repeat(129) }])(
    '%j are refused',
    (given) => expect(tags.safeParse(given).success).toBe(false),
  );
});

describe('an owner of rules', () => {
  it('has the level that errors name', () => {
    expect(scopeOfOwner(ruleOwner('key', 'key_1'))).toBe('key');
    expect(scopeOfOwner(ruleOwner('end_users', 'acct_1'))).toBe('end_user');
    expect(scopeOfOwner(endUserOwner('acct_1', 'a:b/c'))).toBe('end_user');
  });

  it('keeps the ids of its budgets when its rules are replaced', () => {
    expect(budgetId('key:key_1', 'month', 0)).toBe(budgetId('key:key_1', 'month', 0));
    const ids = [
      budgetId('key:key_1', 'month', 1),
      budgetId('key:key_1', 'day', 0),
      budgetId('key:key_2', 'month', 0),
    ];
    expect(new Set([...ids, budgetId('key:key_1', 'month', 0)]).size).toBe(4);
    expect(budgetId('key:key_1', 'month', 0)).toMatch(/^bud_[0-9A-Za-z]{20}$/);
  });
});
