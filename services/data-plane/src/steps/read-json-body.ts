import type { IncomingMessage } from 'node:http';
import { headerValues } from '@model-gateway/service-kit';
import { formatIssues, GatewayError } from '@model-gateway/shared';
import type { z } from 'zod';
import type { BodyBudget } from '../http/body-budget.ts';
import { readBody } from '../http/read-body.ts';
import { membersInBytes } from '../json/edit-json.ts';
import { type JsonMember, scanJson } from '../json/scan-json.ts';
import type { Exchange } from '../request-record.ts';

/**
 * A request body that passed: its bytes for the provider, and what the schema picks for the gateway's own decisions.
 * All the rest of its values is forgotten: in memory they take many times the room of the bytes.
 */
export interface JsonBody<Value> {
  value: Value;
  /** As they came. */
  chunks: readonly Buffer[];
  /** In bytes. */
  size: number;
  /** Of its top level, where they stand in the bytes. */
  members: readonly JsonMember[];
}

export interface ReadBodyContext {
  maxJsonBodyBytes: number;
  bodyBudget: BodyBudget;
}

const UTF8 = { fatal: true, ignoreBOM: true };
const utf8 = new TextDecoder('utf-8', UTF8);

/**
 * Reads and checks a JSON body.
 * @throws GatewayError 415, 413, 408, 400, or 503 when too much is being read already; ClientGone
 */
export async function readJsonBody<Schema extends z.ZodType>(
  exchange: Exchange,
  schema: Schema,
  { maxJsonBodyBytes, bodyBudget }: ReadBodyContext,
): Promise<JsonBody<z.infer<Schema>>> {
  requireJson(exchange.req);
  const chunks = await readBody(exchange, maxJsonBodyBytes, bodyBudget);
  const { value, size, members } = parseStrictly(chunks);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, chunks, size, members };
  const [issue] = formatIssues(result.error);
  const path = issue?.path ?? '';
  throw new GatewayError(
    'invalid_request',
    `${path || 'The request body'}: ${issue?.message ?? 'is not valid'}.`,
    {
      ...(path ? { param: path } : {}),
    },
  );
}

function requireJson(req: IncomingMessage): void {
  if (req.headers['content-encoding'] !== undefined) {
    throw unsupported('Send the body without Content-Encoding.');
  }
  const contentTypes = headerValues(req, 'content-type');
  if (contentTypes.length > 1) throw unsupported('Send one Content-Type.');
  const [mediaType = '', ...parameters] = (contentTypes[0] ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') throw unsupported('Send Content-Type: application/json.');
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=', 2).map((part) => part.trim());
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value)) throw unsupported('Send the body as UTF-8.');
  }
}

function parseStrictly(chunks: readonly Buffer[]): { value: unknown; size: number; members: JsonMember[] } {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const text = decode(chunks);
  const members = scanJson(text);
  try {
    const value: unknown = JSON.parse(text);
    const isAscii = text.length === size;
    return { value, size, members: isAscii ? members : membersInBytes(text, members) };
  } catch (cause) {
    const message =
      size === 0 ? 'The request body is empty. Send JSON.' : 'The request body is not valid JSON.';
    throw new GatewayError('invalid_json', message, { cause });
  }
}

function decode(chunks: readonly Buffer[]): string {
  try {
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) return utf8.decode(only);
    const decoder = new TextDecoder('utf-8', UTF8);
    // A character may stand in two of them.
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.', { cause });
  }
}

function unsupported(advice: string): GatewayError {
  return new GatewayError('unsupported_media_type', `The body's media type is not supported. ${advice}`);
}
