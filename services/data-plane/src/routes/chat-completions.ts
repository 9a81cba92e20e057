import type { RequestListener } from 'node:http';
import { chatCompletionsRequest } from '@model-gateway/shared';
import { chatCall } from '../capabilities/chat/chat-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCompletions(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/chat/completions',
    capability: 'chat',
    schema: chatCompletionsRequest,
    call: (exchange, body, model) => chatCall(exchange, body, model, context),
  });
}
