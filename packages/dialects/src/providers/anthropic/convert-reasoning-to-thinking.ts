import type { JsonObject } from '../../json/json-object.ts';
import type { FieldReader } from '../../translation/field-reader.ts';
import { listAt } from '../../translation/field-values.ts';
import { gatherReasoningDetails, type ReasoningDetail } from '../shared/gather-reasoning-details.ts';

/**
 * Restores thinking of an earlier response with its signatures, byte for byte.
 * @param family prefix of formats whose signatures the provider can read; `path`: of the message
 */
export function convertReasoningToThinking(
  message: JsonObject,
  { family, path }: { family: string; path: string },
  reader: FieldReader,
): JsonObject[] {
  const blocks: JsonObject[] = [];
  const details = listAt(message.reasoning_details ?? [], `${path}.reasoning_details`);
  for (const detail of gatherReasoningDetails(details)) {
    const block = blockOf(detail, family);
    if (block === undefined) reader.ignore('messages[].reasoning_details');
    else blocks.push(block);
  }
  if (blocks.length === 0 && message.reasoning_content !== undefined && message.reasoning_content !== '') {
    reader.ignore('messages[].reasoning_content');
  }
  return blocks;
}

function blockOf(
  { data, format, signature, text, type }: ReasoningDetail,
  family: string,
): JsonObject | undefined {
  if (typeof format === 'string' && !format.startsWith(family)) return undefined;
  if (type === 'reasoning.text' && signature !== '') return { type: 'thinking', thinking: text, signature };
  if (type === 'reasoning.encrypted' && typeof data === 'string' && data !== '') {
    return { type: 'redacted_thinking', data };
  }
  return undefined;
}
