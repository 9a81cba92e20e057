import type { ModelsResponse } from '../../../../wire/status.ts';

export type Model = ModelsResponse['data'][number];

export interface ModelFilter {
  /** Words that must all occur in id, aliases, name, description or provider. */
  text: string;
  /** Empty: all. */
  capability: string;
  provider: string;
  tier: string;
}

/** @returns the models that match, in the order of the catalog */
export function matchingModels(models: readonly Model[], filter: ModelFilter): Model[] {
  const { text, capability, provider, tier } = filter;
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter((model) => {
    if (capability !== '' && model.capability !== capability) return false;
    if (provider !== '' && model.owned_by !== provider) return false;
    if (tier !== '' && model.tier !== tier) return false;
    const { aliases = [], description, id, name, owned_by } = model;
    const searched = [id, ...aliases, name, description, owned_by].join(' ').toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}
