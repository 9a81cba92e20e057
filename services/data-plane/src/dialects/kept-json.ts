import { writeExactJson } from '../json/exact-json.ts';
import { isObject, type JsonObject } from '../translation/json-object.ts';
import { parsedExactJson } from '../translation/parsed-json.ts';

/**
 * What a provider wants back in the next turn, in the one place that the caller's API has for such things. It
 * says all that is needed: no later request depends on what a gateway remembers.
 */
const MARK = 'kept-by-model-gateway.';

export function keepJson(kept: object): string {
  return MARK + Buffer.from(writeExactJson(kept)).toString('base64url');
}

/** @returns undefined for what comes from elsewhere */
export function keptJson(opaque: string): JsonObject | undefined {
  if (!opaque.startsWith(MARK)) return undefined;
  const kept = parsedExactJson(Buffer.from(opaque.slice(MARK.length), 'base64url').toString());
  return isObject(kept) ? kept : undefined;
}
