import { ProviderError } from '../errors/provider-error.ts';

export interface GeminiModel {
  id: string;
  displayName: string;
  /** True if it answers with a picture beside its text. */
  draws?: true;
}

/**
 * One free and one paid model, both of the third generation, which differ in nothing but their name; and one
 * that draws.
 */
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
