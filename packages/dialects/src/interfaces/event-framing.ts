/** Bounds memory: no event of text is longer. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

export class BrokenEventStream extends Error {
  override readonly name = 'BrokenEventStream';
}

/** Cuts the bytes of one response into events. */
export interface EventParser {
  /**
   * @returns the data of events that are complete now
   * @throws Error for bytes that are no events
   */
  push(chunk: Buffer): string[];
}

/** The encoding of events, such as server-sent events. */
export interface EventFraming {
  contentType: RegExp;
  /** @param maxEventBytes undefined: MAX_EVENT_BYTES */
  parser(maxEventBytes: number | undefined): EventParser;
}
