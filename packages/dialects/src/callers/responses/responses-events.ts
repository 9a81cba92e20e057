export interface EventTeller {
  /** @param members JSON, without the braces, the type and the number */
  tell(type: string, members: string): void;
}

/** For an answer that is not told in events. */
export const NO_EVENTS: EventTeller = { tell: () => undefined };

export class ResponseEvents implements EventTeller {
  #next: number;
  #text = '';

  /** @param next the number of the first of them */
  constructor(next = 0) {
    this.#next = next;
  }

  get next(): number {
    return this.#next;
  }

  /** @returns the events since it was last asked for them */
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
