import type { SseEvent } from './sse-event.ts';

/** A route's response. send-answer.ts decides how it is sent, and with which faults. */
export type Answer = WholeAnswer | EventsAnswer | BytesAnswer;

export interface WholeAnswer {
  kind: 'whole';
  contentType: string;
  body: string | Buffer;
  headers?: Readonly<Record<string, string>>;
}

export interface EventsAnswer {
  kind: 'events';
  events: Iterable<SseEvent>;
}

/** A body of unknown length that is not an event stream. */
export interface BytesAnswer {
  kind: 'bytes';
  contentType: string;
  chunks: readonly Buffer[];
}

export function jsonAnswer(value: object, headers: Readonly<Record<string, string>> = {}): WholeAnswer {
  return { kind: 'whole', contentType: 'application/json', body: JSON.stringify(value), headers };
}

export function eventsAnswer(events: Iterable<SseEvent>): EventsAnswer {
  return { kind: 'events', events };
}
