import { isObject, type JsonObject, nonEmptyText } from '../../json/json-object.ts';
import { CARRIED_IN_REASONING, CARRIED_UNSIGNED, opaqueOf } from './messages-carried-reasoning.ts';

/** Takes the blocks of thinking that reasoning becomes, piece by piece. */
export interface ThinkingSink {
  /** @param unsigned the signature of the block if none follows */
  thinking(text: string, unsigned: string): void;
  signature(signature: string): void;
  redacted(data: string): void;
}

/** Reads the reasoning of a `delta` or a `message` of Chat Completions. */
export function readChatReasoning(
  { reasoning, reasoning_content, reasoning_details }: JsonObject,
  sink: ThinkingSink,
): void {
  const text = nonEmptyText(reasoning_content) ?? nonEmptyText(reasoning);
  const unsigned = nonEmptyText(reasoning_content) === undefined ? CARRIED_IN_REASONING : CARRIED_UNSIGNED;
  if (!Array.isArray(reasoning_details) || reasoning_details.length === 0) {
    if (text !== undefined) sink.thinking(text, unsigned);
    return;
  }
  const details = reasoning_details.filter(isObject);
  const texts = details.map(({ summary, text }) => nonEmptyText(text) ?? nonEmptyText(summary));
  // Where reasoning is there as text, its details repeat it: one text for all, unless each has its own.
  const areApart = texts.filter((text) => text !== undefined).length > 1 || text === undefined;
  if (text !== undefined && !areApart) sink.thinking(text, unsigned);
  for (const [index, detail] of details.entries()) {
    const text = texts[index];
    if (areApart && text !== undefined) sink.thinking(text, unsigned);
    const { data, signature } = opaqueOf(detail);
    if (signature !== undefined) sink.signature(signature);
    if (data !== undefined) sink.redacted(data);
  }
}
