import { parseUsd } from '@model-gateway/shared/money';
import type { BudgetRule, Rules } from '@model-gateway/shared/rules';

/** Texts of a form of rules, by the name of the field, such as `budgets[0].usd`. */
export type RulesDraft = Record<string, string>;

/** Members that are lists of texts; a restriction is only sent if its box is checked. */
export const LISTS = ['models', 'providers', 'networks', 'endpoints'] as const;
export type ListName = (typeof LISTS)[number];
const COUNTS = ['requests_per_minute', 'tokens_per_minute', 'streams'] as const;
type CountName = (typeof COUNTS)[number];
export const MAX_BUDGETS = 8;
/** The value of a checked box. */
export const YES = 'yes';

const MAX_COUNT = 1_000_000_000;
const MAX_STREAMS = 10_000;
const NEW_BUDGET: BudgetRule = { usd: '', window: 'month', on_exceed: 'block' };

export function draftOf(rules: Rules): RulesDraft {
  const draft: RulesDraft = {
    budgets: String(rules.budgets.length),
    expires_at: localTime(rules.expires_at),
    require_tags: rules.require_tags.join(', '),
    require_end_user: rules.require_end_user ? YES : '',
  };
  for (const name of LISTS) {
    draft[name] = (rules[name] ?? []).join('\n');
    draft[`${name}.restricted`] = rules[name] === null ? '' : YES;
  }
  for (const name of COUNTS) draft[name] = rules[name] === null ? '' : String(rules[name]);
  rules.budgets.forEach((budget, index) => {
    Object.assign(draft, budgetDraft(index, budget));
  });
  return draft;
}

function budgetDraft(index: number, budget: BudgetRule): RulesDraft {
  const at = `budgets[${index}]`;
  return {
    [`${at}.usd`]: budget.usd,
    [`${at}.window`]: budget.window,
    [`${at}.on_exceed`]: budget.on_exceed,
    [`${at}.temporary_usd`]: budget.temporary_usd ?? '',
    [`${at}.temporary_until`]: localTime(budget.temporary_until ?? null),
  };
}

export function budgetCount(draft: RulesDraft): number {
  return Number(draft.budgets ?? 0);
}

/** Returns the change of a draft that adds a monthly budget. */
export function withNewBudget(draft: RulesDraft): RulesDraft {
  const count = budgetCount(draft);
  return { ...budgetDraft(count, NEW_BUDGET), budgets: String(count + 1) };
}

/** Returns the change of a draft that removes a budget; those after it move up. */
export function withoutBudget(draft: RulesDraft, removed: number): RulesDraft {
  const kept = readBudgets(draft).filter((_, index) => index !== removed);
  return Object.assign(
    { budgets: String(kept.length) },
    ...kept.map((budget, index) => budgetDraft(index, budget)),
  );
}

/** Returns the rules of a draft without problems. */
export function rulesOf(draft: RulesDraft): Rules {
  const list = (name: ListName) => (draft[`${name}.restricted`] === YES ? wordsOf(draft[name]) : null);
  const count = (name: CountName) => readCount(name, draft[name]) ?? null;
  return {
    models: list('models'),
    providers: list('providers'),
    // The server checks the names.
    endpoints: list('endpoints') as Rules['endpoints'],
    networks: list('networks'),
    budgets: readBudgets(draft),
    requests_per_minute: count('requests_per_minute'),
    tokens_per_minute: count('tokens_per_minute'),
    streams: count('streams'),
    expires_at: isoTime(draft.expires_at),
    require_tags: wordsOf(draft.require_tags),
    require_end_user: draft.require_end_user === YES,
  };
}

/** Returns the rules of the form of a new key; undefined if it sets none. */
export function newKeyRules(form: Record<'usd' | 'window' | 'models' | 'expiresAt', string>) {
  const usd = form.usd.trim();
  const models = wordsOf(form.models);
  if (usd === '' && models.length === 0 && form.expiresAt === '') return undefined;
  return {
    budgets: usd === '' ? [] : [{ usd, window: form.window as BudgetRule['window'] }],
    models: models.length === 0 ? null : models,
    expires_at: isoTime(form.expiresAt),
  };
}

function readBudgets(draft: RulesDraft): BudgetRule[] {
  return Array.from({ length: budgetCount(draft) }, (_, index) => {
    const text = (name: string) => (draft[`budgets[${index}].${name}`] ?? '').trim();
    const raised = text('temporary_usd');
    return {
      usd: text('usd'),
      window: text('window') as BudgetRule['window'],
      on_exceed: text('on_exceed') as BudgetRule['on_exceed'],
      ...(raised === '' ? {} : { temporary_usd: raised, temporary_until: isoTime(text('temporary_until')) }),
    };
  });
}

/** Finds problems by field, before anything is sent. */
export function draftProblems(draft: RulesDraft): Record<string, string | undefined> {
  const problems: Record<string, string | undefined> = {};
  for (let index = 0; index < budgetCount(draft); index++) {
    const at = `budgets[${index}]`;
    problems[`${at}.usd`] = usdProblem(draft[`${at}.usd`]);
    const raised = (draft[`${at}.temporary_usd`] ?? '').trim();
    const hasEnd = (draft[`${at}.temporary_until`] ?? '') !== '';
    if (raised === '' && !hasEnd) continue;
    problems[`${at}.temporary_usd`] = usdProblem(raised);
    if (!hasEnd) problems[`${at}.temporary_until`] = 'Say until when the temporary amount applies.';
  }
  for (const name of COUNTS) {
    if ((draft[name] ?? '').trim() !== '' && readCount(name, draft[name]) === undefined) {
      problems[name] = 'Enter a whole number, or leave it empty for no limit.';
    }
  }
  return problems;
}

/** Returns the problem with an amount, if any. */
export function usdProblem(text: string | undefined): string | undefined {
  return parseUsd((text ?? '').trim()) === undefined ? 'Enter US dollars such as 25 or 12.50.' : undefined;
}

/** Splits a text at spaces, commas and line breaks. */
function wordsOf(text: string | undefined): string[] {
  return (text ?? '').split(/[\s,]+/).filter(Boolean);
}

/** Parses a limit such as "1,000". Only streams can be switched off by a 0. */
function readCount(name: CountName, text: string | undefined): number | undefined {
  const digits = (text ?? '').trim().replaceAll(',', '');
  const count = Number(digits);
  const [min, max] = name === 'streams' ? [0, MAX_STREAMS] : [1, MAX_COUNT];
  return /^\d{1,10}$/.test(digits) && count >= min && count <= max ? count : undefined;
}

/** Converts a time of rules to the text of a date and time field, in the browser's time zone. */
function localTime(time: string | number | null): string {
  if (time === null) return '';
  const date = new Date(typeof time === 'number' ? time * 1_000 : time);
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

function isoTime(text: string | undefined): string | null {
  return text === undefined || text === '' ? null : new Date(text).toISOString();
}
