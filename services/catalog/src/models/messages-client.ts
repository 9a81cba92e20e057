import type { IncomingMessage } from 'node:http';
import { type ErrorWriter, writeError } from '@model-gateway/service-kit';
import { errorBody, messagesErrorBody } from '@model-gateway/shared';

/** Every client of Anthropic's API sends it. */
export const ANTHROPIC_VERSION = 'anthropic-version';

const MODELS = /^\/v1\/models(?:[/?]|$)/;

/** Returns true if models, and errors about them, must have Anthropic's form. */
export function isMessagesClient({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean {
  return headers[ANTHROPIC_VERSION] !== undefined && MODELS.test(url);
}

/** Writes an error in the form of the client: Anthropic's or OpenAI's. */
export const writeClientError: ErrorWriter = (req, res, error) =>
  writeError(res, error, isMessagesClient(req) ? messagesErrorBody : errorBody);
