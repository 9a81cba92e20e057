import { ProviderError } from './errors/provider-error.ts';

export type Capability =
  | 'chat'
  | 'completions'
  | 'embeddings'
  | 'rerank'
  | 'images'
  | 'speech'
  | 'transcription'
  | 'moderation';

export interface SimulatedModel {
  id: string;
  capability: Capability;
}

const NAMES: Record<Capability, string> = {
  chat: 'chat',
  completions: 'complete',
  embeddings: 'embed',
  rerank: 'rerank',
  images: 'image',
  speech: 'speech',
  transcription: 'transcribe',
  moderation: 'moderate',
};

/** Takes tools only at /responses, like OpenAI's models from gpt-5.4 on. */
export const RESPONSES_MODEL = 'sim-gpt-pro';

/** One free and one paid model per capability, which differ only in their names, and RESPONSES_MODEL. */
export const MODELS: readonly SimulatedModel[] = [
  ...Object.entries(NAMES).flatMap(([capability, name]) =>
    ['free', 'pro'].map((variant) => ({
      id: `sim-${name}-${variant}`,
      capability: capability as Capability,
    })),
  ),
  { id: RESPONSES_MODEL, capability: 'chat' },
];

/** @throws ProviderError 404 if there is no such model, or if it has another capability */
export function requireModel(id: string, capability: Capability): void {
  const model = findModel(id);
  if (model.capability === capability) return;
  const message = `The model \`${id}\` is a ${model.capability} model, not for this endpoint.`;
  throw new ProviderError(404, message, { param: 'model' });
}

/** @throws ProviderError 404 */
export function findModel(id: string): SimulatedModel {
  const model = MODELS.find((entry) => entry.id === id);
  if (model !== undefined) return model;
  throw new ProviderError(404, `The model \`${id}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  });
}

export interface ClaudeModel {
  id: string;
  displayName: string;
}

/** One free and one paid model, newest first; they differ only in their names. */
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

export interface GeminiModel {
  id: string;
  displayName: string;
  /** True if it adds a picture to its text. */
  draws?: true;
}

/** One free and one paid model, which differ only in their names, and one that draws. */
export const GEMINI_MODELS: readonly GeminiModel[] = [
  { id: 'sim-gemini-free', displayName: 'Simulated Gemini Free' },
  { id: 'sim-gemini-pro', displayName: 'Simulated Gemini Pro' },
  { id: 'sim-gemini-image', displayName: 'Simulated Gemini Image', draws: true },
];

/** @throws ProviderError 404 */
export function requireGemini(id: string): GeminiModel {
  const model = GEMINI_MODELS.find((entry) => entry.id === id);
  if (model !== undefined) return model;
  const message =
    `models/${id} is not found for API version v1beta, or is not supported for generateContent. ` +
    'Call ListModels to see the list of available models and their supported methods.';
  throw new ProviderError(404, message);
}
