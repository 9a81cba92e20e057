import { formatIssues, plainWords } from '@model-gateway/shared';
import type { z } from 'zod';
import { DashboardError } from '../errors/dashboard-error.ts';
import { sentence } from '../errors/sentence.ts';

/**
 * Checks a body or a query.
 * @throws DashboardError invalid_request that names the first wrong field
 */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: plainWords });
  if (result.success) return result.data;
  const issue = formatIssues(result.error)[0];
  const path = issue?.path ?? '';
  const message = issue?.message ?? 'the request cannot be understood';
  if (path === '') throw new DashboardError('invalid_request', sentence(message));
  const separator = /^[a-z]/.test(message) ? ' ' : ': ';
  throw new DashboardError('invalid_request', sentence(`${path}${separator}${message}`), { param: path });
}
