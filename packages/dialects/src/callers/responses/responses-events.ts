export interface EventWriter {
  /** @param members JSON, without the braces, the type and the number */
  write(type: string, members: string): void;
}

/** For a response that is not streamed. */
export const NO_EVENT_WRITER: EventWriter = { write: () => undefined };

export class ResponseEvents implements EventWriter {
  #next: number;
  #text = '';

  constructor(next = 0) {
    this.#next = next;
  }

  get next(): number {
    return this.#next;
  }

  /** @returns the events since the last call */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text;
  }

  write(type: string, members: string): void {
    this.#text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
  }
}
