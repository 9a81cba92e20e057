import { isObject, type JsonObject } from '../../json/json-object.ts';
import { CLAUDE_FORMAT } from '../../translation/reasoning-format.ts';
import { readCarriedState, writeCarriedState } from '../carried-state.ts';

/**
 * Reasoning that a provider needs back in the next turn: members of an entry of `reasoning_details`, or extra
 * data of a tool call. Messages has two places for it: the signature of a thinking block and the data of a
 * redacted one. Claude's values stand there unchanged; those of other providers are wrapped in a form of this
 * gateway, and unwrapped again.
 */
export interface CarriedReasoning {
  /** The member in which the provider writes its reasoning, where that is not `reasoning_content`. */
  field?: 'reasoning';
  detail?: JsonObject;
  call?: { id: string; extra_content: unknown };
}

/**
 * For reasoning without a signature: that says that it is not Claude's, which refuses what it has not signed.
 */
export const CARRIED_UNSIGNED = carryReasoning({});
/** The same in `reasoning`: providers that write it there take it back there alone. */
export const CARRIED_IN_REASONING = carryReasoning({ field: 'reasoning' });

export function carryReasoning(kept: CarriedReasoning): string {
  return writeCarriedState(kept);
}

/** @returns undefined for what comes from elsewhere */
export function readCarriedReasoning(opaque: string): CarriedReasoning | undefined {
  const kept = readCarriedState(opaque);
  if (kept === undefined) return undefined;
  const { call, detail, field } = kept;
  return {
    ...(field === 'reasoning' ? { field } : {}),
    ...(isObject(detail) ? { detail } : {}),
    ...(isObject(call) && typeof call.id === 'string'
      ? { call: { id: call.id, extra_content: call.extra_content } }
      : {}),
  };
}

/** Returns true if an entry of `reasoning_details` is Claude's, or says nothing else. */
function isClaudes({ format }: JsonObject): boolean {
  return format === undefined || format === null || format === CLAUDE_FORMAT;
}

/**
 * Returns the place of an entry of `reasoning_details`: a signature, the data of a redacted block, or
 * neither.
 */
export function opaqueOf(detail: JsonObject): { signature?: string; data?: string } {
  const { data, index: _index, signature, text: _text, type, ...rest } = detail;
  if (type === 'reasoning.encrypted')
    return { data: isClaudes(detail) && typeof data === 'string' ? data : carryReasoning({ detail }) };
  if (type === 'reasoning.summary') return {};
  if (type === 'reasoning.text') {
    if (typeof signature !== 'string' || signature === '') return {};
    return {
      signature: isClaudes(detail) ? signature : carryReasoning({ detail: { ...rest, type, signature } }),
    };
  }
  return { data: carryReasoning({ detail }) };
}

/** The entry of `reasoning_details` that a signed text was. */
export function signedDetail(text: string, signature: string): JsonObject {
  return { type: 'reasoning.text', text, signature, format: CLAUDE_FORMAT };
}

export function encryptedDetail(data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format: CLAUDE_FORMAT };
}
