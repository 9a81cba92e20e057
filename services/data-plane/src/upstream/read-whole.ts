import { causedByRequest, UnusualJson, unexpectedJson } from '@model-gateway/dialects';
import { badGateway } from '@model-gateway/shared/errors';
import { ChunkList } from '../http/chunk-list.ts';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { ProviderAttempt } from './capability-call.ts';
import type { BodyReader, UpstreamAnswer } from './upstream-answer.ts';
import type { UpstreamCall } from './upstream-call.ts';

export interface ReadWholeOptions {
  maxBytes: number;
  /** Receives each chunk. What it throws fails the response. */
  onChunk?: ((chunk: Buffer) => void) | undefined;
}

/**
 * Reads a response to its end, as chunks. Without memory, the provider and its timeout are paused.
 * @param claim takes the memory; the caller releases it, which also ends a wait
 * @returns no promise if all chunks have arrived, as nearly always for a small response
 * @throws GatewayError as the call does, 502 if it is longer than `maxBytes` or `onChunk` throws, 503 without
 *   memory
 */
export function readWhole(
  answer: UpstreamAnswer,
  { call }: ProviderAttempt,
  claim: MemoryClaim,
  options: ReadWholeOptions,
): Buffer[] | Promise<Buffer[]> {
  return new WholeReader(answer, call, claim, options).read();
}

class WholeReader implements BodyReader {
  readonly #answer: UpstreamAnswer;
  readonly #call: UpstreamCall;
  readonly #claim: MemoryClaim;
  readonly #options: ReadWholeOptions;
  readonly #chunks = new ChunkList();
  /** The announced size, or what has arrived if that is more. */
  #size = 0;
  #received = 0;
  #isWaiting = false;
  /** Bytes that arrived after the pause and need memory, too. */
  #missing = 0;
  #hasEnded = false;
  #failure: { reason: unknown } | undefined;
  #later: PromiseWithResolvers<Buffer[]> | undefined;

  constructor(answer: UpstreamAnswer, call: UpstreamCall, claim: MemoryClaim, options: ReadWholeOptions) {
    this.#answer = answer;
    this.#call = call;
    this.#claim = claim;
    this.#options = options;
  }

  read(): Buffer[] | Promise<Buffer[]> {
    this.#announce(Number(this.#answer.headers['content-length'] ?? 0) || 0);
    this.#answer.read(this);
    if (this.#failure !== undefined) throw this.#failure.reason;
    if (this.#hasEnded && !this.#isWaiting) return this.#chunks.all();
    this.#later = Promise.withResolvers();
    return this.#later.promise;
  }

  onChunk(chunk: Buffer): void {
    this.#received += chunk.length;
    this.#announce(this.#received);
    if (this.#received > this.#options.maxBytes) return;
    this.#chunks.add(chunk);
    try {
      this.#options.onChunk?.(chunk);
    } catch (thrown) {
      this.#giveUp(thrown instanceof UnusualJson ? unexpectedJson(thrown) : badGateway(thrown));
    }
  }

  onEnd(): void {
    this.#hasEnded = true;
    if (!this.#isWaiting) this.#later?.resolve(this.#chunks.all());
  }

  onError(thrown: unknown): void {
    this.#failure ??= { reason: this.#call.failure(thrown) };
    this.#later?.reject(this.#failure.reason);
  }

  readonly #giveUp = (reason: unknown): void => {
    this.#call.giveUp(reason);
    this.onError(reason);
  };

  #announce(bytes: number): void {
    if (bytes <= this.#size) return;
    const { maxBytes } = this.#options;
    if (bytes > maxBytes) {
      this.#giveUp(causedByRequest(`the answer is longer than ${maxBytes} bytes`));
      return;
    }
    const more = bytes - this.#size;
    this.#size = bytes;
    this.#take(more);
  }

  #take(bytes: number): void {
    if (this.#isWaiting) this.#missing += bytes;
    else if (!this.#claim.tryTake(bytes)) {
      this.#isWaiting = true;
      this.#answer.pause();
      this.#call.pauseTimeout();
      this.#claim.take(bytes).then(this.#resume, this.#giveUp);
    }
  }

  readonly #resume = (): void => {
    this.#isWaiting = false;
    const more = this.#missing;
    this.#missing = 0;
    if (more > 0) this.#take(more);
    else if (this.#hasEnded) this.#later?.resolve(this.#chunks.all());
    else {
      this.#call.resumeTimeout();
      this.#answer.resume();
    }
  };
}
