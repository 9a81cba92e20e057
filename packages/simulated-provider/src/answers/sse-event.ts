/** One server-sent event. */
export interface SseEvent {
  /** The value of the `event:` line; without it there is only `data:`. */
  event?: string;
  data: string;
}

export const DONE = '[DONE]';

/** @param newline `\n`, or `\r\n`, which the format allows as well */
export function eventText({ event, data }: SseEvent, newline: string): string {
  const name = event === undefined ? '' : `event: ${event}${newline}`;
  return `${name}data: ${data}${newline}${newline}`;
}

/** Makes an event whose JSON names its own type, like those of OpenAI's newer streams. */
export function typedEvent(type: string, fields: object): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
