import type { IncomingMessage, Server } from 'node:http';
import type { UpgradeListener } from '@model-gateway/service-kit';
import { toGatewayError } from '@model-gateway/shared';
import type { DataPlaneContext } from '../context.ts';
import { serveExchange } from '../http/serve-exchange.ts';
import { admitRequest, refuseInvalid } from '../steps/admit-request.ts';
import { acceptWebSocket } from '../websocket/accept-websocket.ts';
import { WebSocketConnection } from '../websocket/websocket-connection.ts';
import { authenticate } from './authenticate.ts';

const PATH = '/v1/responses';
/** Connections last for hours, so they are measured apart from requests. */
const ROUTE = `${PATH} (WebSocket)`;

/**
 * GET /v1/responses with an upgrade to WebSocket. Everything that may refuse the client does so before, over
 * HTTP. Each of its requests then runs through POST /v1/responses.
 * @param server returns the server that has all routes
 * @returns undefined if WebSocket is turned off
 */
export function responsesWebSocket(
  context: DataPlaneContext,
  server: () => Server,
): UpgradeListener | undefined {
  const { webSockets } = context;
  if (webSockets === undefined) return undefined;
  return {
    takes,
    serve: (req, res, head) =>
      serveExchange(context, ROUTE, async (arrived) => {
        const exchange = await authenticate(context, arrived, 'chat');
        await admitRequest(context, exchange, { limitClass: 'reads', takesStream: false });
        const { key } = exchange.record;
        webSockets.requireSpace(key);
        exchange.stop.signal.throwIfAborted();
        exchange.isConnection = true;
        const connection = new WebSocketConnection(
          acceptWebSocket(exchange, head, context.maxJsonBodyBytes),
          exchange,
          {
            server: server(),
            memory: webSockets.remembered.open(key.accountId),
            bodyBudget: context.bodyBudget,
            minimumRate: context.minimumRate,
            maxMessageBytes: context.maxJsonBodyBytes,
            stallMs: context.streamTimings.clientStallMs,
            countInvalid: (failure, id) => {
              const record = { ...exchange.record, id };
              return refuseInvalid(context, { ...exchange, record }, failure).catch(toGatewayError);
            },
          },
        );
        await webSockets.watch(connection);
      })(req, res),
  };
}

function takes({ headers, httpVersion, method, url }: IncomingMessage): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
  return (
    method === 'GET' &&
    url?.split('?', 1)[0] === PATH &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    httpVersion === '1.1' &&
    !hasBody
  );
}
