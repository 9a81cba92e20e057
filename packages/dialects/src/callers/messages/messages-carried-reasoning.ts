import { isObject, type JsonObject } from '../../json/json-object.ts';
import { CLAUDE_FORMAT } from '../../translation/reasoning-format.ts';
import { readCarriedState, writeCarriedState } from '../carried-state.ts';

/**
 * Reasoning that a provider needs back, in the signature of a thinking block or the data of a redacted one.
 * Claude's values stay unchanged; those of other providers are wrapped.
 */
export interface CarriedReasoning {
  /** The provider's member of reasoning, if it is not `reasoning_content`. */
  field?: 'reasoning';
  detail?: JsonObject;
  call?: { id: string; extra_content: unknown };
}

/** Marks reasoning without signature as another provider's: Claude refuses what it did not sign. */
export const CARRIED_UNSIGNED = carryReasoning({});
/** For providers that send `reasoning` and accept it only there. */
export const CARRIED_IN_REASONING = carryReasoning({ field: 'reasoning' });

export function carryReasoning(reasoning: CarriedReasoning): string {
  return writeCarriedState(reasoning);
}

/** @returns undefined for values of other origin */
export function readCarriedReasoning(opaque: string): CarriedReasoning | undefined {
  const state = readCarriedState(opaque);
  if (state === undefined) return undefined;
  const { call, detail, field } = state;
  return {
    ...(field === 'reasoning' ? { field } : {}),
    ...(isObject(detail) ? { detail } : {}),
    ...(isObject(call) && typeof call.id === 'string'
      ? { call: { id: call.id, extra_content: call.extra_content } }
      : {}),
  };
}

/** Entries without a format count as Claude's. */
function isClaudes({ format }: JsonObject): boolean {
  return format === undefined || format === null || format === CLAUDE_FORMAT;
}

/** Converts an entry of `reasoning_details` to a signature, the data of a redacted block, or neither. */
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

export function signedDetail(text: string, signature: string): JsonObject {
  return { type: 'reasoning.text', text, signature, format: CLAUDE_FORMAT };
}

export function encryptedDetail(data: string): JsonObject {
  return { type: 'reasoning.encrypted', data, format: CLAUDE_FORMAT };
}
