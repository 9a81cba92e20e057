import type { z } from 'zod';
import { ProviderError } from './provider-error.ts';

/** Parses a request. @throws ProviderError 400 that names the first wrong field */
export function parseFields<Schema extends z.ZodType>(schema: Schema, value: unknown): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = pathText(issue?.path ?? []);
  const message = `Invalid value for '${path || 'body'}': ${issue?.message ?? 'not understood'}.`;
  throw new ProviderError(400, message, path === '' ? {} : { param: path });
}

/** Serializes a path as OpenAI does: `input[1].content`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
