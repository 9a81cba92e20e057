import type { RequestListener } from 'node:http';
import { embeddingsRequest } from '@model-gateway/shared';
import { embeddingsCall } from '../capabilities/embeddings.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/embeddings */
export function embeddings(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/embeddings',
    capability: 'embeddings',
    schema: embeddingsRequest,
    call: (exchange, body, model) => embeddingsCall(exchange, body, model, context),
  });
}
