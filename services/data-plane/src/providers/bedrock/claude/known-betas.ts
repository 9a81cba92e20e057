/**
 * Betas of Anthropic's own API that Bedrock refuses with 400: they are about that API, or have another name
 * here. All others pass, whichever there will be.
 * Source: "Anthropic Claude Messages API" of the user guide of Bedrock, `anthropic_beta`.
 */
const OF_ANTHROPIC_ALONE = [
  'advanced-tool-use-',
  'claude-code-',
  'files-api-',
  'mcp-client-',
  'oauth-',
  'prompt-caching-',
  'structured-outputs-',
  'thinking-token-count-',
];

export function sortedBetas(betas: readonly string[]): { passed: string[]; ignored: string[] } {
  const isIgnored = (beta: string) => OF_ANTHROPIC_ALONE.some((prefix) => beta.startsWith(prefix));
  return { passed: betas.filter((beta) => !isIgnored(beta)), ignored: betas.filter(isIgnored) };
}
