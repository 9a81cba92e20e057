import type { z } from 'zod';
import { pathText } from '../errors/parse-fields.ts';
import { ProviderError } from '../errors/provider-error.ts';

type Issue = z.core.$ZodIssue;

/** A problem with a request, in OpenAI's words. */
export interface Explanation {
  message: string;
  param: string;
  code: string;
}

const KINDS: Record<string, string> = {
  array: 'an array',
  boolean: 'a boolean',
  int: 'an integer',
  number: 'a number',
  object: 'an object',
  record: 'an object',
  string: 'a string',
};

/** Says where a request is wrong and why. Parse the request with `reportInput`. */
export function explainOpenAiIssue(issue: Issue, parents: readonly PropertyKey[] = []): Explanation {
  const path = [...parents, ...issue.path];
  const param = pathText(path);
  const { input } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownParameter(pathText([...path, issue.keys[0] ?? '']));
    case 'invalid_type':
      return input === undefined ? missing(param) : wrongType(param, [issue.expected], input);
    case 'invalid_value':
      return input === undefined ? missing(param) : wrongValue(param, input, issue.values);
    case 'invalid_union':
      return explainUnion(issue, path);
    case 'too_small':
    case 'too_big':
      return outOfBounds(param, issue);
    case 'invalid_format':
      return wrongFormat(param, issue);
    default:
      return { message: issue.message, param, code: 'invalid_value' };
  }
}

export function refusal({ code, message, param }: Explanation): ProviderError {
  return new ProviderError(400, message, { param, code });
}

export function unknownParameter(param: string): Explanation {
  return { message: `Unknown parameter: '${param}'.`, param, code: 'unknown_parameter' };
}

export function missing(param: string): Explanation {
  return { message: `Missing required parameter: '${param}'.`, param, code: 'missing_required_parameter' };
}

function explainUnion(issue: Issue & { code: 'invalid_union' }, path: readonly PropertyKey[]): Explanation {
  const { discriminator, errors, input } = issue;
  if (discriminator !== undefined) {
    const named = Object.getOwnPropertyDescriptor(Object(input), discriminator)?.value;
    const param = pathText(path);
    const options = 'options' in issue ? (issue.options ?? []) : [];
    return named === undefined ? missing(param) : wrongValue(param, named, options);
  }
  // The client meant the branch whose type matches.
  const meant = errors.flatMap((branch) => branch.slice(0, 1)).find((found) => !isOtherKind(found, input));
  if (meant !== undefined) return explainOpenAiIssue(meant, path);
  const expected = errors.flatMap(([first]) =>
    first?.code === 'invalid_type' ? [first.expected] : ['string'],
  );
  return input === undefined ? missing(pathText(path)) : wrongType(pathText(path), expected, input);
}

function isOtherKind({ code, path }: Issue, input: unknown): boolean {
  return (
    path.length === 0 && (code === 'invalid_type' || (code === 'invalid_value' && typeof input !== 'string'))
  );
}

function wrongType(param: string, expected: readonly string[], input: unknown): Explanation {
  const kinds = expected.map((kind) => KINDS[kind] ?? kind);
  const wanted = kinds.length > 1 ? `one of ${kinds.join(' or ')}` : kinds.join();
  const message = `Invalid type for '${param}': expected ${wanted}, but got ${kindOf(input)} instead.`;
  return { message, param, code: 'invalid_type' };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'an integer' : 'a decimal';
  return KINDS[typeof value] ?? typeof value;
}

function wrongValue(param: string, input: unknown, values: readonly unknown[]): Explanation {
  const quoted = values.map((value) => `'${String(value)}'`);
  const last = quoted.length > 1 ? ` and ${quoted.pop()}` : '';
  const listed = `${quoted.join(', ')}${quoted.length > 1 ? ',' : ''}${last}`;
  const given = typeof input === 'string' ? input : JSON.stringify(input);
  const message = `Invalid value: '${given}'. Supported values are: ${listed}.`;
  return { message, param, code: 'invalid_value' };
}

function outOfBounds(param: string, issue: Issue & { code: 'too_small' | 'too_big' }): Explanation {
  const { input, origin } = issue;
  const isSmall = issue.code === 'too_small';
  const bound = String(issue.code === 'too_small' ? issue.minimum : issue.maximum);
  if (typeof input === 'number') {
    const kind = origin === 'int' || Number.isInteger(input) ? 'integer' : 'decimal';
    const [what, sign] = isSmall ? ['below minimum', '>='] : ['above maximum', '<='];
    const expected = `Expected a value ${sign} ${bound}, but got ${input} instead.`;
    const code = `${kind}_${isSmall ? 'below_min' : 'above_max'}_value`;
    return { message: `Invalid '${param}': ${kind} ${what} value. ${expected}`, param, code };
  }
  const kind = typeof input === 'string' ? 'string' : 'array';
  const an = KINDS[kind] ?? kind;
  const length = typeof input === 'string' || Array.isArray(input) ? input.length : 0;
  if (isSmall) {
    const expected = `Expected ${an} with minimum length ${bound}, but got an empty ${kind} instead.`;
    return { message: `Invalid '${param}': empty ${kind}. ${expected}`, param, code: `empty_${kind}` };
  }
  const given = `but got ${an} with length ${length} instead.`;
  const expected = `Expected ${an} with maximum length ${bound}, ${given}`;
  return {
    message: `Invalid '${param}': ${kind} too long. ${expected}`,
    param,
    code: `${kind}_above_max_length`,
  };
}

function wrongFormat(param: string, issue: Issue & { code: 'invalid_format' }): Explanation {
  const code = 'invalid_value';
  if ('prefix' in issue && typeof issue.prefix === 'string') {
    const expected = `Expected an ID that begins with '${issue.prefix}'.`;
    const message = `Invalid '${param}': '${issue.input}'. ${expected}`;
    return { message, param, code };
  }
  const pattern = String(issue.pattern ?? '').replace(/^\/|\/[a-z]*$/g, '');
  const expected = `Expected a string that matches the pattern '${pattern}'.`;
  return { message: `Invalid '${param}': string does not match pattern. ${expected}`, param, code };
}
