import type { Chat } from '../../interfaces/chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { numberAt } from '../../translation/field-values.ts';

/** Chat Completions requires a name for each schema. */
export const SCHEMA_NAME = 'answer';

/**
 * Uses the name that OpenAI's reasoning models require. Caps the value, because clients send the maximum of
 * the model that they were written for.
 */
export function lengthOf(maxTokens: unknown, { maxOutputTokens }: Chat['model']): JsonObject {
  if (typeof maxTokens !== 'number') return {};
  return { max_completion_tokens: Math.min(maxTokens, maxOutputTokens ?? maxTokens) };
}

/** Requests usage for every stream. */
export function streamOf(stream: unknown): JsonObject {
  return stream === true ? { stream: true, stream_options: { include_usage: true } } : {};
}

export function numberGiven(name: string, request: JsonObject): JsonObject {
  const value = request[name];
  return value === undefined ? {} : { [name]: numberAt(value, name) };
}

/** Chat Completions refuses some empty lists. */
export function nonEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}
