import {
  editableMembers,
  type JsonMember,
  membersInBytes,
  scanJson,
  totalLength,
  type ValidatedJson,
} from '@model-gateway/dialects';
import { checkJson, type KnownMembers } from '@model-gateway/shared';
import { emptyBody, invalidBody, notJson, notUtf8 } from '@model-gateway/shared/errors';
import { z } from 'zod';
import { requireListed } from './request-schemas.ts';
import { requirePlainNames } from './require-plain-names.ts';

export interface ValidateOptions {
  /** Maximum number of keys and values, see `scanJson`. */
  maxValues?: number;
  countInput?: (value: unknown) => number | undefined;
}

const UTF8 = { fatal: true, ignoreBOM: true };
const utf8 = new TextDecoder('utf-8', UTF8);

/** Parses and checks JSON. @throws GatewayError `invalid_json`, `invalid_request`; TooMuchForOneTurn */
export function validateJson<Schema extends z.ZodType>(
  chunks: readonly Uint8Array[],
  schema: Schema,
  { maxValues, countInput }: ValidateOptions = {},
): ValidatedJson<z.infer<Schema>> {
  const listed = requireListed(schema);
  const { value, size, members } = parseStrictly(chunks, listed.members, maxValues);
  listed.compiled ??= z.compile(schema);
  const result = checkJson(listed.compiled, value);
  if (!result.success) throw invalidBody(result.error);
  // The compiled schema has the same output.
  return { value: result.data as z.infer<Schema>, size, members, inputBytes: countInput?.(value) };
}

function parseStrictly(
  chunks: readonly Uint8Array[],
  known: KnownMembers,
  maxValues: number | undefined,
): { value: unknown; size: number; members: JsonMember[] } {
  const size = totalLength(chunks);
  const text = decode(chunks);
  const all = scanJson(text, maxValues);
  requirePlainNames(all, known);
  const members = editableMembers(all);
  try {
    const value: unknown = JSON.parse(text);
    const isAscii = text.length === size;
    return { value, size, members: isAscii ? members : membersInBytes(text, members) };
  } catch (cause) {
    throw size === 0 ? emptyBody(cause) : notJson(cause);
  }
}

function decode(chunks: readonly Uint8Array[]): string {
  try {
    const [only] = chunks;
    if (chunks.length === 1 && only !== undefined) return utf8.decode(only);
    const decoder = new TextDecoder('utf-8', UTF8);
    // A character may span two chunks.
    return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
  } catch (cause) {
    throw notUtf8(cause);
  }
}
