import type { CheckedEvent, TextPlace } from '@model-gateway/dialects';

/** Sent text that is checked again with what follows, so that a match across the border is seen. */
const OVERLAP = 400;
/** Held back behind a cut that is not the end of a sentence: longer than words and most numbers. */
const MIN_BEHIND = 64;
/** The end of a sentence or a line, with the white space behind it. */
const SENTENCE_END = /(?:[.!?…:;]["'”’)\]}*_`]*\s|[。！？]|\n)/g;
/** Bounds the text of one channel: more than any sentence or tool call. */
export const MAX_HELD = 4 * 1024 * 1024;

export interface HeldPiece {
  event: HeldEvent;
  place: TextPlace;
}

/** An event in the queue. */
export interface HeldEvent {
  event: CheckedEvent;
  /** Places whose text is not checked yet. */
  unchecked: number;
  isChanged: boolean;
}

/** The text of one channel of a stream: what was sent, and the pieces that wait. */
export class HeldText {
  readonly kind: TextPlace['kind'];
  pieces: HeldPiece[] = [];
  pending = '';
  hasEnded = false;
  /** The call whose arguments these are. */
  call: TextPlace['call'];
  sinceMs = 0;
  /** A check replaced the last words of `pending`: the next one waits until `pending` has this length. */
  #uselessLength = 0;
  /** Length of `pending` in the check that runs. */
  #askedLength = 0;
  /** The end of what was sent. */
  sent = '';
  /** For APIs that repeat whole texts: all of it, as it came and as it was sent. */
  raw = '';
  delivered = '';

  constructor(kind: TextPlace['kind']) {
    this.kind = kind;
  }

  add(piece: HeldPiece, nowMs: number): void {
    if (this.pieces.length === 0) this.sinceMs = nowMs;
    this.call ??= piece.place.call;
    this.pieces.push(piece);
    this.pending += piece.place.text;
  }

  /**
   * Returns how many pieces could be sent if their text passes; 0: it is too early to check.
   * @param isLate true: cut within a sentence, too
   */
  checkable(holdBack: number, isLate: boolean): number {
    if (this.hasEnded) return this.pieces.length;
    // A tool call is checked whole, because only then can it be parsed.
    if (this.kind === 'arguments' || this.pending.length < this.#uselessLength) return 0;
    const { length } = this.pending;
    let cut = lastSentenceEnd(this.pending, length - holdBack);
    if (isLate) {
      const end = length - Math.max(holdBack, MIN_BEHIND);
      const space = end > 0 ? this.pending.lastIndexOf(' ', end) : -1;
      cut = Math.max(cut, space > 0 ? space + 1 : end);
    }
    return this.#piecesWithin(cut);
  }

  /** Returns the text to check: the end of what was sent, and all that waits. */
  ask(): string {
    this.#askedLength = this.pending.length;
    return this.sent + this.pending;
  }

  /**
   * Takes the result of a check and puts it into the pieces.
   * @returns false if text that was sent would have to be replaced
   */
  checked(result: string, count: number, keepsWhole: boolean): boolean {
    if (!result.startsWith(this.sent)) return false;
    const replaced = result.slice(this.sent.length);
    const pieces = this.pieces.slice(0, count);
    const raw = pieces.map(({ place }) => place.text).join('');
    const tail = this.pending.slice(raw.length, this.#askedLength);
    if (!replaced.endsWith(tail)) {
      // A quarter more, so that a long match costs no check for each of its pieces.
      this.#uselessLength = Math.ceil(this.#askedLength * 1.25);
      return true;
    }
    const text = replaced.slice(0, replaced.length - tail.length);
    const first = pieces.findIndex(({ place }) => place.text !== '');
    for (const [index, { event, place }] of pieces.entries()) {
      event.unchecked -= 1;
      if (text === raw) continue;
      event.isChanged = true;
      place.put(index === first ? text : '');
    }
    this.pieces = this.pieces.slice(count);
    this.pending = this.pending.slice(raw.length);
    this.#uselessLength = 0;
    this.sinceMs = performance.now();
    if (this.kind === 'text') this.sent = endOf(this.sent + text);
    if (keepsWhole) {
      this.raw += raw;
      this.delivered += text;
    }
    return true;
  }

  #piecesWithin(cut: number): number {
    let end = 0;
    let count = 0;
    for (const { place } of this.pieces) {
      end += place.text.length;
      if (end > cut) break;
      count += 1;
    }
    return count;
  }
}

function lastSentenceEnd(text: string, max: number): number {
  let last = 0;
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match.index + match[0].length;
    if (end > max) break;
    last = end;
  }
  return last;
}

/** Begins with a whole word, because a guardrail may take the rest of one for another. */
function endOf(text: string): string {
  if (text.length <= OVERLAP) return text;
  const end = text.slice(-OVERLAP);
  const space = end.search(/\s/);
  return space === -1 ? end : end.slice(space + 1);
}
