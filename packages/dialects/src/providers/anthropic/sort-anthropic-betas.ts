/**
 * Sorts a caller's betas for a cloud that refuses some of Anthropic's. All others pass, also future ones.
 * @param refused prefixes of the refused betas
 */
export function splitAnthropicBetas(
  betas: readonly string[],
  refused: readonly string[],
): { passed: string[]; ignored: string[] } {
  const isIgnored = (beta: string) => refused.some((prefix) => beta.startsWith(prefix));
  return { passed: betas.filter((beta) => !isIgnored(beta)), ignored: betas.filter(isIgnored) };
}
