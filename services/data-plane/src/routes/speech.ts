import type { RequestListener } from 'node:http';
import { speechRequest } from '@model-gateway/shared';
import { speechCall } from '../capabilities/speech.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/audio/speech: audio, or its events. */
export function speech(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/audio/speech',
    capability: 'speech',
    schema: speechRequest,
    call: (exchange, body, model) => speechCall(exchange, body, model, context),
  });
}
