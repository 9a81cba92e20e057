import type { IncomingMessage } from 'node:http';
import type { GatewayError } from '@model-gateway/shared';
import { webSocketRefused } from '@model-gateway/shared/errors';

/** Where clients of OpenAI's API may try WebSocket before HTTP. */
const TRIED: ReadonlySet<string> = new Set(['/v1/responses']);

/**
 * Adds to the 405 of a path where the list of methods is not enough.
 * @param path the route
 */
export function refusedMethod(path: string, { headers }: IncomingMessage): GatewayError | undefined {
  const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket';
  return isWebSocket && TRIED.has(path) ? webSocketRefused() : undefined;
}
