import type { IncomingMessage } from 'node:http';
import { type JsonBody, TooManyValues, totalLength, type ValidatedJson } from '@model-gateway/dialects';
import { headerValues } from '@model-gateway/service-kit';
import { unsupportedBody } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import type { JsonQueue } from '../json/json-queue.ts';
import { validateJson } from '../json/validate-json.ts';
import type { MemoryBudget } from '../memory/memory-budget.ts';
import { continueWith } from './continue-with.ts';
import type { AuthenticatedExchange } from './exchange.ts';
import type { MinimumRate } from './minimum-rate.ts';
import { readBody } from './read-body.ts';

export interface ValidateBodyContext {
  jsonQueue: Pick<JsonQueue, 'take'>;
}

export interface ReadBodyContext extends ValidateBodyContext {
  maxJsonBodyBytes: number;
  bodyBudget: MemoryBudget;
  minimumRate: MinimumRate;
}

/**
 * Bodies up to this size and number of keys and values are parsed at once, within a few milliseconds. Others
 * may take a second and go to the worker thread.
 */
const MAX_INLINE_BYTES = 1024 * 1024;
const MAX_INLINE_VALUES = 5_000;
const JSON_TYPE = 'application/json';

/**
 * Reads and validates a JSON body.
 * @param checkLarge see `readBody`
 * @returns no promise for a small body that has arrived whole
 * @throws GatewayError 415, 413, 408, 400, or 503 without memory; what `checkLarge` throws; ClientGone
 */
export function readJsonBody<Schema extends z.ZodType>(
  exchange: AuthenticatedExchange,
  schema: Schema,
  context: ReadBodyContext,
  checkLarge: (arrived: readonly Buffer[]) => void,
): JsonBody<z.infer<Schema>> | Promise<JsonBody<z.infer<Schema>>> {
  const { maxJsonBodyBytes: maxBytes, bodyBudget: budget, minimumRate } = context;
  requireJson(exchange.req);
  return continueWith(readBody(exchange, { maxBytes, budget, minimumRate, checkLarge }), (chunks) =>
    validateBody(exchange, schema, chunks, context, checkLarge),
  );
}

/**
 * Validates a JSON body that has arrived: a small one at once, a large one in the worker thread.
 * @param checkLarge called when the thread is free for a large one
 * @throws GatewayError 400; what `checkLarge` throws; ClientGone
 */
export function validateBody<Schema extends z.ZodType>(
  { record: { key }, stop }: AuthenticatedExchange,
  schema: Schema,
  chunks: readonly Buffer[],
  { jsonQueue }: ValidateBodyContext,
  checkLarge: (arrived: readonly Buffer[]) => void,
): JsonBody<z.infer<Schema>> | Promise<JsonBody<z.infer<Schema>>> {
  const inline = validateInline(chunks, schema);
  if (inline !== undefined) return Object.assign(inline, { chunks, isLarge: false });
  return jsonQueue
    .take({ owner: key, schema, chunks, signal: stop.signal, check: () => checkLarge(chunks) })
    .then((large) => ({ ...large, isLarge: true }));
}

/** Validates a small body at once. @returns undefined if it would block others. @throws GatewayError */
function validateInline<Schema extends z.ZodType>(
  chunks: readonly Buffer[],
  schema: Schema,
): ValidatedJson<z.infer<Schema>> | undefined {
  if (totalLength(chunks) > MAX_INLINE_BYTES) return undefined;
  try {
    return validateJson(chunks, schema, { maxValues: MAX_INLINE_VALUES });
  } catch (thrown) {
    if (thrown instanceof TooManyValues) return undefined;
    throw thrown;
  }
}

function requireJson(req: IncomingMessage): void {
  if (req.headers['content-encoding'] !== undefined) {
    throw unsupportedBody('Send the body without Content-Encoding.');
  }
  const contentTypes = headerValues(req, 'content-type');
  if (contentTypes.length > 1) throw unsupportedBody('Send one Content-Type.');
  const [contentType = ''] = contentTypes;
  // Fast path: most clients send exactly this.
  if (contentType === JSON_TYPE) return;
  const [mediaType = '', ...parameters] = contentType.toLowerCase().split(';');
  if (mediaType.trim() !== JSON_TYPE) throw unsupportedBody('Send Content-Type: application/json.');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value)) throw unsupportedBody('Send the body as UTF-8.');
  }
}
