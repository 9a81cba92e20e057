import { type SseEvent, typedEvent } from '../answers/sse-event.ts';
import { pause } from '../http/exchange.ts';
import type { Tokenizer } from '../text/tokenizer.ts';
import { itemEvents, type ToldEvent } from './item-events.ts';
import type { PlannedResponse } from './plan-response.ts';
import { type Progress, responseObject } from './response-object.ts';

export interface StreamOptions {
  tokenizer: Tokenizer;
  tokenDelayMs: number;
  signal: AbortSignal;
  /** After the beginning there are only events that keep the connection open, until the client goes away. */
  pingsOnly: boolean;
  /** The events up to this one are left out: the client has them already. */
  after?: number;
}

/** Pings that come alone are at least so far apart, in milliseconds. */
const MIN_PING_DELAY_MS = 10;

/**
 * Streams a response as OpenAI does: that it was made and has begun, item by item what it consists of, and
 * the whole of it at its end. All events are numbered.
 */
export async function* streamResponse(
  response: PlannedResponse,
  { after = -1, pingsOnly, signal, tokenDelayMs, tokenizer }: StreamOptions,
): AsyncGenerator<SseEvent> {
  let number = 0;
  for (const [type, members] of responseEvents(response, tokenizer, pingsOnly)) {
    const sequence = number++;
    if (sequence <= after) continue;
    const isToken = type.endsWith('.delta');
    if (isToken) await pause(tokenDelayMs, signal);
    if (type === 'keepalive') await pause(Math.max(tokenDelayMs, MIN_PING_DELAY_MS), signal);
    yield typedEvent(type, { sequence_number: sequence, ...members });
  }
}

function* responseEvents(
  response: PlannedResponse,
  tokenizer: Tokenizer,
  pingsOnly: boolean,
): Generator<ToldEvent> {
  const { output, preamble, request, status } = response;
  const whole = (progress: Progress) => ({ response: responseObject(response, progress) });
  const isBackground = request.background === true;
  yield ['response.created', whole(isBackground ? 'queued' : 'in_progress')];
  if (isBackground) yield ['response.queued', whole('queued')];
  yield ['response.in_progress', whole('in_progress')];
  while (pingsOnly) yield ['keepalive', {}];
  const isPadded = request.stream_options?.include_obfuscation !== false;
  for (const [index, item] of output.entries())
    yield* itemEvents(item, { index, isPadded, preamble, tokenizer });
  yield [`response.${status}`, whole('ended')];
}
