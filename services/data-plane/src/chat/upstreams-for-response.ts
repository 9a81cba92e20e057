import type { ResponsesRequest } from '@model-gateway/shared';
import {
  previousResponseNotFound,
  responseOfAnotherProvider,
  responseProviderGone,
} from '@model-gateway/shared/errors';
import {
  type ModelTable,
  type RoutedModel,
  type RoutedUpstream,
  storesResponses,
} from '../catalog/model-table.ts';
import type { SealedIds } from './sealed-ids.ts';

type ResponseFields = Pick<ResponsesRequest, 'background' | 'goesOn' | 'previousResponseId'>;

export interface ResponseUpstreamsContext {
  /** Undefined: the gateway stores no responses. */
  storedResponses: object | undefined;
  sealedIds: Pick<SealedIds, 'open'>;
  models: { readonly table: ModelTable | undefined };
}

/**
 * Picks the upstreams for a Responses request. A provider-stored response is only available at its provider;
 * other requests prefer upstreams with the Responses API over translation.
 * @throws GatewayError 404 for an invalid id or one of another account; 400
 */
export function upstreamsForResponse(
  { storedResponses, models, sealedIds }: ResponseUpstreamsContext,
  accountId: string,
  model: RoutedModel,
  { background, goesOn, previousResponseId }: ResponseFields,
): RoutedModel {
  const native = model.upstreams.filter(({ provider }) => storesResponses(provider));
  if (previousResponseId !== undefined) {
    const before = sealedIds.open(accountId, previousResponseId);
    if (before === undefined) {
      // No provider of this model issues ids, and the gateway stores nothing: the translation reports what to
      // send instead.
      if (native.length === 0 && storedResponses === undefined) return model;
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
  // Nothing to choose: all upstreams are alike.
  if (native.length === 0) return model;
  if (native.length === model.upstreams.length) return model;
  return { ...model, upstreams: goesOn || background ? native : prioritize(native, model.upstreams) };
}

function prioritize(first: readonly RoutedUpstream[], all: readonly RoutedUpstream[]): RoutedUpstream[] {
  const last = Math.max(...first.map(({ priority }) => priority));
  const others = all.filter((upstream) => !first.includes(upstream));
  return [...first, ...others.map((upstream) => ({ ...upstream, priority: upstream.priority + last }))];
}
