import { rethrown } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import type { MemoryOwner } from '../memory/shared-room.ts';
import { bufferOf, movable } from '../threads/moved-bytes.ts';
import { ThreadTurns } from '../threads/thread-turns.ts';
import type { JsonTask, JsonTaskAnswer } from './json-task.ts';
import { NAME_OF_SCHEMA } from './request-schemas.ts';
import type { UnderstoodJson } from './understand-json.ts';

/** A body that waits for its turn. Before its turn, and during another one's, it must not be read. */
export interface JsonTurn<Schema extends z.ZodType> {
  /** Accounts take turns, and so do the keys of each account. */
  owner: MemoryOwner;
  schema: Schema;
  /** The other thread owns the bytes until it has answered. */
  chunks: readonly Buffer[];
  signal: AbortSignal;
  /** Called when its turn has come. @throws when the body is no longer wanted */
  check: () => void;
}

export type TurnAnswer<Value> = UnderstoodJson<Value> & { chunks: readonly Buffer[] };

/**
 * More memory than a text of 20 MB with the most allowed values needs. A thread that runs out of memory
 * within `JSON.parse` would end the process.
 */
const THREAD_HEAP_MB = 512;

/** Large bodies are read one at a time, in a thread of their own for which nobody else waits. */
export class JsonTurns {
  readonly #turns: ThreadTurns<JsonTask, JsonTaskAnswer>;

  /** @param idleMs how long the thread is kept while nothing needs it */
  constructor(idleMs?: number) {
    const program = new URL('./json-worker.ts', import.meta.url);
    this.#turns = new ThreadTurns(program, { heapMb: THREAD_HEAP_MB, idleMs });
  }

  get hasThread(): boolean {
    return this.#turns.hasThread;
  }

  /** @throws the errors of `understandJson`; what `check` throws; the signal's reason */
  async take<Schema extends z.ZodType>(turn: JsonTurn<Schema>): Promise<TurnAnswer<z.infer<Schema>>> {
    const { schema, chunks: bytes, ...others } = turn;
    const schemaName = NAME_OF_SCHEMA.get(schema);
    if (schemaName === undefined) throw new Error('a request schema without a name');
    const answer = await this.#turns.take({
      ...others,
      task: () => {
        const chunks = bytes.map(movable);
        return { task: { schemaName, chunks }, moved: chunks.map(({ buffer }) => buffer) };
      },
    });
    if (answer.refusal !== undefined) throw rethrown(answer.refusal);
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

  /** Everything that waits or runs fails. */
  close(): Promise<void> {
    return this.#turns.close();
  }
}
