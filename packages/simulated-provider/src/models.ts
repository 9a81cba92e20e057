import { ProviderError } from './errors/provider-error.ts';

export type Capability = 'chat' | 'embeddings' | 'rerank' | 'images' | 'speech' | 'transcription';

export interface SimulatedModel {
  id: string;
  capability: Capability;
}

const NAMES: Record<Capability, string> = {
  chat: 'chat',
  embeddings: 'embed',
  rerank: 'rerank',
  images: 'image',
  speech: 'speech',
  transcription: 'transcribe',
};

const CAPABILITIES: readonly Capability[] = [
  'chat',
  'embeddings',
  'rerank',
  'images',
  'speech',
  'transcription',
];

/** Takes tools at /responses alone, as OpenAI's models do from gpt-5.4 on. */
export const RESPONSES_MODEL = 'sim-gpt-pro';

/** One free and one paid model per capability, which differ in nothing but their name, and the one above. */
export const MODELS: readonly SimulatedModel[] = [
  ...CAPABILITIES.flatMap((capability) =>
    ['free', 'pro'].map((variant) => ({ id: `sim-${NAMES[capability]}-${variant}`, capability })),
  ),
  { id: RESPONSES_MODEL, capability: 'chat' },
];

/** @throws ProviderError 404 when there is no such model, or when it does something else. */
export function requireModel(id: string, capability: Capability): void {
  const model = MODELS.find((entry) => entry.id === id);
  if (model === undefined) throw modelNotFound(id);
  if (model.capability !== capability) {
    throw new ProviderError(
      404,
      `The model \`${id}\` is a ${model.capability} model, not for this endpoint.`,
      {
        param: 'model',
      },
    );
  }
}

export function modelNotFound(id: string): ProviderError {
  return new ProviderError(404, `The model \`${id}\` does not exist or you do not have access to it.`, {
    code: 'model_not_found',
  });
}
