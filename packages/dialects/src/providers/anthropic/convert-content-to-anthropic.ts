import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import { parseDataUrl } from '../shared/parse-data-url.ts';

/** The author of the content: only users and tools send images and files. */
export type Speaker = 'system' | 'user' | 'assistant' | 'tool';

const PICTURE_TYPES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const PDF = 'application/pdf';
const PLAIN_TEXT = 'text/plain';

/** Leaves out texts without a visible character, which Anthropic refuses. @param path of the content */
export function convertContentToAnthropic(
  content: unknown,
  path: string,
  speaker: Speaker,
  reader: FieldReader,
): JsonObject[] {
  if (typeof content === 'string') return textBlocks(content);
  return listAt(content ?? [], path).flatMap((part, index) => {
    return blocksOf(part, `${path}[${index}]`, speaker, reader);
  });
}

export function textBlocks(text: string, cacheControl?: unknown): JsonObject[] {
  if (text.trim() === '') return [];
  return [{ type: 'text', text, ...cached(cacheControl) }];
}

export function cached(cacheControl: unknown): JsonObject {
  return cacheControl === undefined ? {} : { cache_control: cacheControl };
}

function blocksOf(given: unknown, path: string, speaker: Speaker, reader: FieldReader): JsonObject[] {
  const part = reader.members(given, path);
  switch (part.type) {
    case 'text':
      return textBlocks(textAt(part.text, `${path}.text`), part.cache_control);
    case 'refusal':
      return textBlocks(textAt(part.refusal, `${path}.refusal`), part.cache_control);
    case 'image_url':
    case 'file': {
      if (speaker !== 'user' && speaker !== 'tool') break;
      const block = part.type === 'file' ? file(part, path, reader) : picture(part, path, reader);
      return [{ ...block, ...cached(part.cache_control) }];
    }
  }
  throw reader.refusal(`${path}.type`, 'takes no such part in a message of this role');
}

function picture(part: JsonObject, path: string, reader: FieldReader): JsonObject {
  const at = `${path}.image_url`;
  // Some clients send only the URL.
  const isAlone = typeof part.image_url === 'string';
  const url = isAlone ? part.image_url : reader.members(part.image_url, at).url;
  const urlAt = isAlone ? at : `${at}.url`;
  const source = sourceOf(textAt(url, urlAt));
  if (source?.type === 'url') return { type: 'image', source };
  if (source?.type === 'base64' && PICTURE_TYPES.has(source.media_type)) return { type: 'image', source };
  throw reader.refusal(urlAt, 'takes a URL of http(s), or a JPEG, PNG, GIF or WebP in base64');
}

function file(part: JsonObject, path: string, reader: FieldReader): JsonObject {
  const at = `${path}.file`;
  const { file_data, filename } = reader.members(part.file, at);
  const source = sourceOf(textAt(file_data, `${at}.file_data`));
  const title = filename === undefined ? {} : { title: textAt(filename, `${at}.filename`) };
  if (source?.type === 'url') return { type: 'document', source, ...title };
  if (source?.media_type === PDF) return { type: 'document', source, ...title };
  if (source?.media_type === PLAIN_TEXT) {
    const data = Buffer.from(source.data, 'base64').toString();
    return { type: 'document', source: { type: 'text', media_type: PLAIN_TEXT, data }, ...title };
  }
  if (source !== undefined && PICTURE_TYPES.has(source.media_type)) return { type: 'image', source };
  throw reader.refusal(`${at}.file_data`, 'takes a URL of http(s), or a PDF, text or picture in base64');
}

type Source = { type: 'url'; url: string } | { type: 'base64'; media_type: string; data: string };

function sourceOf(url: string): Source | undefined {
  if (/^https?:\/\//i.test(url)) return { type: 'url', url };
  const parsed = parseDataUrl(url);
  return parsed && { type: 'base64', media_type: parsed.mediaType, data: parsed.data };
}
