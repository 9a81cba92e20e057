import { responseNotFound, responseProviderGone } from '@model-gateway/shared/errors';
import type { ModelTable, RoutedModel } from '../catalog/model-table.ts';
import { storesResponses } from '../catalog/stores-responses.ts';
import type { SealedIds, SealedResponse } from './sealed-ids.ts';

export interface ProviderStoredContext {
  sealedIds: Pick<SealedIds, 'open'>;
  models: { readonly table: ModelTable | undefined };
}

/**
 * From the id of a response to the one provider that keeps it. Its model may have left the catalog: what was
 * made is still there.
 * @throws GatewayError 404 for an id that is none, or of another account, or of a provider that is gone
 */
export function providerStoredModel(
  { models, sealedIds }: ProviderStoredContext,
  accountId: string,
  id: string,
): { kept: SealedResponse; model: RoutedModel } {
  const kept = sealedIds.open(accountId, id);
  if (kept === undefined) throw responseNotFound(id);
  const provider = models.table?.providers.get(kept.providerId);
  if (provider === undefined || !storesResponses(provider))
    throw responseProviderGone(kept.providerId, 'response_id');
  const model: RoutedModel = {
    id: kept.modelId,
    capability: 'chat',
    tier: 'free',
    contextLength: undefined,
    maxOutputTokens: undefined,
    mediaPartTokens: 0,
    price: undefined,
    upstreams: [{ provider, model: kept.modelId, priority: 1, weight: 1 }],
  };
  return { kept, model };
}
