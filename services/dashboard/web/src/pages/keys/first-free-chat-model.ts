import type { ModelsResponse } from '../../../../wire/status.ts';
import { isConfigured } from '../models/is-configured.ts';

/** Stands in for a model if there is no free one. */
export const modelPlaceholder = 'MODEL_ID';

/** Returns a model that a new account can call at once, else the placeholder. */
export function firstFreeChatModel(models: ModelsResponse | undefined): string {
  const chatModels = models?.data.filter(
    (model) => model.capability === 'chat' && model.deprecated_at === undefined && isConfigured(model),
  );
  return chatModels?.find(({ tier }) => tier === 'free')?.id ?? modelPlaceholder;
}
