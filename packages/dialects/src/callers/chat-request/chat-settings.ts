import type { Chat } from '../../interfaces/chat.ts';
import type { JsonObject } from '../../json/json-object.ts';
import { numberAt } from '../../translation/field-values.ts';

/** Chat Completions wants a name for every schema. */
export const SCHEMA_NAME = 'answer';

/**
 * The length of an answer under the name that OpenAI's reasoning models insist on, and that most compatible
 * servers know. Clients ask for as much as the model they were made for can write, which providers of other
 * models refuse.
 */
export function lengthOf(maxTokens: unknown, { maxOutputTokens }: Chat['model']): JsonObject {
  if (typeof maxTokens !== 'number') return {};
  return { max_completion_tokens: Math.min(maxTokens, maxOutputTokens ?? maxTokens) };
}

/** A stream always tells its usage. */
export function streamOf(stream: unknown): JsonObject {
  return stream === true ? { stream: true, stream_options: { include_usage: true } } : {};
}

/** @throws GatewayError 400 for a value that is no number */
export function numberGiven(name: string, asked: JsonObject): JsonObject {
  const value = asked[name];
  return value === undefined ? {} : { [name]: numberAt(value, name) };
}

/** Chat Completions refuses some lists that are empty; without them it does the same. */
export function nonEmpty(list: readonly unknown[]): readonly unknown[] | undefined {
  return list.length === 0 ? undefined : list;
}
