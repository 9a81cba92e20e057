import type { RequestListener } from 'node:http';
import { chatCompletionsRequest } from '@model-gateway/shared';
import type { DataPlaneContext } from '../context.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { authenticateKey } from '../steps/authenticate-key.ts';
import { forwardChat } from '../steps/forward-chat.ts';
import { readJsonBody } from '../steps/read-json-body.ts';
import { resolveModel } from '../steps/resolve-model.ts';
import { settleUsage } from '../steps/settle-usage.ts';

export const CHAT_COMPLETIONS_ROUTE = '/v1/chat/completions';

/** POST /v1/chat/completions, plain and streamed. */
export function chatCompletions(context: DataPlaneContext): RequestListener {
  return serveExchange(context, CHAT_COMPLETIONS_ROUTE, async (exchange) => {
    await authenticateKey(context, exchange);
    const body = await readJsonBody(exchange, chatCompletionsRequest, context);
    const upstream = resolveModel(context, exchange, body.value, 'chat');
    try {
      await forwardChat(context, exchange, upstream, body);
    } finally {
      settleUsage(context, exchange);
    }
  });
}
