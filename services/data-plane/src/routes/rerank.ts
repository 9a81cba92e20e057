import type { RequestListener } from 'node:http';
import { rerankRequest } from '@model-gateway/shared';
import { rerankCall } from '../capabilities/rerank.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/rerank */
export function rerank(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/rerank',
    capability: 'rerank',
    schema: rerankRequest,
    call: (exchange, body, model) => rerankCall(exchange, body, model, context),
  });
}
