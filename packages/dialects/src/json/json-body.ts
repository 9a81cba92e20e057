import type { PromptMeasure } from '../usage/measure-prompt.ts';
import type { JsonMember } from './scan-json.ts';

/** JSON that passed its schema: the values that the gateway needs, and the positions of some members. */
export interface ValidatedJson<Value> {
  value: Value;
  /** Size of the JSON in bytes. */
  size: number;
  /** The `editableMembers` of the top level, with positions in bytes. */
  members: readonly JsonMember[];
  /** For large JSON: the bytes that the model reads, so that no estimate parses it again. */
  inputBytes?: number | undefined;
  /** The worker sets this for large JSON, so that the event loop does not measure it. */
  measure?: PromptMeasure | undefined;
}

/**
 * A validated request body: its bytes for the provider, and the values that the gateway needs. Other values
 * are dropped: in memory they take many times the size of the bytes.
 */
export interface JsonBody<Value> extends ValidatedJson<Value> {
  /** The bytes as they arrived; empty once they were translated and no other attempt needs them. */
  chunks: readonly Buffer[];
  /** True if parsing it again would delay other requests. */
  isLarge: boolean;
}
