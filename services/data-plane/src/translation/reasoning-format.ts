/** The `format` of entries of `reasoning_details` that a Claude has signed: no other provider can read them. */
export const CLAUDE_FORMAT = 'anthropic-claude-v1';
