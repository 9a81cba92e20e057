/** One server-sent event. */
export interface SseEvent {
  /** The value of the `event:` line; without it there is only `data:`. */
  event?: string;
  data: string;
  /** The pause before the event: `token` is the delay of a token, `ping` the same but at least 10 ms. */
  pace?: 'token' | 'ping' | undefined;
}

export const DONE_EVENT: SseEvent = { data: '[DONE]' };

/** Serializes an event. @param newline `\n`, or `\r\n`, which the format allows as well */
export function eventText({ event, data }: SseEvent, newline: string): string {
  const name = event === undefined ? '' : `event: ${event}${newline}`;
  return `${name}data: ${data}${newline}${newline}`;
}

/** Makes an event whose JSON repeats its name as `type`, as in OpenAI's newer streams. */
export function typedEvent(type: string, fields: object, pace?: SseEvent['pace']): SseEvent {
  return { event: type, ...dataEvent({ type, ...fields }, pace) };
}

/** Makes an event without a name. */
export function dataEvent(value: object, pace?: SseEvent['pace']): SseEvent {
  return { data: JSON.stringify(value), pace };
}
