import type { z } from 'zod';
import { formatIssues, jsonPath } from '../wire/format-issues.ts';
import { plainWords } from '../wire/issue-words.ts';
import { type Rules, rules } from './rules.ts';

/** Thrown for invalid rules. The message names the place. */
export class RulesError extends Error {
  override readonly name = 'RulesError';
  readonly code: 'unknown_field' | 'invalid_request';
  /** JSON path, such as `budgets[0].usd`; empty: the whole object. */
  readonly param: string;

  constructor(code: RulesError['code'], param: string, message: string) {
    super(message);
    this.code = code;
    this.param = param;
  }
}

/** Reads rules; missing members get their default. @throws RulesError */
export function parseRules(value: unknown): Rules {
  const parsed = rules.safeParse(value, { error: plainWords });
  if (parsed.success) return parsed.data;
  throw errorOf(parsed.error);
}

function errorOf(error: z.ZodError): RulesError {
  for (const issue of error.issues) {
    const [key] = issue.code === 'unrecognized_keys' ? issue.keys : [];
    if (key === undefined) continue;
    const param = jsonPath([...issue.path, key]);
    return new RulesError('unknown_field', param, `rules have no field \`${param}\``);
  }
  const { message = '', path = '' } = formatIssues(error)[0] ?? {};
  return new RulesError('invalid_request', path, `${path === '' ? 'the rules' : `\`${path}\``} ${message}`);
}
