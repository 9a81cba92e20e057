import { CALLERS_MODELS, CALLERS_NOTES, CALLERS_SESSION, isMediaPart } from '@model-gateway/shared';
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
  'suffix',
]);
/** Members that the model never reads. */
const NO_PROMPT = new Set([
  'model',
  CALLERS_MODELS,
  CALLERS_NOTES,
  CALLERS_SESSION,
  'metadata',
  'client_metadata',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'logit_bias',
  'stop',
]);
/** Unknown members up to this size count as settings; longer ones may be text for the model. */
const MAX_SETTING_BYTES = 4_096;
/** Shorter texts without a space, which look like base64, are not media. */
const MIN_MEDIA_BYTES = 256;
const BASE64 = /^[A-Za-z0-9+/_=\r\n-]+$/;
const URL = /^(?:data:|https?:\/\/)[\x21-\x7e]*$/;

/**
 * @param request JSON; `mediaTokens`: tokens of images, audio and files, which bytes do not show
 * @param knownBytes `promptBytes` of a large request, which is not parsed again
 */
export function estimatedPromptTokens(
  request: readonly Buffer[],
  mediaTokens: number,
  knownBytes?: number,
): number {
  const bytes = knownBytes ?? promptBytes(JSON.parse(Buffer.concat(request).toString()));
  return estimatedTokens(bytes) + mediaTokens;
}

/** Counts the bytes of a chat request, in any API, that the model reads. Media do not count. */
export function promptBytes(request: object): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(request)) {
    if (name === 'messages') bytes += messageBytes(value);
    else if (name === 'input') bytes += inputBytes(value);
    else if (name === 'prompt' && isText(value)) bytes += textBytes(value);
    else if (PROMPT_MEMBERS.has(name)) bytes += jsonBytes(value);
    else if (!NO_PROMPT.has(name)) {
      const size = jsonBytes(value);
      if (size > MAX_SETTING_BYTES) bytes += size;
    }
  }
  return bytes;
}

/** The prompt of a completion. In Responses it is an object with the id of a stored one. */
function isText(prompt: unknown): boolean {
  return typeof prompt === 'string' || Array.isArray(prompt);
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

/** Members of Responses items with the text of users, models and tools. */
const TEXT_MEMBERS = new Set(['content', 'summary', 'output']);

type Members = Readonly<Record<string, unknown>>;

function hasMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null;
}

/** Counts the `input` of Responses: a text, or items. In other APIs it may be anything. */
function inputBytes(input: unknown): number {
  if (!Array.isArray(input)) return textBytes(input);
  let bytes = 0;
  for (const item of input) bytes += hasMembers(item) ? itemBytes(item) : textBytesBesidesMedia(item);
  return bytes;
}

function itemBytes(item: Members): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item)) {
    if (TEXT_MEMBERS.has(name)) bytes += contentBytes(value);
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

function contentBytes(value: unknown): number {
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

/** Returns true for a URL, and for the base64 of an image, a recording or a file. */
function isMedia(text: string): boolean {
  return URL.test(text) || (text.length >= MIN_MEDIA_BYTES && BASE64.test(text));
}
