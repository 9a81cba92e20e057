import { invalidField } from '@model-gateway/shared/errors';
import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectsAt, textAt } from '../../translation/field-values.ts';
import { type Part, textPart } from '../chat-request/chat-content-parts.ts';
import { refusedType } from '../chat-request/refused-type.ts';
import { messagesBlockMembers } from './messages-block-members.ts';

const PDF = 'application/pdf';
const PDF_NAME = 'document.pdf';

/** @param types allowed here. @throws GatewayError 400 for a block that Chat Completions cannot express */
export function convertMessagesContent(
  reader: FieldReader,
  block: JsonObject,
  at: string,
  types: readonly string[],
): Part[] {
  const type = textAt(block.type, `${at}.type`);
  if (!types.includes(type)) throw refusedType(reader, 'content', type, at);
  const members = messagesBlockMembers(reader, block, at);
  if (type === 'image') return [imagePart(reader, members, at)];
  if (type === 'document') return documentParts(reader, members, at);
  if (type === 'search_result') return [searchResult(reader, members, at)];
  if (type === 'tool_reference')
    return [textPart(`Tool found: ${textAt(members.tool_name, `${at}.tool_name`)}`)];
  if (type === 'tool_addition' || type === 'tool_removal') return [toolChange(reader, type, members, at)];
  return [textPart(textAt(members.text, `${at}.text`))];
}

/** Says it in words: the model has been given every tool from the start. */
function toolChange(
  reader: FieldReader,
  type: 'tool_addition' | 'tool_removal',
  { tool }: JsonObject,
  at: string,
): Part {
  const where = `${at}.tool`;
  const reference = reader.members(tool, where, `content[${type}].tool`);
  if (reference.type !== 'tool_reference')
    throw reader.refusal(where, 'takes changes of tools by name alone');
  const name = textAt(reference.name, `${where}.name`);
  return textPart(
    type === 'tool_addition'
      ? `The tool ${name} is available now.`
      : `The tool ${name} is no longer available.`,
  );
}

function imagePart(reader: FieldReader, { source }: JsonObject, at: string): Part {
  const where = `${at}.source`;
  const { data, media_type, type, url } = reader.members(source, where, 'content[image].source');
  if (type === 'url') return { type: 'image_url', image_url: { url: textAt(url, `${where}.url`) } };
  if (type !== 'base64') throw reader.refusal(where, 'takes pictures as base64 or by URL alone');
  return { type: 'image_url', image_url: { url: dataUrl(media_type, data, where) } };
}

function documentParts(reader: FieldReader, document: JsonObject, at: string): Part[] {
  const title = textAt(document.title ?? '', `${at}.title`);
  const context = textAt(document.context ?? '', `${at}.context`);
  const where = `${at}.source`;
  const { content, data, media_type, type } = reader.members(
    document.source,
    where,
    'content[document].source',
  );
  const heading = [title, context].filter((text) => text !== '').join('\n');
  if (type === 'text') return [textPart(underHeading(heading, textAt(data, `${where}.data`)))];
  if (type === 'content') {
    const inner =
      typeof content === 'string'
        ? [textPart(content)]
        : objectsAt(content, `${where}.content`).flatMap((block, index) =>
            convertMessagesContent(reader, block, `${where}.content[${index}]`, ['text', 'image']),
          );
    return heading === '' ? inner : [textPart(heading), ...inner];
  }
  if (type !== 'base64' || media_type !== PDF)
    throw reader.refusal(where, 'takes documents as text, or as a PDF in base64');
  const file = {
    filename: title === '' ? PDF_NAME : title,
    file_data: dataUrl(media_type, data, where),
  };
  const part = { type: 'file', file };
  return context === '' ? [part] : [textPart(context), part];
}

function searchResult(reader: FieldReader, { content, source, title }: JsonObject, at: string): Part {
  const texts = objectsAt(content, `${at}.content`).flatMap((block, index) =>
    convertMessagesContent(reader, block, `${at}.content[${index}]`, ['text']).map(({ text }) => text),
  );
  const heading = `${textAt(title, `${at}.title`)}\n${textAt(source, `${at}.source`)}`;
  return textPart(underHeading(heading, texts.join('\n\n')));
}

function underHeading(heading: string, text: string): string {
  return heading === '' ? text : `${heading}\n\n${text}`;
}

function dataUrl(mediaType: unknown, data: unknown, at: string): string {
  const type = textAt(mediaType, `${at}.media_type`);
  if (!/^[\w.+-]+\/[\w.+-]+$/.test(type)) throw invalidField(`${at}.media_type`, 'must be a media type');
  return `data:${type};base64,${textAt(data, `${at}.data`)}`;
}
