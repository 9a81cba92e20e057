import { type Rules, rules } from '@model-gateway/shared/rules';
import { describe, expect, it } from 'vitest';
import { draftOf, draftProblems, rulesOf, withNewBudget, withoutBudget } from './rules-draft.ts';

const NONE: Rules = rules.parse({});

describe('the draft of rules', () => {
  it('gives the same rules again', () => {
    const all: Rules = {
      models: ['acme/*', 'other/large'],
      providers: [],
      endpoints: ['chat'],
      networks: ['203.0.113.0/24', '2001:db8::/32'],
      budgets: [
        { usd: '2.00', window: 'day', on_exceed: 'warn' },
        {
          usd: '25.00',
          window: 'month',
          on_exceed: 'block',
          temporary_usd: '60.00',
          temporary_until: '2099-12-04T17:00:00.000Z',
        },
      ],
      requests_per_minute: 60,
      tokens_per_minute: 200_000,
      streams: 5,
      expires_at: '2099-03-31T16:00:00.000Z',
      require_tags: ['project', 'env'],
      require_end_user: true,
    };
    for (const each of [NONE, all]) expect(rulesOf(draftOf(each))).toEqual(each);
  });

  it('keeps an empty list, which allows nothing, apart from no list', () => {
    const draft = draftOf({ ...NONE, models: [] });
    expect(rulesOf(draft).models).toEqual([]);
    expect(rulesOf({ ...draft, 'models.restricted': '' }).models).toBeNull();
  });

  it('adds a monthly budget, and moves the later ones up when one is removed', () => {
    let draft = draftOf(NONE);
    for (const usd of ['1', '2', '3']) {
      const index = draft.budgets;
      draft = { ...draft, ...withNewBudget(draft), [`budgets[${index}].usd`]: usd };
    }
    draft = { ...draft, ...withoutBudget(draft, 1) };
    expect(rulesOf(draft).budgets.map(({ usd, window }) => [usd, window])).toEqual([
      ['1', 'month'],
      ['3', 'month'],
    ]);
  });

  it('names amounts, numbers and times that are missing or wrong', () => {
    const draft = { ...draftOf(NONE), ...withNewBudget(draftOf(NONE)), tokens_per_minute: 'many' };
    expect(Object.keys(definedOf(draftProblems(draft)))).toEqual(['budgets[0].usd', 'tokens_per_minute']);
    const raised = {
      ...draft,
      'budgets[0].usd': '5',
      'budgets[0].temporary_usd': '9',
      tokens_per_minute: '9',
    };
    expect(Object.keys(definedOf(draftProblems(raised)))).toEqual(['budgets[0].temporary_until']);
    const ended = {
      ...raised,
      'budgets[0].temporary_usd': '',
      'budgets[0].temporary_until': '2099-12-04T17:00',
    };
    expect(Object.keys(definedOf(draftProblems(ended)))).toEqual(['budgets[0].temporary_usd']);
  });
});

function definedOf(problems: Record<string, string | undefined>) {
  return Object.fromEntries(Object.entries(problems).filter(([, problem]) => problem !== undefined));
}
