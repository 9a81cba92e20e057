import type { ResponsesRequest } from '@model-gateway/shared';
import {
  previousResponseNotFound,
  responseOfAnotherProvider,
  responseProviderGone,
} from '@model-gateway/shared/errors';
import type { ModelTable, RoutedModel, RoutedUpstream } from '../catalog/model-table.ts';
import { storesResponses } from '../catalog/stores-responses.ts';
import type { SealedIds } from './sealed-ids.ts';

type Asked = Pick<ResponsesRequest, 'background' | 'goesOn' | 'previousResponseId'>;

export interface UpstreamsContext {
  /** Undefined: the gateway itself keeps none. */
  storedResponses: object | undefined;
  sealedIds: Pick<SealedIds, 'open'>;
  models: { readonly table: ModelTable | undefined };
}

/**
 * The upstreams of a model to which a request of Responses may go. What a provider has kept is with that
 * provider alone; all else goes first to those that speak this API, and then to those for which it is
 * translated.
 * @throws GatewayError 404 for an id that is none, or of another account; 400
 */
export function upstreamsForResponse(
  { storedResponses, models, sealedIds }: UpstreamsContext,
  accountId: string,
  model: RoutedModel,
  { background, goesOn, previousResponseId }: Asked,
): RoutedModel {
  const speaking = model.upstreams.filter(({ provider }) => storesResponses(provider));
  if (previousResponseId !== undefined) {
    const before = sealedIds.open(accountId, previousResponseId);
    if (before === undefined) {
      // For a model that is only ever translated no id exists, unless the gateway keeps responses: its
      // translation says what to send instead.
      if (speaking.length === 0 && storedResponses === undefined) return model;
      throw previousResponseNotFound(previousResponseId);
    }
    const { modelId, providerId } = before;
    const provider = models.table?.providers.get(providerId);
    if (provider === undefined || !storesResponses(provider))
      throw responseProviderGone(providerId, 'previous_response_id');
    const upstreams = model.upstreams.filter((upstream) => upstream.provider.id === providerId);
    if (upstreams.length === 0) throw responseOfAnotherProvider(model.id, providerId, modelId);
    return { ...model, upstreams };
  }
  // The translation says what it cannot do, or there is nothing to choose.
  if (speaking.length === 0) return model;
  if (speaking.length === model.upstreams.length) return model;
  return { ...model, upstreams: goesOn || background ? speaking : inFront(speaking, model.upstreams) };
}

/** Puts the upstreams of `first` before the others, each in their own order. */
function inFront(first: readonly RoutedUpstream[], all: readonly RoutedUpstream[]): RoutedUpstream[] {
  const last = Math.max(...first.map(({ priority }) => priority));
  const others = all.filter((upstream) => !first.includes(upstream));
  return [...first, ...others.map((upstream) => ({ ...upstream, priority: upstream.priority + last }))];
}
