import type { RequestListener } from 'node:http';
import { responsesRequest } from '@model-gateway/shared';
import type { DataPlaneContext } from '../context.ts';
import { responsesCall } from '../dialects/responses/responses-call.ts';
import { upstreamsOf } from '../dialects/responses/upstreams-of.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/responses, plain and streamed. */
export function responses(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/responses',
    capability: 'chat',
    schema: responsesRequest,
    upstreamsFor: ({ record: { key } }, model, request) => {
      if (key === undefined) throw new Error('routed before authenticated');
      return upstreamsOf(context, key.accountId, model, request);
    },
    call: (exchange, body, model) => responsesCall(exchange, body, model, context),
  });
}
