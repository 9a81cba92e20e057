import type { TranslatedFor, ValidatedJson, WrittenJson } from '@model-gateway/dialects';
import type { StopSignal } from '@model-gateway/service-kit';
import type { GatewayError } from '@model-gateway/shared';
import { rethrown } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import type { MemoryOwner } from '../memory/shared-room.ts';
import { bufferOf, movable } from '../threads/moved-bytes.ts';
import { ThreadQueue } from '../threads/thread-queue.ts';
import type { JsonTask, JsonTaskAnswer, JsonWork } from './json-task.ts';
import { NAME_OF_SCHEMA } from './request-schemas.ts';

interface BodyJob {
  /** Accounts take turns, and so do the keys of each account. */
  owner: MemoryOwner;
  /** The other thread owns the bytes until it has answered. */
  chunks: readonly Buffer[];
  signal: StopSignal;
}

/** A body that waits for its turn. Before its turn, and during another one's, it must not be read. */
export interface JsonJob<Schema extends z.ZodType> extends BodyJob {
  schema: Schema;
  /** Called when its turn has come. @throws when the body is no longer wanted */
  check: () => void;
}

/** A body that waits to be written in another API. */
export interface TranslationJob extends BodyJob {
  translations: readonly string[];
  model: TranslatedFor;
}

/** The translated body, or the reason for refusing it with the request's own bytes. */
export type TranslationAnswer = { written: WrittenJson } | { refusal: GatewayError; chunks: Buffer[] };

export type JobResult<Value> = ValidatedJson<Value> & { chunks: readonly Buffer[] };

/**
 * More memory than a text of 20 MB with the most allowed values needs. A thread that runs out of memory
 * within `JSON.parse` would end the process.
 */
const THREAD_HEAP_MB = 512;

/** Large bodies are worked on one at a time, in a thread of their own for which nobody else waits. */
export class JsonQueue {
  readonly #turns: ThreadQueue<JsonTask, JsonTaskAnswer>;

  /** @param idleMs how long the thread is kept while nothing needs it */
  constructor(idleMs?: number) {
    const program = new URL('../workers/json-worker.ts', import.meta.url);
    this.#turns = new ThreadQueue(program, { heapMb: THREAD_HEAP_MB, idleMs });
  }

  get hasThread(): boolean {
    return this.#turns.hasThread;
  }

  /** @throws the errors of `validateJson`; what `check` throws; the signal's reason */
  async take<Schema extends z.ZodType>(turn: JsonJob<Schema>): Promise<JobResult<z.infer<Schema>>> {
    const { schema, check } = turn;
    const schemaName = NAME_OF_SCHEMA.get(schema);
    if (schemaName === undefined) throw new Error('a request schema without a name');
    const answer = await this.#take(turn, { schemaName }, check);
    if (answer.refusal !== undefined) throw rethrown(answer.refusal);
    if ('written' in answer) throw new Error('a body was translated that was to be read');
    const { value, size, members, inputBytes } = answer;
    return {
      // The other thread has checked the value by this very schema.
      value: value as z.infer<Schema>,
      size,
      members,
      inputBytes,
      chunks: answer.chunks.map(bufferOf),
    };
  }

  /** @throws the signal's reason */
  async translate(turn: TranslationJob): Promise<TranslationAnswer> {
    const { model, translations } = turn;
    const answer = await this.#take(turn, { translations, model }, () => undefined);
    if ('written' in answer) return answer;
    if (answer.refusal === undefined) throw new Error('a body was read that was to be translated');
    return { refusal: rethrown(answer.refusal), chunks: answer.chunks.map(bufferOf) };
  }

  #take({ chunks: bytes, owner, signal }: BodyJob, work: JsonWork, check: () => void) {
    const task = () => {
      const chunks = bytes.map(movable);
      return { task: { work, chunks }, moved: chunks.map(({ buffer }) => buffer) };
    };
    return this.#turns.take({ owner, signal, check, task });
  }

  /** Everything that waits or runs fails. */
  close(): Promise<void> {
    return this.#turns.close();
  }
}
