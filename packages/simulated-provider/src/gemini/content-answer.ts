import { dataEvent, type SseEvent } from '../answers/sse-event.ts';
import { textPieces } from '../chat/preamble.ts';
import type { PlannedContent } from './plan-content.ts';

/** The body of an answer that is not streamed. */
export function contentBody(planned: PlannedContent): object {
  if (planned.blockReason !== undefined) return blocked(planned);
  const { text } = planned;
  const textParts = text === '' ? [] : [{ text, ...signed(planned, planned.calls.length === 0) }];
  const parts = [...thoughtParts(planned), ...textParts, ...pictureParts(planned), ...callParts(planned)];
  return answer(planned, parts, planned.usage.atEnd, planned.finishReason);
}

/** Streams an answer. The signature of a text comes in an empty part with the end. */
export function* streamContent(planned: PlannedContent): Generator<SseEvent> {
  if (planned.blockReason !== undefined) {
    yield dataEvent(blocked(planned));
    return;
  }
  const { preamble, text, usage } = planned;
  const event = (parts: readonly object[]) => dataEvent(answer(planned, parts, usage.before));
  for (const part of thoughtParts(planned)) yield event([part]);
  for (const [index, piece] of [...textPieces(text, preamble)].entries()) {
    const isPreamble = index === 0 && preamble !== '';
    yield { ...event([{ text: piece }]), ...(isPreamble ? {} : { pace: 'token' }) };
  }
  for (const part of pictureParts(planned)) yield event([part]);
  const calls = callParts(planned);
  if (calls.length > 0) yield event(calls);
  const last = { text: '', ...signed(planned, calls.length === 0) };
  yield dataEvent(answer(planned, [last], usage.atEnd, planned.finishReason));
}

function answer(
  { id, model }: PlannedContent,
  parts: readonly object[],
  usageMetadata: object | undefined,
  finishReason?: string,
): object {
  // JSON omits a finish reason that is undefined.
  const candidate = { content: { parts, role: 'model' }, finishReason, index: 0 };
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
