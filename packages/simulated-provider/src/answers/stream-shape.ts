import type { SseEvent } from './sse-event.ts';

/** Facts about a protocol's streams that faults need. */
export interface StreamShape {
  /** Faults in the middle of a stream come after so many events, the first of its tokens among them. */
  readonly faultAfterEvents: number;
  /** The content type, if not that of server-sent events; `frame`: one event. */
  readonly contentType?: string;
  frame?(event: SseEvent): Buffer;
  isLast(event: SseEvent): boolean;
  /** The event of a provider that fails after its response has begun. */
  readonly errorEvent: SseEvent;
  /** The name of an event with text, and its JSON around a text of any length. */
  readonly textEvent: { readonly name: string | undefined; readonly before: string; readonly after: string };
}
