import type { z } from 'zod';

export interface FormattedIssue {
  /** JSON path, e.g. `messages[0].content`; empty for the document itself. */
  path: string;
  message: string;
}

/** Lists every issue of a failed parse, with its JSON path as text. */
export function formatIssues(error: z.ZodError): FormattedIssue[] {
  return error.issues.map((issue) => ({ path: jsonPath(issue.path), message: issue.message }));
}

/** Returns a path as text, such as `messages[0].content`. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, index) =>
      typeof step === 'number' ? `[${step}]` : index === 0 ? String(step) : `.${String(step)}`,
    )
    .join('');
}
