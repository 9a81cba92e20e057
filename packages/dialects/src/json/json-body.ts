import type { JsonMember } from './scan-json.ts';

/** The members of a JSON text that the gateway needs, and where they stand. */
export interface ValidatedJson<Value> {
  value: Value;
  /** The size of the text in bytes. */
  size: number;
  /** The `editableMembers` of its top level, with their places in bytes. */
  members: readonly JsonMember[];
  /** For a large text: the bytes that the model reads, so that no estimate parses it again. */
  inputBytes?: number | undefined;
}

/**
 * A request body that was checked: its bytes for the provider, and what the schema picks for the gateway's
 * own decisions. All its other values are dropped: in memory they need many times the room of the bytes.
 */
export interface JsonBody<Value> extends ValidatedJson<Value> {
  /** The bytes as they arrived; none once they are there in another API and nobody needs these any more. */
  chunks: readonly Buffer[];
  /** True if to parse it once more would hold up other requests. */
  isLarge: boolean;
}
