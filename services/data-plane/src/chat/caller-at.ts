import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicError } from '@model-gateway/shared';
import { type CallerProtocol, OPENAI_CALLER } from '../http/caller-protocol.ts';
import { MESSAGES_CALLER } from '../http/messages-caller.ts';

const MESSAGES = /^\/v1\/messages(?:[/?]|$)/;

/**
 * The API of whoever asks for a path, whether there is such a route or not.
 * @param target with or without a query
 */
export function callerAt(target: string): CallerProtocol {
  return MESSAGES.test(target) ? MESSAGES_CALLER : OPENAI_CALLER;
}

/** Answers with an error before any route has the request, or where one has failed. */
export function writeErrorAt(req: IncomingMessage, res: ServerResponse, error: PublicError): void {
  callerAt(req.url ?? '').writeError(res, error);
}
