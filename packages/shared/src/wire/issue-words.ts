import type { z } from 'zod';

type Issue = Parameters<z.core.$ZodErrorMap>[0];

/**
 * Describes a problem to the author of the value, as the words after the field's name. A schema's own message
 * takes precedence.
 */
export const plainWords: z.core.$ZodErrorMap = (issue) => words(issue, 'must be a string');

/** As `plainWords` for YAML, where text that looks like a number needs quotes. */
export const fileWords: z.core.$ZodErrorMap = (issue) =>
  words(
    issue,
    typeof issue.input === 'number' || typeof issue.input === 'boolean'
      ? `must be text: put it in quotes: "${issue.input}"`
      : 'must be text',
  );

function words(issue: Issue, mustBeText: string): string | undefined {
  if (issue.input === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value')) {
    return 'is required';
  }
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'string'
        ? mustBeText
        : `must be ${KINDS[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.join(', ')}`;
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive ?? true);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), issue.inclusive ?? true, issue.input);
    case 'unrecognized_keys':
      return `has no field ${issue.keys.map((key) => `"${key}"`).join(', ')}`;
    case 'invalid_key':
      return issue.issues[0]?.message;
    case 'invalid_format':
      return issue.format === 'datetime'
        ? 'must be a time such as "2027-01-15T08:00:00Z"'
        : 'is not well-formed';
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return 'has a wrong form: see the documentation';
    default:
      return undefined;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  array: 'a list',
  object: 'an object, with fields of its own',
  record: 'an object, with fields of its own',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function tooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'string' || origin === 'array') {
    const of = origin === 'string' ? 'characters' : 'entries';
    return minimum === 1 ? 'must not be empty' : `must have at least ${minimum} ${of}`;
  }
  return inclusive ? `must be at least ${minimum}` : `must be more than ${minimum}`;
}

function tooBig(origin: string, maximum: number, inclusive: boolean, input: unknown): string {
  if (origin === 'string') {
    const has = typeof input === 'string' ? `: it has ${input.length}` : '';
    return `must have at most ${maximum} characters${has}`;
  }
  if (origin === 'array') return `must have at most ${maximum} entries`;
  return inclusive ? `must be at most ${maximum}` : `must be less than ${maximum}`;
}
