/** The next step of a walk: take or peek bytes, skip some, or find the next occurrence of a pattern. */
export type Step = { take: number } | { peek: number } | { skip: number } | { find: Buffer };

/** Reads a file sequentially: yields the next step and receives the bytes for it. */
export type Walk = Generator<Step, void, Buffer>;

const NOTHING = Buffer.alloc(0);

/** Drives a walk with the chunks of a file, buffering no more than the next step needs. */
export class ByteWalker {
  readonly #walk: Walk;
  #step: Step | undefined;
  #parts: Buffer[] = [];
  #size = 0;

  constructor(walk: Walk) {
    this.#walk = walk;
    this.#next(walk.next());
  }

  push(chunk: Buffer): void {
    if (this.#step === undefined) return;
    this.#parts.push(chunk);
    this.#size += chunk.length;
    if (this.#size < bytesNeeded(this.#step)) return;
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts, this.#size);
    const rest = bytes.subarray(this.#advance(bytes));
    this.#parts = rest.length === 0 ? [] : [rest];
    this.#size = rest.length;
  }

  /** Runs steps while the bytes suffice. @returns how many bytes are consumed */
  #advance(bytes: Buffer): number {
    let at = 0;
    while (this.#step !== undefined) {
      const step = this.#step;
      const remaining = bytes.length - at;
      if ('skip' in step) {
        const skipped = Math.min(step.skip, remaining);
        at += skipped;
        if (skipped < step.skip) {
          this.#step = { skip: step.skip - skipped };
          return at;
        }
        this.#next(this.#walk.next(NOTHING));
      } else if ('find' in step) {
        const found = bytes.indexOf(step.find, at);
        // The pattern may start in the last bytes.
        if (found === -1) return Math.max(at, bytes.length - step.find.length + 1);
        at = found;
        this.#next(this.#walk.next(NOTHING));
      } else {
        if (remaining < bytesNeeded(step)) return at;
        const piece = bytes.subarray(at, at + bytesNeeded(step));
        if ('take' in step) at += step.take;
        this.#next(this.#walk.next(piece));
      }
    }
    return bytes.length;
  }

  #next({ done, value }: IteratorResult<Step, void>): void {
    this.#step = done === true ? undefined : value;
  }
}

function bytesNeeded(step: Step): number {
  if ('take' in step) return step.take;
  return 'peek' in step ? step.peek : 1;
}
