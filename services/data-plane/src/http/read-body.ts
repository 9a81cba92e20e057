import type { GatewayError } from '@model-gateway/shared';
import { bodyTooLarge } from '@model-gateway/shared/errors';
import { SMALL_BYTES } from '../memory/budget-bounds.ts';
import { claimMemory, type MemoryBudget } from '../memory/memory-budget.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import { ChunkList } from './chunk-list.ts';
import { continueWith } from './continue-with.ts';
import { type AuthenticatedExchange, ClientGone } from './exchange.ts';
import type { ArrivingBody, MinimumRate } from './minimum-rate.ts';

declare module 'node:stream' {
  interface Duplex {
    /** Memory that already counts for the body of the request on this connection, and is released with it. */
    bodyClaim?: MemoryClaim | undefined;
  }
}

/** The parts of an exchange that its body needs. */
type ReadingExchange = Pick<AuthenticatedExchange, 'req' | 'res' | 'stop' | 'ends'> & {
  record: { key: MemoryOwner };
};

export interface ReadBodyOptions {
  maxBytes: number;
  budget: MemoryBudget;
  minimumRate: MinimumRate;
  /**
   * Called for a large body before it is read and again after its first bytes: rejects an unwanted body
   * early.
   * @param arrived the bytes that have arrived so far
   * @throws GatewayError
   */
  checkLarge: (arrived: readonly Buffer[]) => void;
  /** Creates the 413. Left out: one for any body. */
  tooLarge?: (maxBytes: number) => GatewayError;
}

/**
 * Reads the whole request body in the chunks in which it arrives, without copying. Its memory is claimed
 * before reading and held until the exchange ends.
 * @returns no promise for a small body that has arrived whole
 * @throws GatewayError 413 over `maxBytes` (at once if Content-Length says so), 408 for a slow client, 503
 *   without memory; what `checkLarge` throws; ClientGone when the client leaves
 */
export function readBody(exchange: ReadingExchange, options: ReadBodyOptions): Buffer[] | Promise<Buffer[]> {
  const { req, res, stop } = exchange;
  const { maxBytes, budget, checkLarge, tooLarge = bodyTooLarge } = options;
  stop.signal.throwIfAborted();
  const announced = Number(req.headers['content-length'] ?? 0);
  if (announced > maxBytes) throw tooLarge(maxBytes);
  if (announced > SMALL_BYTES) checkLarge([]);
  const claim = req.socket.bodyClaim ?? claimMemory(exchange, budget);
  const missing = Math.max(0, announced - claim.bytes);
  const taken = claim.tryTake(missing) ? undefined : claim.take(missing, stop.signal);
  return continueWith(taken, () => {
    if (req.headers.expect !== undefined) res.writeContinue();
    // Nearly every small body arrives together with its headers. `resume` lets the request end after it.
    if (announced > 0 && announced <= SMALL_BYTES && req.readableLength === announced) {
      const body: Buffer = req.read();
      req.resume();
      return [body];
    }
    return new BodyReading(exchange, options, claim, announced).read();
  });
}

class BodyReading implements ArrivingBody {
  readonly #exchange: ReadingExchange;
  readonly #options: ReadBodyOptions;
  readonly #claim: MemoryClaim;
  readonly #chunks = new ChunkList();
  readonly #whole = Promise.withResolvers<Buffer[]>();
  #takenBytes: number;
  #isChecked = false;
  #isHeldBack = false;
  #stopWatching: (() => void) | undefined;
  size = 0;

  constructor(exchange: ReadingExchange, options: ReadBodyOptions, claim: MemoryClaim, takenBytes: number) {
    this.#exchange = exchange;
    this.#options = options;
    this.#claim = claim;
    this.#takenBytes = takenBytes;
  }

  isHeldBack(): boolean {
    return this.#isHeldBack;
  }

  read(): Promise<Buffer[]> {
    const { req, stop } = this.#exchange;
    req.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onGone);
    stop.signal.addEventListener('abort', this.#onStop);
    this.#stopWatching = this.#options.minimumRate.watch(this);
    return this.#whole.promise;
  }

  giveUp(reason: unknown): void {
    this.#stopReading();
    this.#whole.reject(reason);
  }

  readonly #onData = (chunk: Buffer) => {
    this.size += chunk.length;
    this.#chunks.add(chunk);
    const { maxBytes, tooLarge = bodyTooLarge } = this.#options;
    if (this.size > maxBytes) return this.giveUp(tooLarge(maxBytes));
    const isLarge = Math.max(this.size, this.#takenBytes) > SMALL_BYTES;
    if (isLarge && !this.#isChecked) {
      this.#isChecked = true;
      try {
        this.#options.checkLarge(this.#chunks.all());
      } catch (refusal) {
        return this.giveUp(refusal);
      }
    }
    if (this.size > this.#takenBytes) this.#takeMore(isLarge);
  };

  /**
   * Claims memory for a body of unknown length. A large one claims the maximum at once, because two growing
   * claims could wait for each other forever. `#onEnd` returns the rest.
   */
  #takeMore(isLarge: boolean): void {
    if (this.#isHeldBack) return;
    const needed = isLarge ? this.#options.maxBytes : this.size;
    const bytes = needed - this.#takenBytes;
    if (this.#claim.tryTake(bytes)) {
      this.#takenBytes = needed;
      return;
    }
    this.#isHeldBack = true;
    const { req, stop } = this.#exchange;
    req.pause();
    this.#claim.take(bytes, stop.signal).then(
      () => {
        this.#takenBytes = needed;
        this.#isHeldBack = false;
        req.resume();
      },
      (refusal: unknown) => this.giveUp(refusal),
    );
  }

  readonly #onEnd = () => {
    this.#stopReading();
    this.#claim.giveBackPart(this.#takenBytes - this.size);
    this.#whole.resolve(this.#chunks.all());
  };

  readonly #onGone = () => this.giveUp(new ClientGone());

  readonly #onStop = () => this.giveUp(this.#exchange.stop.signal.reason);

  #stopReading(): void {
    const { req, stop } = this.#exchange;
    this.#stopWatching?.();
    req.off('data', this.#onData).off('end', this.#onEnd).off('error', this.#onGone);
    stop.signal.removeEventListener('abort', this.#onStop);
  }
}
