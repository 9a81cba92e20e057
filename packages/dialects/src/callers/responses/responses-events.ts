export interface EventTeller {
  /** @param members JSON, without the braces, the type and the number */
  tell(type: string, members: string): void;
}

/** For a response that is not streamed. */
export const NO_EVENTS: EventTeller = { tell: () => undefined };

export class ResponseEvents implements EventTeller {
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

  tell(type: string, members: string): void {
    this.#text += `event: ${type}\ndata: {"type":"${type}","sequence_number":${this.#next},${members}}\n\n`;
    this.#next += 1;
  }
}
