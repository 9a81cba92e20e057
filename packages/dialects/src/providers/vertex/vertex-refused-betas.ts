/**
 * Betas of Anthropic's own API that Vertex AI refuses with 400: what they are about is not there, or has
 * another name.
 * Source: the features by platform in "Features overview" of Anthropic's documentation; the words of the 400
 * are "Unexpected value(s) … for the `anthropic-beta` header".
 */
export const VERTEX_REFUSED_BETAS = [
  'advanced-tool-use-',
  'advisor-tool-',
  'code-execution-',
  'fast-mode-',
  'files-api-',
  'mcp-client-',
  'oauth-',
  'prompt-caching-scope-',
  'skills-',
  'structured-outputs-',
  'web-fetch-',
];
