/** The clouds' name of the search for tools, which is a part of this beta of Anthropic's own API. */
const TOOL_SEARCH = 'tool-search-tool-2025-10-19';
const ADVANCED_TOOL_USE = 'advanced-tool-use-';

/**
 * Sorts a caller's betas for a cloud that refuses some of Anthropic's. All others pass, also future ones.
 * Source: BerriAI/litellm, `anthropic_beta_headers_config.json`, for the search for tools.
 * @param refused prefixes of the refused betas
 * @param defersTools true if the request has tools that the model finds by a search
 */
export function splitAnthropicBetas(
  betas: readonly string[],
  refused: readonly string[],
  defersTools = false,
): { passed: string[]; ignored: string[] } {
  const searches = defersTools || betas.some((beta) => beta.startsWith(ADVANCED_TOOL_USE));
  const known = betas.filter((beta) => beta !== TOOL_SEARCH && !beta.startsWith(ADVANCED_TOOL_USE));
  const isIgnored = (beta: string) => refused.some((prefix) => beta.startsWith(prefix));
  const passed = known.filter((beta) => !isIgnored(beta));
  return {
    passed: searches || betas.includes(TOOL_SEARCH) ? [...passed, TOOL_SEARCH] : passed,
    ignored: known.filter(isIgnored),
  };
}
