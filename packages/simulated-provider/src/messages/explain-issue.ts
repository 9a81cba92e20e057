import type { z } from 'zod';

export const EXTRA_INPUT = 'Extra inputs are not permitted';

/** Says where a request is wrong and why, in Anthropic's words. It has to be parsed with `reportInput`. */
export function explainIssue(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string } {
  if (issue.code === 'unrecognized_keys') {
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: EXTRA_INPUT };
  }
  const isMissing = issue.code === 'invalid_type' && issue.input === undefined;
  return { path: issue.path, message: isMissing ? 'Field required' : issue.message };
}
