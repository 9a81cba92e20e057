import { CALLERS_MODELS, CALLERS_NOTES, isMediaPart } from '@model-gateway/shared';
import { estimatedTokens, textBytes } from './usage.ts';

/** Members that the model reads as text besides the messages. */
const PROMPT_MEMBERS = new Set([
  'system',
  'instructions',
  'text',
  'tools',
  'functions',
  'response_format',
  'tool_choice',
  'function_call',
  'prediction',
]);
/** Members that the model never reads. */
const NO_PROMPT = new Set([
  'model',
  CALLERS_MODELS,
  CALLERS_NOTES,
  'metadata',
  'client_metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'logit_bias',
  'stop',
]);
/** Unknown members count as settings up to this size; longer ones may be text for the model. */
const LONGEST_SETTING_BYTES = 4_096;
/** Shorter texts often have no space. */
const LEAST_MEDIA_BYTES = 256;
const BASE64 = /^[A-Za-z0-9+/_=\r\n-]+$/;
const URL = /^(?:data:|https?:\/\/)[\x21-\x7e]*$/;

/**
 * @param request JSON; `mediaTokens`: tokens of images, audio and files, which their bytes do not show
 * @param knownBytes `promptBytes` of a large request, which is parsed only once
 */
export function estimatedPromptTokens(
  request: readonly Buffer[],
  mediaTokens: number,
  knownBytes?: number,
): number {
  const bytes = knownBytes ?? promptBytes(JSON.parse(Buffer.concat(request).toString()));
  return estimatedTokens(bytes) + mediaTokens;
}

/** The bytes of a chat request in any of its APIs that the model reads, without media. */
export function promptBytes(request: object): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(request)) {
    if (name === 'messages') bytes += messageBytes(value);
    else if (name === 'input') bytes += inputBytes(value);
    else if (PROMPT_MEMBERS.has(name)) bytes += jsonBytes(value);
    else if (!NO_PROMPT.has(name)) {
      const size = jsonBytes(value);
      if (size > LONGEST_SETTING_BYTES) bytes += size;
    }
  }
  return bytes;
}

function messageBytes(messages: unknown): number {
  if (!Array.isArray(messages)) return 0;
  let bytes = 0;
  for (const message of messages) {
    for (const [name, value] of Object.entries(message)) {
      if (name !== 'content') bytes += textBytesBesidesMedia(value);
      else if (!Array.isArray(value)) bytes += textBytes(value);
      else
        for (const part of value) bytes += isMediaPart(part) ? textBytesBesidesMedia(part) : textBytes(part);
    }
  }
  return bytes;
}

/** Where items of Responses have the text that users, models and tools have written. */
const WRITTEN = new Set(['content', 'summary', 'output']);

type Members = Readonly<Record<string, unknown>>;

function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** The input of a request of Responses: a text, or items. In other APIs a caller may send anything there. */
function inputBytes(input: unknown): number {
  if (!Array.isArray(input)) return textBytes(input);
  let bytes = 0;
  for (const item of input) bytes += hasMembers(item) ? itemBytes(item) : textBytesBesidesMedia(item);
  return bytes;
}

function itemBytes(item: Members): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (WRITTEN.has(name)) bytes += writtenBytes(value);
    // Encrypted reasoning repeats its summary, or the model drops it.
    else if (name !== 'encrypted_content' || item.type !== 'reasoning') bytes += textBytesBesidesMedia(value);
  }
  return bytes;
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set([
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'text',
  'refusal',
]);

function writtenBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (!Array.isArray(value)) return textBytesBesidesMedia(value);
  let bytes = 0;
  for (const part of value) {
    const isText = hasMembers(part) && TEXT_PARTS.has(part.type);
    bytes += isText ? textBytes(part) : textBytesBesidesMedia(part);
  }
  return bytes;
}

function textBytesBesidesMedia(value: unknown): number {
  return textBytes(value, { isText: (text) => !isMedia(text) });
}

function jsonBytes(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const text = JSON.stringify(value, (_name, entry: unknown) =>
    typeof entry === 'string' && isMedia(entry) ? '' : entry,
  );
  return Buffer.byteLength(text);
}

/** Bytes of an image, a recording or a file, or where they are to be found. */
function isMedia(text: string): boolean {
  return URL.test(text) || (text.length >= LEAST_MEDIA_BYTES && BASE64.test(text));
}
