import { malformedRequest } from '@model-gateway/shared/errors';
import { type ServerOptions, type WebSocket, WebSocketServer } from 'ws';
import { ClientGone, type Exchange } from '../http/exchange.ts';

/** Room for the members that a message has besides the body. */
const ENVELOPE_BYTES = 64 * 1024;
/** How long a client may take to answer a close frame. */
const CLOSE_MS = 2_000;

/**
 * Changes the protocol of an exchange's connection.
 * @param head bytes that arrived after the request
 * @throws GatewayError 400 if the request is no valid upgrade; ClientGone
 */
export function acceptWebSocket({ req, res }: Exchange, head: Buffer, maxBodyBytes: number): WebSocket {
  // `closeTimeout` is missing in the types.
  const options: ServerOptions & { closeTimeout: number } = {
    noServer: true,
    clientTracking: false,
    closeTimeout: CLOSE_MS,
    maxPayload: maxBodyBytes + ENVELOPE_BYTES,
  };
  const server = new WebSocketServer(options);
  server.on('wsClientError', (error) => {
    throw malformedRequest(`${error.message}.`);
  });
  server.on('headers', (headers) => {
    for (const [name, value] of Object.entries(res.getHeaders()))
      if (name !== 'connection') headers.push(`${name}: ${String(value)}`);
  });
  let accepted: WebSocket | undefined;
  server.handleUpgrade(req, req.socket, head, (ws) => {
    accepted = ws;
  });
  if (accepted === undefined) throw new ClientGone();
  res.statusCode = SWITCHING_PROTOCOLS;
  return accepted;
}

const SWITCHING_PROTOCOLS = 101;
