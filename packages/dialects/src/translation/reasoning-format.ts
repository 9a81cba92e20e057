/** Values of `format` in `reasoning_details`. They name whose models can read the signature. */
export const CLAUDE_FORMAT = 'anthropic-claude-v1';

/** Other models on Converse, such as Nova. */
export const CONVERSE_FORMAT = 'amazon-bedrock-converse-v1';

export const GEMINI_FORMAT = 'google-gemini-v1';

export const OPENAI_FORMAT = 'openai-responses-v1';
