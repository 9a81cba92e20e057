import type { IncomingMessage, RequestListener } from 'node:http';
import { bodyNotWanted } from '@model-gateway/shared/errors';
import { writeListingRules } from '@model-gateway/shared/rules';
import type { DataPlaneContext } from '../context.ts';
import { type CallerProtocol, OPENAI_CALLER } from '../http/caller-protocol.ts';
import type { Exchange } from '../http/exchange.ts';
import { MESSAGES_READER } from '../http/messages-caller.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { hasAuthorization } from '../keys/request-key.ts';
import { admitRequest } from '../steps/admit-request.ts';
import { authenticate } from './authenticate.ts';

/**
 * GET /v1/models and /v1/models/:id: a key is optional, but one that is sent must be valid. It sees only
 * models that its rules allow.
 */
export function modelReads(context: DataPlaneContext, route: string): RequestListener {
  const steps = async (exchange: Exchange) => {
    if (hasAuthorization(exchange.req)) {
      const authenticated = await authenticate(context, exchange);
      await admitRequest(context, authenticated, { limitClass: 'reads', takesStream: false });
    }
    const { rules } = exchange.record.key ?? {};
    await forwardRead(context, exchange, rules && writeListingRules(rules));
  };
  return serveExchange(context, route, steps, readerOf);
}

/** Uses Anthropic's error format for its clients. */
function readerOf({ headers }: IncomingMessage): CallerProtocol {
  return headers['anthropic-version'] === undefined ? OPENAI_CALLER : MESSAGES_READER;
}

/** The status, /openapi.json and /docs: public, an Authorization header is ignored. */
export function publicReads(context: DataPlaneContext, route: string): RequestListener {
  return serveExchange(context, route, (exchange) => forwardRead(context, exchange));
}

function forwardRead(context: DataPlaneContext, exchange: Exchange, rules?: string): Promise<void> {
  const { headers } = exchange.req;
  if (headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0) {
    throw bodyNotWanted();
  }
  return context.catalogProxy.forward(exchange, rules);
}
