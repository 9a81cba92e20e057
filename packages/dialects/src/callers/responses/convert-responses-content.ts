import { invalidField } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectAt, objectsAt, textAt } from '../../translation/field-values.ts';
import { type Part, textPart } from '../chat-request/chat-content-parts.ts';
import type { Origins } from '../chat-request/origins.ts';
import { refusedType } from '../chat-request/refused-type.ts';

/** Clients mix up the types of input and output texts. */
const TEXTS = ['input_text', 'output_text', 'text', 'refusal'];
const MEDIA = ['input_image', 'input_file'];

/** Allowed part types, by the author of the content. */
export const FROM_USER: readonly string[] = [...TEXTS, ...MEDIA, 'input_audio'];
export const FROM_TOOL: readonly string[] = [...TEXTS, ...MEDIA];
export const TEXT_ONLY: readonly string[] = TEXTS;

/** @param types of parts allowed here. @throws GatewayError 400 for what Chat Completions cannot express */
export function convertResponsesContent(
  reader: FieldReader,
  content: unknown,
  at: string,
  types: readonly string[],
  origins: Origins,
): Part[] {
  if (typeof content === 'string') return [textPart(content)];
  if (!Array.isArray(content)) throw invalidField(at, 'must be a string or an array of parts');
  return objectsAt(content, at).map((part, index) => {
    const path = `${at}[${index}]`;
    return origins.record(partOf(reader, part, path, types), path);
  });
}

function partOf(
  reader: FieldReader,
  { type: given, ...part }: JsonObject,
  at: string,
  types: readonly string[],
): Part {
  const type = textAt(given, `${at}.type`);
  if (!types.includes(type)) throw refusedType(reader, 'content', type, at);
  const members = reader.members(part, at, `content[${type}]`);
  if (type === 'input_image') return imagePart(members, at);
  if (type === 'input_file') return filePart(reader, members, at);
  if (type === 'input_audio')
    return { type: 'input_audio', input_audio: objectAt(members.input_audio, `${at}.input_audio`) };
  const member = type === 'refusal' ? 'refusal' : 'text';
  return textPart(textAt(members[member], `${at}.${member}`));
}

function imagePart({ detail, image_url }: JsonObject, at: string): Part {
  const url = textAt(image_url, `${at}.image_url`);
  const seen = detail === undefined ? 'auto' : textAt(detail, `${at}.detail`);
  return { type: 'image_url', image_url: { url, ...(seen === 'auto' ? {} : { detail: seen }) } };
}

const PDF_URL = 'data:application/pdf;base64,';
/** The start of a PDF in base64, which some clients send without the prefix of a data URL. */
const PDF_IN_BASE64 = 'JVBERi';
const NAME_OF_PDF = 'document.pdf';
const NAME_OF_OTHERS = 'file';

function filePart(reader: FieldReader, { file_data, filename }: JsonObject, at: string): Part {
  const given = textAt(file_data, `${at}.file_data`);
  const data = given.startsWith(PDF_IN_BASE64) ? PDF_URL + given : given;
  if (!/^data:/i.test(data)) throw reader.refusal(`${at}.file_data`, 'takes files as data URLs');
  const usualName = data.startsWith(PDF_URL) ? NAME_OF_PDF : NAME_OF_OTHERS;
  const name = filename === undefined ? usualName : textAt(filename, `${at}.filename`);
  return { type: 'file', file: { filename: name, file_data: data } };
}
