import type { IncomingMessage } from 'node:http';
import { type ErrorShape, errorBody, messagesErrorBody } from '@model-gateway/shared';

/** Every client of Anthropic's API sends it. */
export const ANTHROPIC_VERSION = 'anthropic-version';

const MODELS = /^\/v1\/models(?:[/?]|$)/;

/** Whether models, and errors about them, are to have Anthropic's form. */
export function isMessagesClient({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): boolean {
  return headers[ANTHROPIC_VERSION] !== undefined && MODELS.test(url);
}

export function errorShapeFor(req: Pick<IncomingMessage, 'headers' | 'url'>): ErrorShape {
  return isMessagesClient(req) ? messagesErrorBody : errorBody;
}
