import type { RequestListener } from 'node:http';
import { responsesRequest } from '@model-gateway/shared';
import type { RoutedModel } from '../catalog/model-table.ts';
import { storesResponses } from '../catalog/stores-responses.ts';
import { responsesCall } from '../chat/responses-call.ts';
import { upstreamsForResponse } from '../chat/upstreams-for-response.ts';
import type { DataPlaneContext } from '../context.ts';
import { expandRequest } from '../kept-responses/expand-request.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/responses, plain and streamed. */
export function responses(context: DataPlaneContext): RequestListener {
  const { bodyBudget, jsonTurns, keptResponses, maxJsonBodyBytes } = context;
  const keeping = keptResponses && { bodyBudget, jsonTurns, keptResponses, maxJsonBodyBytes };
  return jsonRoute(context, {
    path: '/v1/responses',
    capability: 'chat',
    schema: responsesRequest,
    upstreamsFor: ({ record: { key } }, model, request) => {
      return upstreamsForResponse(context, key.accountId, model, request);
    },
    goesOnFrom: ({ record: { key } }, { previousResponseId }) => {
      if (previousResponseId === undefined) return undefined;
      return context.sealedIds.open(key.accountId, previousResponseId)?.modelId;
    },
    expand:
      keeping &&
      ((exchange, body, models, checkLimits) =>
        expandRequest(keeping, exchange, { body, mayPass: models.some(mayPass), checkLimits })),
    mayPass,
    call: (exchange, body, model) => responsesCall(exchange, body, model, context),
  });
}

/** Whether a provider of the model gets requests as they are. */
function mayPass({ upstreams }: RoutedModel): boolean {
  return upstreams.some(({ provider }) => storesResponses(provider));
}
