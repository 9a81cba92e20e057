import { ChunkList } from '../http/chunk-list.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import { tapResponse } from '../http/tap-response.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';

/** Longer answers are not stored. */
export const MAX_RECORDED_BYTES = 8 * 1024 * 1024;

export type NotRecorded = 'incomplete' | 'too_long' | 'no_room';

/**
 * Records the body of a successful response, and holds back its end until the body is stored: whoever has
 * the whole answer can repeat the request.
 */
export class AnswerRecording {
  readonly #exchange: AuthenticatedExchange;
  readonly #claim: MemoryClaim;
  readonly #ended = Promise.withResolvers<void>();
  #chunks: ChunkList | undefined = new ChunkList();
  #bytes = 0;
  #notRecorded: NotRecorded = 'incomplete';
  #end: (() => void) | undefined;
  #isOver = false;

  constructor(exchange: AuthenticatedExchange, answerBudget: MemoryBudget) {
    const { res, stop } = exchange;
    this.#exchange = exchange;
    this.#claim = claimMemory(exchange, answerBudget);
    const outlivesClient = () => !stop.signal.aborted;
    tapResponse(res, { add: (piece) => this.#add(piece), onEnd: (end) => this.#hold(end), outlivesClient });
    res.once('close', () => {
      if (!outlivesClient()) this.#ended.resolve();
      // The request goes on, but without a client no `drain` comes, for which its writer may wait.
      else res.emit('drain');
    });
  }

  /** Waits for the end of the body. @returns its pieces, or why they are not complete */
  async body(): Promise<readonly Buffer[] | NotRecorded> {
    if (this.#end === undefined) await this.#ended.promise;
    return this.#end === undefined ? 'incomplete' : (this.#chunks?.all() ?? this.#notRecorded);
  }

  /** Sends the end of the response, now or when it comes. */
  finish(): void {
    this.#isOver = true;
    this.#drop('incomplete');
    this.#end?.();
  }

  #add(piece: Buffer): void {
    if (this.#chunks === undefined) return;
    this.#bytes += piece.length;
    if (this.#bytes > MAX_RECORDED_BYTES) this.#drop('too_long');
    // Twice: plain, and encrypted until it is stored.
    else if (this.#claim.tryTake(2 * piece.length)) this.#chunks.add(piece);
    else this.#drop('no_room');
  }

  #hold(end: () => void): void {
    const { record, res } = this.#exchange;
    const isAnswer = res.statusCode === 200 && record.error === undefined;
    if (this.#isOver || !isAnswer) end();
    else this.#end = end;
    this.#ended.resolve();
  }

  #drop(reason: NotRecorded): void {
    this.#chunks = undefined;
    this.#notRecorded = reason;
    this.#claim.giveBack();
  }
}
