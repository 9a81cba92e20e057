import type { RequestListener } from 'node:http';
import { messagesRequest } from '@model-gateway/shared';
import { messagesCall } from '../chat/messages-call.ts';
import type { DataPlaneContext } from '../context.ts';
import { MESSAGES_CALLER } from '../http/messages-caller.ts';
import { jsonRoute } from './json-route.ts';

/** POST /v1/messages, plain and streamed. */
export function messages(context: DataPlaneContext): RequestListener {
  return jsonRoute(context, {
    path: '/v1/messages',
    capability: 'chat',
    schema: messagesRequest,
    caller: MESSAGES_CALLER,
    call: (exchange, body, model) => messagesCall(exchange, body, model, context),
  });
}
