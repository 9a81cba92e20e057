import type { IncomingMessage, ServerResponse } from 'node:http';
import type { PublicError } from '@model-gateway/shared';
import { type CallerProtocol, OPENAI_CALLER } from '../http/caller-protocol.ts';
import { MESSAGES_CALLER } from '../http/messages-caller.ts';

const MESSAGES = /^\/v1\/messages(?:[/?]|$)/;

/**
 * Returns the caller API of a path, also of an unknown one.
 * @param target with or without a query
 */
export function callerAt(target: string): CallerProtocol {
  return MESSAGES.test(target) ? MESSAGES_CALLER : OPENAI_CALLER;
}

/** Writes an error for a request that no route handles, or whose route failed. */
export function writeErrorAt(req: IncomingMessage, res: ServerResponse, error: PublicError): void {
  callerAt(req.url ?? '').writeError(res, error);
}
