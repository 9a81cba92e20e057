/** One server-sent event. */
export interface SseEvent {
  /** Value of the `event:` line; without one there is only `data:`. */
  event?: string;
  data: string;
}

export const DONE = '[DONE]';

/** @param newline `\n`, or `\r\n`, which the format allows as well */
export function eventText({ event, data }: SseEvent, newline: string): string {
  const name = event === undefined ? '' : `event: ${event}${newline}`;
  return `${name}data: ${data}${newline}${newline}`;
}

/** An event whose JSON names its own type, as OpenAI's newer streams have. */
export function typedEvent(type: string, fields: object): SseEvent {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
