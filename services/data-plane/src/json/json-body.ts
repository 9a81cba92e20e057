import type { UnderstoodJson } from './understand-json.ts';

/**
 * A request body that was checked: its bytes for the provider, and what the schema picks for the gateway's
 * own decisions. All its other values are dropped: in memory they need many times the room of the bytes.
 */
export interface JsonBody<Value> extends UnderstoodJson<Value> {
  /** The bytes as they arrived. */
  chunks: readonly Buffer[];
}

/** The whole request, parsed once more: only where it must be written in another API. */
export function parseRequest({ chunks }: JsonBody<unknown>): Record<string, unknown> {
  return JSON.parse(Buffer.concat(chunks).toString());
}
