import { causedByRequest, UnusualJson, unexpectedJson } from '@model-gateway/dialects';
import { badGateway } from '@model-gateway/shared/errors';
import type { MemoryClaim } from '../memory/memory-claim.ts';
import type { ProviderAttempt } from './capability-call.ts';
import type { UpstreamAnswer } from './upstream-answer.ts';

export interface ReadWholeOptions {
  maxBytes: number;
  /** Memory claim, which the caller releases: that also ends a wait. */
  claim: MemoryClaim;
  /** Receives each chunk. What it throws fails the response. */
  onChunk?: (chunk: Buffer) => void;
}

/**
 * Reads a response to its end, as chunks. Without memory, the provider and its timeout are paused.
 * @throws GatewayError as the call does, 502 if it is longer than `maxBytes` or `onChunk` throws, 503 without
 *   memory
 */
export function readWhole(
  answer: UpstreamAnswer,
  { call }: ProviderAttempt,
  { maxBytes, claim, onChunk }: ReadWholeOptions,
): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks = new ChunkList();
    let size = 0;
    let received = 0;
    let missing = 0;
    let hasEnded = false;
    const giveUp = (reason: unknown) => {
      call.giveUp(reason);
      reject(call.failure(reason));
    };
    let isWaiting = false;
    const goOn = () => {
      isWaiting = false;
      // Chunks that arrived after the pause need memory, too.
      const more = missing;
      missing = 0;
      if (more > 0) return need(more);
      if (hasEnded) return resolve(chunks.all());
      call.resumeTimeout();
      answer.resume();
    };
    const need = (bytes: number) => {
      if (isWaiting) missing += bytes;
      else if (!claim.tryTake(bytes)) {
        isWaiting = true;
        answer.pause();
        call.pauseTimeout();
        claim.take(bytes).then(goOn, giveUp);
      }
    };
    const announce = (bytes: number) => {
      if (bytes <= size) return;
      if (bytes > maxBytes) return giveUp(causedByRequest(`the answer is longer than ${maxBytes} bytes`));
      const more = bytes - size;
      size = bytes;
      need(more);
    };
    announce(Number(answer.headers['content-length'] ?? 0) || 0);
    answer.read({
      onChunk: (chunk) => {
        received += chunk.length;
        announce(received);
        if (received > maxBytes) return;
        chunks.add(chunk);
        try {
          onChunk?.(chunk);
        } catch (thrown) {
          giveUp(thrown instanceof UnusualJson ? unexpectedJson(thrown) : badGateway(thrown));
        }
      },
      onEnd: () => {
        hasEnded = true;
        if (!isWaiting) resolve(chunks.all());
      },
      onError: (thrown) => reject(call.failure(thrown)),
    });
  });
}

/** Smaller chunks are joined: each chunk has a cost, and some providers send every number by itself. */
const SMALL_CHUNK_BYTES = 4 * 1024;
const JOINED_BYTES = 64 * 1024;

class ChunkList {
  readonly #chunks: Buffer[] = [];
  #small: Buffer[] = [];
  #smallBytes = 0;

  add(chunk: Buffer): void {
    if (chunk.length >= SMALL_CHUNK_BYTES) {
      this.#join();
      this.#chunks.push(chunk);
      return;
    }
    this.#small.push(chunk);
    this.#smallBytes += chunk.length;
    if (this.#smallBytes >= JOINED_BYTES) this.#join();
  }

  all(): Buffer[] {
    this.#join();
    return this.#chunks;
  }

  #join(): void {
    const [only] = this.#small;
    if (only === undefined) return;
    this.#chunks.push(this.#small.length === 1 ? only : Buffer.concat(this.#small));
    this.#small = [];
    this.#smallBytes = 0;
  }
}
