import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explainOpenAiIssue } from './explain-openai-issue.ts';

const choice = z.union([
  z.enum(['a', 'b']),
  z.discriminatedUnion('type', [z.strictObject({ type: z.literal('x'), name: z.string().max(3) })]),
]);

function explained(value: unknown, schema: z.ZodType = z.object({ choice })) {
  const result = schema.safeParse(value, { reportInput: true });
  const issue = result.error?.issues[0];
  return issue === undefined ? undefined : explainOpenAiIssue(issue);
}

describe('the error of a union', () => {
  it.each<[unknown, string, string]>([
    ['c', "Invalid value: 'c'. Supported values are: 'a' and 'b'.", 'choice'],
    [{ name: 'n' }, "Missing required parameter: 'choice.type'.", 'choice.type'],
    [{ type: 'y' }, "Invalid value: 'y'. Supported values are: 'x'.", 'choice.type'],
    [{ type: 'x' }, "Missing required parameter: 'choice.name'.", 'choice.name'],
    [{ type: 'x', name: 'n', more: 1 }, "Unknown parameter: 'choice.more'.", 'choice.more'],
    [{ type: 'x', name: 1.5 }, 'expected a string, but got a decimal instead.', 'choice.name'],
    [{ type: 'x', name: 'long' }, 'Expected a string with maximum length 3, but got a string', 'choice.name'],
    [null, 'expected one of a string or an object, but got null instead.', 'choice'],
    [undefined, "Missing required parameter: 'choice'.", 'choice'],
  ])('names what is wrong with the branch that %j was meant for', (value, message, param) => {
    expect(explained({ choice: value })).toMatchObject({ message: expect.stringContaining(message), param });
  });
});

it('values are listed as OpenAI lists them', () => {
  const texts = [['a'], ['a', 'b'], ['a', 'b', 'c']].map((values) => explained('x', z.enum(values))?.message);
  expect(texts).toEqual([
    "Invalid value: 'x'. Supported values are: 'a'.",
    "Invalid value: 'x'. Supported values are: 'a' and 'b'.",
    "Invalid value: 'x'. Supported values are: 'a', 'b', and 'c'.",
  ]);
});
