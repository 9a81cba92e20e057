import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { objectsAt, textAt } from '../../translation/field-values.ts';
import type { AssistantTurn } from '../chat-request/assistant-turn.ts';
import { joined } from '../chat-request/chat-content-parts.ts';
import { readEncryptedContent } from './responses-carried-reasoning.ts';

/**
 * Adds carried reasoning to a turn, or else the text. Ignores, by name, what another provider encrypted.
 * @param turnOf begins the turn, only if the item adds something
 */
export function convertResponsesReasoning(
  turnOf: () => AssistantTurn,
  reader: FieldReader,
  { content, encrypted_content, summary }: JsonObject,
  at: string,
): void {
  const encrypted =
    encrypted_content === undefined ? '' : textAt(encrypted_content, `${at}.encrypted_content`);
  const carried = readEncryptedContent(encrypted);
  if (carried === undefined) {
    if (encrypted !== '') reader.ignore('input[reasoning].encrypted_content');
    const text = textOfParts(reader, content, at, 'content') || textOfParts(reader, summary, at, 'summary');
    if (text !== '') turnOf().addReasoning(text);
    return;
  }
  const { calls = [], details = [], field, text = '' } = carried;
  if (text !== '') turnOf().addReasoning(text, field);
  for (const detail of details) turnOf().addDetail(detail);
  for (const { extra_content, id } of calls) turnOf().addExtra(id, extra_content);
}

function textOfParts(reader: FieldReader, parts: unknown, at: string, member: string): string {
  if (parts === undefined) return '';
  const path = `${at}.${member}`;
  const texts = objectsAt(parts, path).map((part, index) => {
    const where = `${path}[${index}]`;
    return textAt(reader.members(part, where, `input[reasoning].${member}[]`).text, `${where}.text`);
  });
  return joined(texts);
}
