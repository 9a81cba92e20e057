import { ProviderError } from '../errors/provider-error.ts';

export interface ClaudeModel {
  id: string;
  displayName: string;
}

/** One free and one paid model, newest first; they differ in nothing but their name. */
export const CLAUDE_MODELS: readonly ClaudeModel[] = [
  { id: 'sim-claude-pro', displayName: 'Simulated Claude Pro' },
  { id: 'sim-claude-free', displayName: 'Simulated Claude Free' },
];

/** @throws ProviderError 404 */
export function requireClaude(id: string): ClaudeModel {
  const model = CLAUDE_MODELS.find((entry) => entry.id === id);
  if (model === undefined) throw new ProviderError(404, `model: ${id}`);
  return model;
}
