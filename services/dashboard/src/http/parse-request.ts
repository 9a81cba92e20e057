import { checkJson, formatIssues } from '@model-gateway/shared';
import type { z } from 'zod';
import { invalidField, invalidRequest } from '../errors/request-errors.ts';

/** Parses a body or a query. @throws DashboardError invalid_request that names the first wrong field */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = checkJson(schema, value);
  if (result.success) return result.data;
  const [issue] = formatIssues(result.error);
  throw issue === undefined || issue.path === ''
    ? invalidRequest(issue?.message)
    : invalidField(issue.path, issue.message);
}
