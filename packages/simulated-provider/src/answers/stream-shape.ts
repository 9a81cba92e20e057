import type { SseEvent } from './sse-event.ts';

/** What a fault in an event stream has to know of the streams of a protocol. */
export interface StreamShape {
  /** Faults in the middle of a stream come after so many events, the first of its tokens among them. */
  readonly faultAfterEvents: number;
  /** What a stream says that it is, where it is not one of server-sent events; `frame`: one event of it. */
  readonly contentType?: string;
  frame?(event: SseEvent): Buffer;
  /** Returns true if this event completes a stream. */
  isLast(event: SseEvent): boolean;
  /** What is sent when a provider fails after its answer has begun. */
  readonly errorEvent: SseEvent;
  /** The name of an event with text, and its JSON around a text of any length. */
  readonly textEvent: { readonly name: string | undefined; readonly before: string; readonly after: string };
}
