import type { StopSignal } from '@model-gateway/service-kit';
import type { MemoryOwner } from '../../memory/shared-memory.ts';
import { JobQueue } from '../../threads/job-queue.ts';
import { WorkerProcess, type WorkerProcessOptions } from '../../threads/worker-process.ts';
import type { Measurement } from './measure/measure-recording.ts';

/** Enough for the largest upload in packets of 60 ms. */
const HEAP_MB = 256;
/** An upload of 25 MB takes about 1 s on an idle machine. */
const MAX_MS = 10_000;
const PIECE_BYTES = 256 * 1024;

export interface RecordingQueueOptions extends Partial<WorkerProcessOptions> {
  /** How long an idle process is kept. */
  idleMs?: number;
}

/** Measures recordings, one at a time, in a worker process. */
export class RecordingQueue {
  readonly #queue: JobQueue<readonly Uint8Array[], Measurement | null>;

  constructor({ heapMb = HEAP_MB, maxMs = MAX_MS, idleMs }: RecordingQueueOptions = {}) {
    const program = new URL('../../workers/recording-worker.ts', import.meta.url);
    this.#queue = new JobQueue(() => new WorkerProcess(program, { heapMb, maxMs }), idleMs);
  }

  get hasProcess(): boolean {
    return this.#queue.hasRunner;
  }

  /** True while a file waits for another one. */
  get isBusy(): boolean {
    return this.#queue.isBusy;
  }

  /**
   * Measures a file.
   * @param unneeded drops the file if it still waits. A caller that leaves is no reason: the length of the
   *   file decides on the charge
   * @returns undefined if the file cannot be measured within the bounds, or is dropped
   */
  async measure(
    owner: MemoryOwner,
    chunks: readonly Buffer[],
    unneeded?: StopSignal,
  ): Promise<Measurement | undefined> {
    const task = () => ({ task: chunks.flatMap(piecesOf), moved: [] });
    const check = () => undefined;
    const job = { owner, task, check, ...(unneeded === undefined ? {} : { signal: unneeded }) };
    const measured = await this.#queue.take(job).catch(() => null);
    return measured ?? undefined;
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

function piecesOf(chunk: Buffer): Buffer[] {
  if (chunk.length <= PIECE_BYTES) return [chunk];
  const pieces = [];
  for (let at = 0; at < chunk.length; at += PIECE_BYTES) pieces.push(chunk.subarray(at, at + PIECE_BYTES));
  return pieces;
}
