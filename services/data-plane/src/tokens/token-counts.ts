import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryOwner } from '../memory/shared-room.ts';
import { ThreadQueue } from '../threads/thread-queue.ts';
import type { CountTask } from './count-task.ts';
import type { Tokenizer } from './tokenizer-of.ts';

export interface TokenCount {
  owner: MemoryOwner;
  tokenizer: Tokenizer;
  /** The JSON of a request of Messages. */
  chunks: readonly Buffer[];
  signal: StopSignal;
}

/** A vocabulary and the largest body with the most allowed values, as of the thread that reads bodies. */
const THREAD_HEAP_MB = 512;

/** Tokens are counted in a thread of their own: neither other requests nor large bodies wait for it. */
export class TokenCounts {
  readonly #turns: ThreadQueue<CountTask, number>;

  /** @param idleMs how long the thread is kept while nothing needs it */
  constructor(idleMs?: number) {
    const program = new URL('../workers/count-worker.ts', import.meta.url);
    this.#turns = new ThreadQueue(program, { heapMb: THREAD_HEAP_MB, idleMs });
  }

  /** @throws the signal's reason; what ends the thread */
  count({ owner, tokenizer, chunks, signal }: TokenCount): Promise<number> {
    return this.#turns.take({
      owner,
      signal,
      check: () => undefined,
      task: () => {
        // A copy: the bytes may be on their way to a provider still.
        const json = joined(chunks);
        return { task: { tokenizer, json }, moved: [json.buffer] };
      },
    });
  }

  /** Everything that waits or runs fails. */
  close(): Promise<void> {
    return this.#turns.close();
  }
}

function joined(chunks: readonly Buffer[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
