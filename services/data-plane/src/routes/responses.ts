import type { RequestListener } from 'node:http';
import { responsesRequest } from '@model-gateway/shared';
import { responsesCall } from '../chat/responses-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';
import { validateResponsesRequest } from './validate-responses-request.ts';

/** POST /v1/responses, plain and streamed. */
export function responses(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/responses',
    capability: 'chat',
    schema: responsesRequest,
    validate: validateResponsesRequest,
    call: (exchange, body, model) => responsesCall(exchange, body, model, context),
  });
}
