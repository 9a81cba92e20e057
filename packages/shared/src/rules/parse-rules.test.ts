import { expect, it } from 'vitest';
import { parseRules, RulesError } from './parse-rules.ts';

it.each<[unknown, RulesError['code'], string, string]>([
  [{ budget: [] }, 'unknown_field', 'budget', 'rules have no field `budget`'],
  [
    { budgets: [{ usd: '1', window: 'month', on_exced: 'warn' }] },
    'unknown_field',
    'budgets[0].on_exced',
    'rules have no field `budgets[0].on_exced`',
  ],
  [{ models: 1, limit: 1 }, 'unknown_field', 'limit', 'rules have no field `limit`'],
  [{ models: 'acme/*' }, 'invalid_request', 'models', '`models` must be a list'],
  [{ models: [''] }, 'invalid_request', 'models[0]', '`models[0]` must not be empty'],
  [
    { networks: ['10.0.0.0/33'] },
    'invalid_request',
    'networks[0]',
    '`networks[0]` must be a network such as "10.0.0.0/8" or "2001:db8::/32"',
  ],
  [
    { budgets: [{ usd: 25, window: 'month' }] },
    'invalid_request',
    'budgets[0].usd',
    '`budgets[0].usd` must be a string',
  ],
  [
    { budgets: [{ usd: '-1', window: 'month' }] },
    'invalid_request',
    'budgets[0].usd',
    '`budgets[0].usd` must be dollars as text, such as "25.00"',
  ],
  [
    { budgets: [{ usd: '1', window: 'year' }] },
    'invalid_request',
    'budgets[0].window',
    '`budgets[0].window` must be one of day, week, month, total',
  ],
  [
    { expires_at: '2026-12-31' },
    'invalid_request',
    'expires_at',
    '`expires_at` must be a time such as "2027-01-15T08:00:00Z"',
  ],
  ['models', 'invalid_request', '', 'the rules must be an object, with fields of its own'],
])('rules %j are refused as %s of %s: %s', (given, code, param, message) => {
  const refused = () => parseRules(given);
  expect(refused).toThrow(RulesError);
  expect(refused).toThrow(expect.objectContaining({ code, param, message }));
});
