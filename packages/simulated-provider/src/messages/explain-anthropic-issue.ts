import type { z } from 'zod';

export const EXTRA_INPUT = 'Extra inputs are not permitted';

/** Says where a request is wrong and why, in Anthropic's words. Parse the request with `reportInput`. */
export function explainAnthropicIssue(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code === 'unrecognized_keys') {
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: EXTRA_INPUT };
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return { path: issue.path, message: isMissing ? 'Field required' : issue.message };
}

/** Parses a part of a request. @param kind added to the path of errors, such as the type of a block */
export function parseAs<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  kind: readonly string[],
  context: z.core.ParsePayload,
): z.output<Schema> | undefined {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const { message, path } = explainAnthropicIssue(issue);
    context.issues.push({ code: 'custom', input: value, message, path: [...kind, ...path] });
  }
  return undefined;
}
