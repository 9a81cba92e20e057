import type { FormField } from '@model-gateway/dialects';
import { formatIssues, type KnownMembers, plainWords } from '@model-gateway/shared';
import { invalidField, misspeltField } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import { requirePlainNames } from '../json/require-plain-names.ts';

/** Lists repeat one field name with this suffix: `known_speaker_names[]`. */
const LIST_SUFFIX = '[]';
/** Parts of a name that some parsers of forms drop: `n[]`, `n[0]`, ` n`, and everything from a NUL on. */
const DROPPED = /\[[^\]]*\]$|\0.*|\s/gs;

/**
 * Returns the fields that are not lists.
 * @throws GatewayError 400 for a field that appears twice or has another spelling
 */
export function singleFields(fields: readonly FormField[], known: KnownMembers): Record<string, string> {
  requirePlainNames(fields, known);
  const single: Record<string, string> = {};
  for (const { name, value } of fields) {
    const plain = name.replace(DROPPED, '');
    if (plain !== name && known.has(plain) && !known.has(name)) throw misspeltField(name, plain);
    if (name.endsWith(LIST_SUFFIX)) continue;
    if (Object.hasOwn(single, name)) throw invalidField(name, 'is there twice');
    single[name] = value;
  }
  return single;
}

/** @throws GatewayError 400 that names the first wrong field */
export function parseFields<Schema extends z.ZodType>(
  schema: Schema,
  fields: Record<string, string>,
): z.infer<Schema> {
  const result = schema.safeParse(fields, { error: plainWords });
  if (result.success) return result.data;
  const [issue] = formatIssues(result.error);
  throw invalidField(issue?.path ?? '', issue?.message ?? 'is not valid');
}
