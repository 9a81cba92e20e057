import { isObject, type JsonObject } from '../../json/json-object.ts';
import { OPENAI_FORMAT } from '../../translation/reasoning-format.ts';
import { finishReasonFor } from '../shared/finish-reason-for.ts';

const FILTERED = 'content_filter';

/** Maps unknown reasons of incomplete responses to `length`. */
export function mapOpenAiResponseEnd(
  { incomplete_details: details, status }: JsonObject,
  hasCalls: boolean,
): string {
  if (status !== 'incomplete' && status !== 'cancelled') return finishReasonFor('stop', hasCalls);
  return isObject(details) && details.reason === FILTERED ? FILTERED : 'length';
}

export function reasoningDetail(index: number, members: { text?: string; signature?: string }): JsonObject {
  return { type: 'reasoning.text', ...members, format: OPENAI_FORMAT, index };
}

/** Returns the summary, or else the content, which only open models send. */
export function reasoningTexts({ content, summary }: JsonObject): string[] {
  const summaryTexts = textsOf(summary);
  return summaryTexts.length > 0 ? summaryTexts : textsOf(content);
}

function textsOf(parts: unknown): string[] {
  if (!Array.isArray(parts)) return [];
  return parts.flatMap((part: unknown) =>
    isObject(part) && typeof part.text === 'string' && part.text !== '' ? [part.text] : [],
  );
}

/** Parts of a summary are paragraphs with a heading each. */
export const BETWEEN_PARTS = '\n\n';

/** Skips citations of files, which Chat Completions lacks. @param offset of the text in the output */
export function convertUrlCitation(annotation: unknown, offset: number): JsonObject[] {
  if (!isObject(annotation) || annotation.type !== 'url_citation') return [];
  const { end_index: end, start_index: start, title, url } = annotation;
  if (typeof url !== 'string') return [];
  const from = typeof start === 'number' ? start + offset : offset;
  const to = typeof end === 'number' ? end + offset : offset;
  return [
    { type: 'url_citation', url_citation: { url, title: title ?? url, start_index: from, end_index: to } },
  ];
}
