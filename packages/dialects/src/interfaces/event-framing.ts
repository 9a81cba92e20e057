/** Longer than any event of text. Beyond it the stream counts as broken, and memory stays bounded. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024;

/** The stream holds something that is no event of a model provider. */
export class BrokenEventStream extends Error {
  override readonly name = 'BrokenEventStream';
}

/** Cuts the bytes of one answer into its events. */
export interface EventParser {
  /**
   * @returns the data of each event that is complete now
   * @throws Error when these bytes are no such events
   */
  push(chunk: Buffer): string[];
}

/** How events stand in the bytes of an answer. */
export interface EventFraming {
  contentType: RegExp;
  /** @param maxEventBytes of a longer event the stream is broken; undefined: what text needs at most */
  parser(maxEventBytes: number | undefined): EventParser;
}
