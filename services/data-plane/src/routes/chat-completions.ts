import type { RequestListener } from 'node:http';
import { chatCompletionsRequest } from '@model-gateway/shared';
import { chatCompletionsCall } from '../chat/chat-completions-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCompletions(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/chat/completions',
    capability: 'chat',
    schema: chatCompletionsRequest,
    call: (exchange, body, model) => chatCompletionsCall(exchange, body, model, context),
  });
}
