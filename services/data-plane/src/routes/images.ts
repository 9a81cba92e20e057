import type { RequestListener } from 'node:http';
import { imagesRequest } from '@model-gateway/shared';
import { imagesCall } from '../capabilities/images.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/images/generations, plain and streamed. */
export function images(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/images/generations',
    capability: 'images',
    schema: imagesRequest,
    call: (exchange, body, model) => imagesCall(exchange, body, model, context),
  });
}
