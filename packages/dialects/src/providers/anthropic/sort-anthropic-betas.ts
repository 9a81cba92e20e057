/**
 * The betas of a caller of Messages, for a provider that serves the models of Anthropic and refuses some of
 * the betas of Anthropic's own API. All others pass, whichever there will be.
 * @param refused how the names of those begin that the provider refuses
 */
export function sortAnthropicBetas(
  betas: readonly string[],
  refused: readonly string[],
): { passed: string[]; ignored: string[] } {
  const isIgnored = (beta: string) => refused.some((prefix) => beta.startsWith(prefix));
  return { passed: betas.filter((beta) => !isIgnored(beta)), ignored: betas.filter(isIgnored) };
}
