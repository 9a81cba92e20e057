import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';
import { parseDataUrl } from '../shared/parse-data-url.ts';

/** The author of the content: only users and tools send images and files. */
export type Speaker = 'system' | 'user' | 'model' | 'tool';

/** Media types by the extension of a URL, because Google requires a type. */
const TYPES: Readonly<Record<string, string>> = {
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  gif: 'image/gif',
  heic: 'image/heic',
  heif: 'image/heif',
  pdf: 'application/pdf',
  txt: 'text/plain',
  csv: 'text/csv',
  html: 'text/html',
  md: 'text/markdown',
  mp3: 'audio/mp3',
  wav: 'audio/wav',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mov: 'video/quicktime',
};
const AUDIO_TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aac: 'audio/aac',
  flac: 'audio/flac',
  ogg: 'audio/ogg',
  aiff: 'audio/aiff',
};

/** Leaves out empty texts, which Google refuses. @param path of the content */
export function convertContentToGemini(
  content: unknown,
  path: string,
  speaker: Speaker,
  reader: FieldReader,
): JsonObject[] {
  if (typeof content === 'string') return textParts(content);
  return listAt(content ?? [], path).flatMap((part, index) =>
    partsOf(part, `${path}[${index}]`, speaker, reader),
  );
}

export function textParts(text: string): JsonObject[] {
  return text === '' ? [] : [{ text }];
}

/** Converts images that the model generated in an earlier turn. */
export function imageParts(images: unknown, path: string, reader: FieldReader): JsonObject[] {
  return listAt(images ?? [], path).map((image, index) => {
    const at = `${path}[${index}]`;
    return media(reader.members(image, at).image_url, `${at}.image_url`, 'image/png', reader);
  });
}

function partsOf(given: unknown, path: string, speaker: Speaker, reader: FieldReader): JsonObject[] {
  const part = reader.members(given, path);
  if (part.type === 'text') return textParts(textAt(part.text, `${path}.text`));
  if (part.type === 'refusal') return textParts(textAt(part.refusal, `${path}.refusal`));
  if (speaker === 'user' || speaker === 'tool') {
    switch (part.type) {
      case 'image_url':
        return [media(part.image_url, `${path}.image_url`, 'image/jpeg', reader)];
      case 'video_url':
        return [media(part.video_url, `${path}.video_url`, 'video/mp4', reader)];
      case 'file':
        return [file(part.file, `${path}.file`, reader)];
      case 'input_audio':
        return [audio(part.input_audio, `${path}.input_audio`, reader)];
    }
  }
  throw reader.refusal(`${path}.type`, 'takes no such part in a message of this role');
}

/** Converts an image or a video. @param defaultType type of a URL without extension */
function media(given: unknown, path: string, defaultType: string, reader: FieldReader): JsonObject {
  // Some clients send only the URL.
  const isAlone = typeof given === 'string';
  const url = isAlone ? given : reader.members(given, path).url;
  const at = isAlone ? path : `${path}.url`;
  const part = partOf(textAt(url, at), defaultType);
  if (part !== undefined) return part;
  throw reader.refusal(at, 'takes a URL of http(s), or data in base64');
}

function file(given: unknown, path: string, reader: FieldReader): JsonObject {
  const { file_data } = reader.members(given, path);
  const at = `${path}.file_data`;
  const part = partOf(textAt(file_data, at), undefined);
  if (part !== undefined) return part;
  throw reader.refusal(at, 'takes data in base64, or a URL whose ending tells its type');
}

function audio(given: unknown, path: string, reader: FieldReader): JsonObject {
  const { data, format } = reader.members(given, path);
  const named = textAt(format, `${path}.format`);
  const mimeType = Object.hasOwn(AUDIO_TYPES, named) ? AUDIO_TYPES[named] : undefined;
  if (mimeType === undefined) throw reader.refusal(`${path}.format`, 'takes no audio of this format');
  return { inlineData: { mimeType, data: textAt(data, `${path}.data`) } };
}

function partOf(url: string, defaultType: string | undefined): JsonObject | undefined {
  if (/^https?:\/\//i.test(url)) {
    const mimeType = typeByEnding(url) ?? defaultType;
    return mimeType === undefined ? undefined : { fileData: { mimeType, fileUri: url } };
  }
  const parsed = parseDataUrl(url);
  return parsed && { inlineData: { mimeType: parsed.mediaType, data: parsed.data } };
}

function typeByEnding(url: string): string | undefined {
  const ending = /\.([a-z0-9]{2,5})$/i.exec(URL.parse(url)?.pathname ?? '')?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(TYPES, ending) ? TYPES[ending] : undefined;
}
