import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt } from '../../translation/field-values.ts';

/**
 * The thinking of an earlier answer, as the provider must get it back: each block with its signature, byte
 * for byte. Clients that gather a stream may send the text and the signature of one block as several entries
 * of one index.
 * @param family how the formats begin whose signatures the provider can read; `path`: of the message
 */
export function convertReasoningToThinking(
  message: JsonObject,
  { family, path }: { family: string; path: string },
  reader: FieldReader,
): JsonObject[] {
  const blocks: JsonObject[] = [];
  const details = listAt(message.reasoning_details ?? [], `${path}.reasoning_details`);
  for (const detail of gathered(details)) {
    const block = blockOf(detail, family);
    if (block === undefined) reader.ignore('messages[].reasoning_details');
    else blocks.push(block);
  }
  if (blocks.length === 0 && message.reasoning_content !== undefined && message.reasoning_content !== '') {
    reader.ignore('messages[].reasoning_content');
  }
  return blocks;
}

interface Detail {
  type: unknown;
  index: unknown;
  format: unknown;
  text: string;
  signature: string;
  data: unknown;
}

function gathered(details: readonly unknown[]): Detail[] {
  const whole: Detail[] = [];
  for (const entry of details) {
    const detail = detailOf(entry);
    const last = whole.at(-1);
    if (last === undefined || !continues(detail, last)) {
      whole.push(detail);
    } else {
      last.text += detail.text;
      last.signature += detail.signature;
    }
  }
  return whole;
}

function continues(next: Detail, last: Detail): boolean {
  return next.type === 'reasoning.text' && last.type === next.type && isSameIndex(next, last);
}

function isSameIndex(next: Detail, last: Detail): boolean {
  return typeof next.index === 'number' && next.index === last.index;
}

function detailOf(entry: unknown): Detail {
  const { data, format, index, signature, text, type }: JsonObject =
    typeof entry === 'object' && entry !== null ? { ...entry } : {};
  return {
    type,
    index,
    format,
    text: typeof text === 'string' ? text : '',
    signature: typeof signature === 'string' ? signature : '',
    data,
  };
}

function blockOf({ data, format, signature, text, type }: Detail, family: string): JsonObject | undefined {
  if (typeof format === 'string' && !format.startsWith(family)) return undefined;
  if (type === 'reasoning.text' && signature !== '') return { type: 'thinking', thinking: text, signature };
  if (type === 'reasoning.encrypted' && typeof data === 'string' && data !== '') {
    return { type: 'redacted_thinking', data };
  }
  return undefined;
}
