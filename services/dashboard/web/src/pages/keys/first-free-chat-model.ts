import type { ModelsAnswer } from '../../../../wire/status.ts';

/** Stands for a model where the catalog is not known. */
export const modelPlaceholder = 'MODEL_ID';

/** A model that a new account can call at once; the placeholder where there is none. */
export function firstFreeChatModel(models: ModelsAnswer | undefined): string {
  const chatModels = models?.data.filter(
    ({ capability, deprecated_at }) => capability === 'chat' && deprecated_at === undefined,
  );
  return chatModels?.find(({ tier }) => tier === 'free')?.id ?? modelPlaceholder;
}
