/** Used if neither the caller nor the catalog limits the output of a chat. */
export const DEFAULT_OUTPUT_TOKENS = 16_384;
