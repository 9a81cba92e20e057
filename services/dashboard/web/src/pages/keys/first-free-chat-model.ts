import type { ModelsAnswer } from '../../../../wire/status.ts';
import { isConfigured } from '../models/is-configured.ts';

/** Stands for a model if the catalog is not known. */
export const modelPlaceholder = 'MODEL_ID';

/** A model that a new account can call at once; the placeholder if there is none. */
export function firstFreeChatModel(models: ModelsAnswer | undefined): string {
  const chatModels = models?.data.filter(
    (model) => model.capability === 'chat' && model.deprecated_at === undefined && isConfigured(model),
  );
  return chatModels?.find(({ tier }) => tier === 'free')?.id ?? modelPlaceholder;
}
