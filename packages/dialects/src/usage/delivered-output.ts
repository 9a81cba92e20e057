import { textBytes } from './usage.ts';

/** Members of a message that are no output: a chunk with only these delivers nothing. */
const NO_TEXT_NAMES = [
  'role',
  'id',
  'type',
  'index',
  'data',
  'b64_json',
  'url',
  'expires_at',
  'signature',
  'format',
];
const NO_TEXT = { except: new Set(NO_TEXT_NAMES) };
const NO_TEXT_TWICE = { except: new Set([...NO_TEXT_NAMES, 'reasoning_details']) };

/** @param output text in any shape, or the length of large output */
export function bytesOf(output: unknown): number {
  return typeof output === 'number' ? output : textBytes(output, NO_TEXT);
}

/** @param output a message of Chat Completions, or a delta of one */
export function bytesOfMessage(output: unknown): number {
  return textBytes(output, repeatsReasoning(output) ? NO_TEXT_TWICE : NO_TEXT);
}

function repeatsReasoning(output: unknown): boolean {
  if (typeof output !== 'object' || output === null || !('reasoning_details' in output)) return false;
  return 'reasoning_content' in output || 'reasoning' in output;
}

/** Counts generated images, which some models return beside text. */
export function imagesOf(output: unknown): number {
  if (typeof output !== 'object' || output === null || !('images' in output)) return 0;
  return Array.isArray(output.images) ? output.images.length : 0;
}

/** Returns true for a message, or a delta, with thought but without an answer. */
export function isThought(output: unknown): boolean {
  if (typeof output !== 'object' || output === null) return false;
  if ('thinking' in output) return true;
  const hasThought = 'reasoning_content' in output || 'reasoning' in output || 'reasoning_details' in output;
  return hasThought && !hasValue(output, 'content') && !hasValue(output, 'tool_calls');
}

function hasValue(output: object, name: 'content' | 'tool_calls'): boolean {
  const value: unknown = Reflect.get(output, name);
  return value !== undefined && value !== null && value !== '';
}
