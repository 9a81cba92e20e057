import type { JsonObject } from '../../json/json-object.ts';
import { GEMINI_FORMAT } from '../../translation/reasoning-format.ts';

/** Data that Gemini needs back in the next turn. @param index of the entry in the response */
export function signedThought(text: string, signature: string, index: number): JsonObject {
  return { type: 'reasoning.text', text, signature, format: GEMINI_FORMAT, index };
}

export function textSignature(signature: string, index: number): JsonObject {
  return { type: 'reasoning.encrypted', data: signature, format: GEMINI_FORMAT, index };
}

/** Extra data of a call. `id` is set only if Gemini sent an id. */
export interface CallExtra {
  thought_signature?: string;
  id?: string;
}

export function callExtraOf({ id, thought_signature }: CallExtra): JsonObject {
  if (id === undefined && thought_signature === undefined) return {};
  const google = {
    ...(thought_signature === undefined ? {} : { thought_signature }),
    ...(id === undefined ? {} : { id }),
  };
  return { extra_content: { google } };
}
