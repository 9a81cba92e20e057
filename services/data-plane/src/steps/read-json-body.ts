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
  bytes: Buffer;
  /** Of its top level, where they stand in the bytes. */
  members: readonly JsonMember[];
}

export interface ReadBodyContext {
  maxJsonBodyBytes: number;
  bodyBudget: BodyBudget;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

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
  const bytes = await readBody(exchange, maxJsonBodyBytes, bodyBudget);
  const { value, members } = parseStrictly(bytes);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, bytes, members };
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

function parseStrictly(bytes: Buffer): { value: unknown; members: JsonMember[] } {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.', { cause });
  }
  const members = scanJson(text);
  try {
    const value: unknown = JSON.parse(text);
    const isAscii = text.length === bytes.length;
    return { value, members: isAscii ? members : membersInBytes(text, members) };
  } catch (cause) {
    const message =
      bytes.length === 0 ? 'The request body is empty. Send JSON.' : 'The request body is not valid JSON.';
    throw new GatewayError('invalid_json', message, { cause });
  }
}

function unsupported(advice: string): GatewayError {
  return new GatewayError('unsupported_media_type', `The body's media type is not supported. ${advice}`);
}
