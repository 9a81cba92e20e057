export interface EventSource {
  /** Called when the client has read nothing for too long; its connection is then closed. */
  stalled(): void;
  /** Called when the client has caught up. */
  drained(): void;
}

/** The event stream to the client, whichever provider it comes from. */
export interface AnswerEvents {
  source: EventSource | undefined;
  /** True once the client has received an event; keep-alives do not count. */
  readonly hasBegun: boolean;
  /**
   * Sends events.
   * @param events complete events; `nowMs`: `performance.now()`
   * @returns false if the client is behind: `source.drained` is called once it has caught up
   */
  send(events: string, nowMs: number): boolean;
  end(lastEvents: string): void;
  /** Sends a last event and cuts the connection within the body, so that it cannot look complete. */
  breakOff(lastEvent: string): void;
  /** Frees the timers. Call this when the response is written elsewhere. */
  stop(): void;
}
