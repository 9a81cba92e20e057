import type { JsonMember } from './scan-json.ts';

/** What the schema picks from a JSON text for the gateway's own decisions, and where its members stand. */
export interface UnderstoodJson<Value> {
  value: Value;
  /** The size of the text in bytes. */
  size: number;
  /** The `editableMembers` of its top level, with their places in bytes. */
  members: readonly JsonMember[];
  /** Of a large text: the bytes that the model reads, so that no estimate must parse it once more. */
  inputBytes?: number | undefined;
}

/**
 * A request body that was checked: its bytes for the provider, and what the schema picks for the gateway's
 * own decisions. All its other values are dropped: in memory they need many times the room of the bytes.
 */
export interface JsonBody<Value> extends UnderstoodJson<Value> {
  /** The bytes as they arrived; none once they are there in another API and nobody needs these any more. */
  chunks: readonly Buffer[];
  /** True if to parse it once more would hold up other requests. */
  isLarge: boolean;
}
