import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/shared';
import { webSocketRefused } from '@model-gateway/shared/errors';

/** Where clients of OpenAI's API may try WebSocket before HTTP. */
const TRIED: ReadonlySet<string> = new Set(['/v1/responses']);

/**
 * What a path says of a method that it does not have, where that is more than the methods that it has.
 * @param path the route
 */
export function refusedMethod(path: string, { headers }: IncomingMessage): GatewayError | undefined {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && TRIED.has(path) ? webSocketRefused() : undefined;
}
