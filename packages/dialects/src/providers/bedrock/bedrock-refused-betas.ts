/**
 * Betas of Anthropic's own API that Bedrock refuses with 400: they are about that API, or have another name
 * here.
 * Source: "Anthropic Claude Messages API" of the user guide of Bedrock, `anthropic_beta`.
 */
export const BEDROCK_REFUSED_BETAS = [
  'advanced-tool-use-',
  'claude-code-',
  'files-api-',
  'mcp-client-',
  'oauth-',
  'prompt-caching-',
  'structured-outputs-',
  'thinking-token-count-',
];
