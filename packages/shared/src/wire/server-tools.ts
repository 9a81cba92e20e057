/** Reserved uses of a server tool when the request does not limit them. */
export const USUAL_USES = 5;
export const MAX_USES = 1_000;
/** Recorded responses of Anthropic took 9,000 to 27,000 input tokens more for each use of a server tool. */
export const TOKENS_OF_USE = 15_000;
/** More than the context of any model. A known context length bounds it further. */
export const MAX_STORED_TOKENS = 1_000_000;
