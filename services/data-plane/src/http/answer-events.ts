export interface EventSource {
  /** Called when the client has read nothing for too long; its connection is then closed. */
  stalled(): void;
  /** Called when the client has caught up. */
  drained(): void;
}

/** The stream of events that a client is answered with, whoever is asked for them in turn. */
export interface AnswerEvents {
  source: EventSource | undefined;
  /** True if the client has had an event, and not only what keeps its connection open. */
  readonly hasBegun: boolean;
  /**
   * @param events complete events; `nowMs`: `performance.now()`
   * @returns false when the client is behind: the source is told when it has caught up
   */
  send(events: string, nowMs: number): boolean;
  end(lastEvents: string): void;
  /**
   * Sends a last event, and breaks the connection off without the end of the body, so that no client can take
   * the answer for a complete one.
   */
  breakOff(lastEvent: string): void;
  /** Frees the timers. To be called when somebody else writes the answer. */
  stop(): void;
}
