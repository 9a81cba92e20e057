import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import { JobQueue } from '../threads/job-queue.ts';
import { WorkerThread } from '../threads/worker-thread.ts';
import type { Tokenizer } from './tokenizer-of.ts';

/** Message to the count worker, which answers with the number of tokens. */
export interface CountTask {
  tokenizer: Tokenizer;
  json: Uint8Array<ArrayBuffer>;
}

export interface TokenCount {
  owner: MemoryOwner;
  tokenizer: Tokenizer;
  chunks: readonly Buffer[];
  signal: StopSignal;
}

/** Enough for a vocabulary and the largest body with the maximum number of values. */
const THREAD_HEAP_MB = 512;

/** Counts tokens in a separate worker thread, so that neither requests nor large bodies wait for it. */
export class TokenCounts {
  readonly #queue: JobQueue<CountTask, number>;

  /** @param idleMs how long an idle thread is kept */
  constructor(idleMs?: number) {
    const program = new URL('../workers/count-worker.ts', import.meta.url);
    this.#queue = new JobQueue(() => new WorkerThread(program, THREAD_HEAP_MB), idleMs);
  }

  /** @throws the signal's reason; the error that ended the thread */
  count({ owner, tokenizer, chunks, signal }: TokenCount): Promise<number> {
    return this.#queue.take({
      owner,
      signal,
      check: () => undefined,
      task: () => {
        // A copy, because the bytes may still be on their way to a provider.
        const json = joined(chunks);
        return { task: { tokenizer, json }, moved: [json.buffer] };
      },
    });
  }

  close(): Promise<void> {
    return this.#queue.close();
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
