import { responseNotFound, responseProviderGone } from '@model-gateway/shared/errors';
import { type ModelTable, type RoutedModel, storesResponses } from '../catalog/model-table.ts';
import type { SealedIds, SealedResponse } from './sealed-ids.ts';

export interface ProviderStoredContext {
  sealedIds: Pick<SealedIds, 'open'>;
  models: { readonly table: ModelTable | undefined };
}

/**
 * Resolves the id of a response to the one provider that stores it. Its model may have left the catalog.
 * @throws GatewayError 404 for an invalid id, one of another account, or one of a removed provider
 */
export function providerStoredModel(
  { models, sealedIds }: ProviderStoredContext,
  accountId: string,
  id: string,
): { stored: SealedResponse; model: RoutedModel } {
  const stored = sealedIds.open(accountId, id);
  if (stored === undefined) throw responseNotFound(id);
  const provider = models.table?.providers.get(stored.providerId);
  if (provider === undefined || !storesResponses(provider))
    throw responseProviderGone(stored.providerId, 'response_id');
  const model: RoutedModel = {
    id: stored.modelId,
    capability: 'chat',
    tier: 'free',
    contextLength: undefined,
    maxOutputTokens: undefined,
    mediaPartTokens: 0,
    filePartTokens: 0,
    price: undefined,
    upstreams: [{ provider, model: stored.modelId, priority: 1, weight: 1 }],
  };
  return { stored, model };
}
