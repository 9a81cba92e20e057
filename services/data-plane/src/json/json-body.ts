import type { UnderstoodJson } from './understand-json.ts';

/**
 * A request body that passed: its bytes for the provider, and what the schema picks for the gateway's own
 * decisions. All the rest of its values is forgotten: in memory they take many times the room of the bytes.
 */
export interface JsonBody<Value> extends UnderstoodJson<Value> {
  /** As they came. */
  chunks: readonly Buffer[];
}
