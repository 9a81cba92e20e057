import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { itemEvents, type UnnumberedEvent } from './item-events.ts';
import type { PlannedResponse } from './plan-response.ts';
import { type Progress, responseObject } from './response-object.ts';

/**
 * Streams a response as OpenAI does: that it was created and has begun, its items one by one, and the whole
 * response at its end. All events are numbered.
 * @param options `pingsOnly` sends only keep-alive events after the beginning, until the client goes away;
 *   `after` omits the events up to this number
 */
export function* streamResponse(
  response: PlannedResponse,
  { after = -1, pingsOnly }: { after?: number | undefined; pingsOnly: boolean },
): Generator<SseEvent> {
  let number = 0;
  for (const [type, members] of responseEvents(response, pingsOnly)) {
    const sequence_number = number++;
    if (sequence_number <= after) continue;
    const pace = type.endsWith('.delta') ? 'token' : type === 'keepalive' ? 'ping' : undefined;
    yield typedEvent(type, { sequence_number, ...members }, pace);
  }
}

function* responseEvents(response: PlannedResponse, pingsOnly: boolean): Generator<UnnumberedEvent> {
  const { output, preamble, request, status } = response;
  const whole = (progress: Progress) => ({ response: responseObject(response, progress) });
  const isBackground = request.background === true;
  yield ['response.created', whole(isBackground ? 'queued' : 'in_progress')];
  if (isBackground) yield ['response.queued', whole('queued')];
  yield ['response.in_progress', whole('in_progress')];
  while (pingsOnly) yield ['keepalive', {}];
  const isPadded = request.stream_options?.include_obfuscation !== false;
  for (const [index, item] of output.entries()) yield* itemEvents(item, { index, isPadded, preamble });
  yield [`response.${status}`, whole('ended')];
}
