import type { SseEvent } from '../answers/sse-event.ts';
import { pause } from '../http/exchange.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import type { PlannedContent } from './plan-content.ts';

/** The body of an answer that is not streamed. */
export function contentBody(planned: PlannedContent): object {
  if (planned.blockReason !== undefined) return blocked(planned);
  const text = planned.preamble + planned.text;
  const said = text === '' ? [] : [{ text, ...signed(planned, planned.calls.length === 0) }];
  const parts = [...thoughtParts(planned), ...said, ...pictureParts(planned), ...callParts(planned)];
  return answer(planned, parts, planned.usage.atEnd, planned.finishReason);
}

export interface StreamOptions {
  tokenizer: Tokenizer;
  tokenDelayMs: number;
  signal: AbortSignal;
}

/** The events of a stream. The signature of a text comes in a part of its own, with the end. */
export async function* streamContent(
  planned: PlannedContent,
  { signal, tokenDelayMs, tokenizer }: StreamOptions,
): AsyncGenerator<SseEvent> {
  if (planned.blockReason !== undefined) {
    yield event(blocked(planned));
    return;
  }
  const { before, atEnd } = planned.usage;
  for (const part of thoughtParts(planned)) yield event(answer(planned, [part], before));
  if (planned.preamble !== '') yield event(answer(planned, [{ text: planned.preamble }], before));
  for (const { text } of tokenizer.pieces(planned.text)) {
    await pause(tokenDelayMs, signal);
    yield event(answer(planned, [{ text }], before));
  }
  for (const part of pictureParts(planned)) yield event(answer(planned, [part], before));
  const calls = callParts(planned);
  if (calls.length > 0) yield event(answer(planned, calls, before));
  const last = { text: '', ...signed(planned, calls.length === 0) };
  yield event(answer(planned, [last], atEnd, planned.finishReason));
}

function answer(
  { id, model }: PlannedContent,
  parts: readonly object[],
  usageMetadata: object | undefined,
  finishReason?: string,
): object {
  const candidate = {
    content: { parts, role: 'model' },
    ...(finishReason === undefined ? {} : { finishReason }),
    index: 0,
  };
  return { candidates: [candidate], usageMetadata, modelVersion: model, responseId: id };
}

function blocked({ blockReason, id, model, usage }: PlannedContent): object {
  return { promptFeedback: { blockReason }, usageMetadata: usage.atEnd, modelVersion: model, responseId: id };
}

function thoughtParts({ thoughts }: PlannedContent): object[] {
  return thoughts === undefined ? [] : [{ text: thoughts, thought: true }];
}

function pictureParts({ picture }: PlannedContent): object[] {
  return picture === undefined ? [] : [{ inlineData: { mimeType: 'image/png', data: picture } }];
}

/** Only the first of several calls has the signature. */
function callParts(planned: PlannedContent): object[] {
  return planned.calls.map(({ input, name }, index) => ({
    functionCall: { name, args: input },
    ...signed(planned, index === 0),
  }));
}

function signed({ signature }: PlannedContent, isHere: boolean): object {
  return isHere ? { thoughtSignature: signature } : {};
}

function event(value: object): SseEvent {
  return { data: JSON.stringify(value) };
}
