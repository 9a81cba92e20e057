import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/shared';
import { webSocketRefused } from '@model-gateway/shared/errors';

/** Paths where OpenAI's clients try WebSocket before HTTP. */
const TRIED: ReadonlySet<string> = new Set(['/v1/responses']);

/** Returns a better error than 405 for a WebSocket handshake. */
export function refusedMethod(path: string, { headers }: IncomingMessage): GatewayError | undefined {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && TRIED.has(path) ? webSocketRefused() : undefined;
}
