import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt, textAt } from '../../translation/field-values.ts';

/** Leaves out texts without a visible character. @throws GatewayError 400 for a part Cohere lacks */
export function convertContentToCohere(
  content: unknown,
  path: string,
  takesPictures: boolean,
  reader: FieldReader,
): JsonObject[] {
  if (typeof content === 'string') return textParts(content);
  return listAt(content ?? [], path).flatMap((given, index) => {
    const at = `${path}[${index}]`;
    const part = reader.members(given, at);
    switch (part.type) {
      case 'text':
        return textParts(textAt(part.text, `${at}.text`));
      case 'refusal':
        return textParts(textAt(part.refusal, `${at}.refusal`));
      case 'image_url':
        if (takesPictures) return [picture(part, at, reader)];
        throw reader.refusal(`${at}.type`, 'takes no pictures in this message');
    }
    throw reader.refusal(`${at}.type`, 'takes no such part');
  });
}

export function textParts(text: string): JsonObject[] {
  return text.trim() === '' ? [] : [{ type: 'text', text }];
}

/** Returns a string for a single text. */
export function simplest(parts: readonly JsonObject[]): string | readonly JsonObject[] {
  const [only] = parts;
  return parts.length === 1 && only?.type === 'text' && typeof only.text === 'string' ? only.text : parts;
}

function picture(part: JsonObject, path: string, reader: FieldReader): JsonObject {
  const at = `${path}.image_url`;
  // Some clients send only the URL.
  if (typeof part.image_url === 'string') return { type: 'image_url', image_url: { url: part.image_url } };
  const { detail, url } = reader.members(part.image_url, at);
  return {
    type: 'image_url',
    image_url: { url: textAt(url, `${at}.url`), ...(detail === undefined ? {} : { detail }) },
  };
}
