import type { StoredResponseRequest } from '@model-gateway/dialects';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { SealedIds, SealedResponse } from '../chat/sealed-ids.ts';
import { type StoredResponseContext, storedResponseModel } from '../chat/stored-response-model.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { KeptQuestion } from '../kept-responses/kept-question.ts';

/** A response that a provider stores, and what that provider is asked about it. */
export interface StoredResponse {
  kept: SealedResponse;
  model: RoutedModel;
  request: StoredResponseRequest;
}

/**
 * Finds the provider that stores a response, by the id in the path. Sets `record.streamed`.
 * @throws GatewayError 404 for an id that is none, or of another account, or of a provider that is gone
 */
export async function resolveStoredResponse(
  context: StoredResponseContext & { sealedIds: Pick<SealedIds, 'open' | 'sealer'> },
  { record }: AuthenticatedExchange,
  { id, query, streamed, what }: KeptQuestion,
): Promise<StoredResponse> {
  const { accountId } = record.key;
  const { kept, model } = storedResponseModel(context, accountId, id);
  record.streamed = streamed;
  const request: StoredResponseRequest = {
    what,
    id,
    responseId: kept.responseId,
    modelId: kept.modelId,
    query: query.toString(),
    streamed,
    sealed: (providerId, responseId) =>
      context.sealedIds.sealer(accountId, kept.modelId).seal(providerId, responseId),
  };
  return { kept, model, request };
}
