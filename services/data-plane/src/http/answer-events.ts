export interface EventSource {
  /** Called when the client has read nothing for too long; its connection is then closed. */
  stalled(): void;
  /** Called when more events wait for the client than its connection takes. */
  fellBehind(): void;
  /** Called when the client has caught up. */
  drained(): void;
}

/** The event stream to the client, whichever provider it comes from. */
export interface AnswerEvents {
  source: EventSource | undefined;
  /** True once the client has received an event; keep-alives do not count. */
  readonly hasBegun: boolean;
  /**
   * Sends events, together with all others of the same tick of the event loop.
   * @param events complete events; `nowMs`: `performance.now()`
   */
  send(events: string, nowMs: number): void;
  end(lastEvents: string): void;
  /** Sends a last event and cuts the connection within the body, so that it cannot look complete. */
  breakOff(lastEvent: string): void;
  /** Frees the timers. Call this when the response is written elsewhere. */
  stop(): void;
}
