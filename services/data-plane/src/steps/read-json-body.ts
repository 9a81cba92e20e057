import type { IncomingMessage } from 'node:http';
import { formatIssues, GatewayError } from '@model-gateway/shared';
import type { z } from 'zod';
import { readBody } from '../http/read-body.ts';
import { type JsonMember, scanJson } from '../json/scan-json.ts';
import type { Exchange } from '../request-record.ts';

/** A request body that passed: its values for the gateway's own decisions, its text for the provider. */
export interface JsonBody<Value> {
  value: Value;
  text: string;
  members: readonly JsonMember[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads and checks a JSON body.
 * @throws GatewayError 415, 413, 408 or 400; ClientGone
 */
export async function readJsonBody<Schema extends z.ZodType>(
  exchange: Exchange,
  schema: Schema,
  maxBytes: number,
): Promise<JsonBody<z.infer<Schema>>> {
  requireJson(exchange.req);
  const bytes = await readBody(exchange, maxBytes);
  const { text, value, members } = parseStrictly(bytes);
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, text, members };
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
  const [mediaType = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (mediaType.trim() !== 'application/json') throw unsupported('Send Content-Type: application/json.');
  for (const parameter of parameters) {
    const [name, value = ''] = parameter.trim().split('=', 2);
    if (name === 'charset' && !/^"?utf-?8"?$/.test(value)) throw unsupported('Send the body as UTF-8.');
  }
}

function parseStrictly(bytes: Buffer): { text: string; value: unknown; members: JsonMember[] } {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new GatewayError('invalid_json', 'The request body is not valid UTF-8.', { cause });
  }
  const members = scanJson(text);
  try {
    const value: unknown = JSON.parse(text);
    return { text, value, members };
  } catch (cause) {
    const message =
      bytes.length === 0 ? 'The request body is empty. Send JSON.' : 'The request body is not valid JSON.';
    throw new GatewayError('invalid_json', message, { cause });
  }
}

function unsupported(advice: string): GatewayError {
  return new GatewayError('unsupported_media_type', `The body's media type is not supported. ${advice}`);
}
