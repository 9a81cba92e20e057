/**
 * The `format` of entries of `reasoning_details` that a Claude has signed: no other provider can read them.
 */
export const CLAUDE_FORMAT = 'anthropic-claude-v1';

/** The same of a model that was asked by Converse, such as a Nova. */
export const CONVERSE_FORMAT = 'amazon-bedrock-converse-v1';

/** The same of a Gemini. */
export const GEMINI_FORMAT = 'google-gemini-v1';

/** The same of a model of OpenAI that was asked by Responses. */
export const OPENAI_FORMAT = 'openai-responses-v1';
