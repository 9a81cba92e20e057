import type { UnderstoodJson } from './understand-json.ts';

/**
 * A request body that was checked: its bytes for the provider, and what the schema picks for the gateway's
 * own decisions. All its other values are dropped: in memory they need many times the room of the bytes.
 */
export interface JsonBody<Value> extends UnderstoodJson<Value> {
  /** The bytes as they arrived; none once they are there in another API and nobody needs these any more. */
  chunks: readonly Buffer[];
  /** Whether to parse it once more would hold up other requests. */
  isLarge: boolean;
}
