import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorBody, type GatewayError, newId } from '@model-gateway/shared';
import { REQUEST_ID_HEADER, requestIdOf } from './request-id.ts';

/** The only writer of error answers over HTTP. Does nothing once headers are out or the client is gone. */
export function writeError(res: ServerResponse, error: GatewayError): void {
  if (res.headersSent || res.destroyed) return;
  const body = JSON.stringify(errorBody(error, requestIdOf(res)));
  for (const [name, value] of Object.entries(error.headers)) res.setHeader(name, value);
  res.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  res.end(body);
}

/** The same answer on a connection whose request never became one (broken framing); the connection ends. */
export function writeErrorToSocket(socket: Duplex, error: GatewayError): void {
  const requestId = newId('req');
  const body = JSON.stringify(errorBody(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'cache-control: no-store',
    'connection: close',
    `${REQUEST_ID_HEADER}: ${requestId}`,
    ...Object.entries(error.headers).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
