import { type ResponsesRequest, responsesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import { storesResponses } from '../catalog/stores-responses.ts';
import { upstreamsForResponse } from '../chat/upstreams-for-response.ts';
import type { DataPlaneContext } from '../context.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { readJsonBody } from '../http/read-json-body.ts';
import { refuseInvalid } from '../steps/admit-request.ts';
import { refuseUnpriced } from '../steps/refuse-unpriced.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { expandRequest } from '../stored-responses/expand-request.ts';
import { checkLimits, type UnderstoodRequest, usableCandidates } from './validate-request.ts';

/**
 * `validateRequest` for Responses. A request may go on from a response that the gateway stores, which is
 * put into it, or from one that a provider stores, which that provider alone can go on from.
 * @throws GatewayError; ClientGone
 */
export async function validateResponsesRequest(
  context: DataPlaneContext,
  exchange: AuthenticatedExchange,
): Promise<UnderstoodRequest<ResponsesRequest>> {
  const { accountId } = exchange.record.key;
  try {
    const check = checkLimits(context, exchange);
    const asked = await readJsonBody(exchange, responsesRequest, context, check);
    const { previousResponseId } = asked.value;
    const before =
      previousResponseId === undefined ? undefined : context.sealedIds.open(accountId, previousResponseId);
    const resolved = resolveModel(context, exchange, asked.value, 'chat', before?.modelId);
    const mayPass = resolved.some(({ model }) => passesResponses(model));
    const toExpand = { body: asked, mayPass, checkLimits: check };
    const body = await expandRequest(context, exchange, toExpand);
    const { goesOn, unpriced } = body.value;
    // The earlier turn may have had tools that cost something.
    const candidates = usableCandidates(goesOn ? [resolved[0]] : resolved, (model) => {
      // A translation leaves out what no price of the catalog covers.
      if (passesResponses(model)) refuseUnpriced(model, unpriced, context.models.table);
      return upstreamsForResponse(context, accountId, model, body.value);
    });
    return { body, candidates };
  } catch (failure) {
    return await refuseInvalid(context, exchange, failure);
  }
}

function passesResponses({ upstreams }: RoutedModel): boolean {
  return upstreams.some(({ provider }) => storesResponses(provider));
}
