import type { TranslatedFor, ValidatedJson, WrittenJson } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { rethrown } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import type { MemoryOwner } from '../memory/shared-memory.ts';
import { JobQueue } from '../threads/job-queue.ts';
import { WorkerThread } from '../threads/worker-thread.ts';
import { NAME_OF_SCHEMA } from './request-schemas.ts';

type JsonWork =
  /** Validate it with a schema, by name. */
  | { schemaName: string }
  /** Translate it with these translations, by name, one after the other. */
  | { translations: readonly string[]; model: TranslatedFor };

export interface JsonTask {
  work: JsonWork;
  /** Transferred, not copied: nobody else reads them meanwhile. */
  chunks: readonly Uint8Array<ArrayBuffer>[];
}

/** Response of the JSON worker, with the original bytes unless they were translated. */
export type JsonTaskAnswer =
  | {
      chunks: readonly Uint8Array<ArrayBuffer>[];
      refusal: Pick<GatewayError, 'code' | 'message' | 'param'>;
    }
  | ({ chunks: readonly Uint8Array<ArrayBuffer>[]; refusal?: undefined } & ValidatedJson<unknown>)
  | { refusal?: undefined; written: WrittenJson };

interface BodyJob {
  /** Jobs are served in fair order of accounts, then keys. */
  owner: MemoryOwner;
  /** Owned by the worker thread until it responds. */
  chunks: readonly Buffer[];
  signal: StopSignal;
}

/** A body that waits for the worker thread. Nobody may read it until the job has ended. */
export interface ValidationJob<Schema extends z.ZodType> extends BodyJob {
  schema: Schema;
  /** Called before the job starts. @throws if the body is no longer wanted */
  check: () => void;
}

export interface TranslationJob extends BodyJob {
  translations: readonly string[];
  model: TranslatedFor;
}

/** The translated body, or a refusal with the original bytes. */
export type TranslationAnswer = { written: WrittenJson } | { refusal: GatewayError; chunks: Buffer[] };

export type JobResult<Value> = ValidatedJson<Value> & { chunks: readonly Buffer[] };

/**
 * Enough for a 20 MB text with the maximum number of values. A thread that runs out of memory in `JSON.parse`
 * would end the process.
 */
const THREAD_HEAP_MB = 512;

/** Validates and translates large bodies, one at a time, in a worker thread. */
export class JsonQueue {
  readonly #queue: JobQueue<JsonTask, JsonTaskAnswer>;

  /** @param idleMs how long an idle thread is kept */
  constructor(idleMs?: number) {
    const program = new URL('../workers/json-worker.ts', import.meta.url);
    this.#queue = new JobQueue(() => new WorkerThread(program, THREAD_HEAP_MB), idleMs);
  }

  get hasThread(): boolean {
    return this.#queue.hasRunner;
  }

  /** @throws the errors of `validateJson`; what `check` throws; the signal's reason */
  async take<Schema extends z.ZodType>(job: ValidationJob<Schema>): Promise<JobResult<z.infer<Schema>>> {
    const { schema, check } = job;
    const schemaName = NAME_OF_SCHEMA.get(schema);
    if (schemaName === undefined) throw new Error('a request schema without a name');
    const answer = await this.#take(job, { schemaName }, check);
    if (answer.refusal !== undefined) throw rethrown(answer.refusal);
    if ('written' in answer) throw new Error('the worker translated a body that it should validate');
    const { value, size, members, inputBytes, measure } = answer;
    return {
      // The worker has validated the value with this schema.
      value: value as z.infer<Schema>,
      size,
      members,
      inputBytes,
      measure,
      chunks: answer.chunks.map(bufferOf),
    };
  }

  /** @throws the signal's reason */
  async translate(job: TranslationJob): Promise<TranslationAnswer> {
    const { model, translations } = job;
    const answer = await this.#take(job, { translations, model }, () => undefined);
    if ('written' in answer) return answer;
    if (answer.refusal === undefined) throw new Error('the worker validated a body that it should translate');
    return { refusal: rethrown(answer.refusal), chunks: answer.chunks.map(bufferOf) };
  }

  #take({ chunks: bytes, owner, signal }: BodyJob, work: JsonWork, check: () => void) {
    const task = () => {
      const chunks = bytes.map(movable);
      return { task: { work, chunks }, moved: chunks.map(({ buffer }) => buffer) };
    };
    return this.#queue.take({ owner, signal, check, task });
  }

  close(): Promise<void> {
    return this.#queue.close();
  }
}

/** Returns transferable bytes. Copies a chunk that shares its memory with others. */
function movable(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? new Uint8Array(buffer) : Uint8Array.from(chunk);
}

/** Wraps the bytes in a Buffer, without a copy. */
function bufferOf({ buffer, byteOffset, length }: Uint8Array<ArrayBuffer>): Buffer {
  return Buffer.from(buffer, byteOffset, length);
}
