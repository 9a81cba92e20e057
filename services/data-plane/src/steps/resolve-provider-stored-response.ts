import type { ProviderStoredRequest } from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import { type ProviderStoredContext, providerStoredModel } from '../chat/provider-stored-model.ts';
import type { SealedIds, SealedResponse } from '../chat/sealed-ids.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { refuseForbiddenResponse } from '../rules/refuse-forbidden-response.ts';
import type { StoredResponseQuery } from '../stored-responses/stored-response-query.ts';

export interface ProviderStoredResponse {
  stored: SealedResponse;
  model: RoutedModel;
  request: ProviderStoredRequest;
}

/**
 * Finds the provider that stores a response, by the id in the path. Sets `record.streamed`, and
 * `record.affinityKey` where the id has one.
 * @throws GatewayError 404 for an invalid id, one of another account, or one of a removed provider; 403 for a
 *   model or provider that the rules do not allow
 */
export async function resolveProviderStoredResponse(
  context: ProviderStoredContext & { sealedIds: Pick<SealedIds, 'open' | 'sealer'> },
  { record }: AuthenticatedExchange,
  { id, query, streamed, what }: StoredResponseQuery,
): Promise<ProviderStoredResponse> {
  const { accountId } = record.key;
  const { stored, model } = providerStoredModel(context, accountId, id);
  if (stored.affinityKey !== undefined) record.affinityKey = stored.affinityKey;
  refuseForbiddenResponse(record, stored);
  record.streamed = streamed;
  const request: ProviderStoredRequest = {
    what,
    id,
    responseId: stored.responseId,
    modelId: stored.modelId,
    query: query.toString(),
    streamed,
    sealed: (providerId, responseId) =>
      context.sealedIds
        .sealer(accountId, stored.modelId, stored.affinityKey, () => stored.guardrails ?? [])
        .seal(providerId, responseId),
  };
  return { stored, model, request };
}
