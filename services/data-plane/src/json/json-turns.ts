import { Worker } from 'node:worker_threads';
import { rethrown } from '@model-gateway/shared/errors';
import type { z } from 'zod';
import { KeyTurns } from '../keys/key-turns.ts';
import type { MemoryOwner } from '../memory/shared-room.ts';
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

interface Waiting {
  owner: MemoryOwner;
  task: () => JsonTask;
  check: () => void;
  resolve: (answer: JsonTaskAnswer) => void;
  reject: (reason: unknown) => void;
}

/**
 * More memory than a text of 20 MB with the most allowed values needs. A thread that runs out of memory
 * within `JSON.parse` would end the process.
 */
const THREAD_HEAP_MB = 512;
/** After this time the thread is ended, with all the memory that it has not freed. */
const IDLE_MS = 30_000;

/** Large bodies are read one at a time, in a thread of their own for which nobody else waits. */
export class JsonTurns {
  readonly #idleMs: number;
  /** The waiting bodies by account, in the order of turns. */
  readonly #waiting = new Map<string, KeyTurns<Waiting>>();
  #thread: Worker | undefined;
  #current: Waiting | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** @param idleMs how long the thread is kept while nothing needs it */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs;
  }

  get hasThread(): boolean {
    return this.#thread !== undefined;
  }

  /** @throws the errors of `understandJson`; what `check` throws; the signal's reason */
  async take<Schema extends z.ZodType>(turn: JsonTurn<Schema>): Promise<TurnAnswer<z.infer<Schema>>> {
    const { owner, schema, chunks, signal, check } = turn;
    const schemaName = NAME_OF_SCHEMA.get(schema);
    if (schemaName === undefined) throw new Error('a request schema without a name');
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<JsonTaskAnswer>();
    const task = () => ({ schemaName, chunks: chunks.map(owned) });
    const waiting = { owner, task, check, resolve, reject };
    this.#join(waiting);
    // When its client goes away, the body must leave at once, so that its memory can be used again.
    const onAbort = () => this.#leave(waiting, signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#next();
    const answer = await promise.finally(() => signal.removeEventListener('abort', onAbort));
    if (answer.refusal !== undefined) throw rethrown(answer.refusal);
    const { value, size, members, inputBytes } = answer;
    return {
      // The other thread has checked the value by this very schema.
      value: value as z.infer<Schema>,
      size,
      members,
      inputBytes,
      chunks: answer.chunks.map(({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset, length)),
    };
  }

  /** Everything that waits or runs fails. */
  async close(): Promise<void> {
    await this.#end(new Error('the process is stopping'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const next = this.#takeFirst();
    if (next === undefined) return;
    try {
      next.check();
      this.#current = next;
      const task = next.task();
      this.#running().postMessage(
        task,
        task.chunks.map(({ buffer }) => buffer),
      );
    } catch (reason) {
      this.#current = undefined;
      next.reject(reason);
      this.#next();
    }
  }

  #join(waiting: Waiting): void {
    const { accountId, keyId } = waiting.owner;
    const ofAccount = this.#waiting.get(accountId) ?? new KeyTurns<Waiting>();
    ofAccount.add(keyId, waiting);
    this.#waiting.set(accountId, ofAccount);
  }

  #takeFirst(): Waiting | undefined {
    for (const [accountId, ofAccount] of this.#waiting) {
      const [first] = ofAccount.firsts();
      if (first === undefined) continue;
      ofAccount.served(first.owner.keyId, first);
      // The account goes behind all others.
      this.#waiting.delete(accountId);
      if (ofAccount.keys > 0) this.#waiting.set(accountId, ofAccount);
      return first;
    }
    return undefined;
  }

  #leave(waiting: Waiting, reason: unknown): void {
    waiting.reject(reason);
    const { accountId, keyId } = waiting.owner;
    const ofAccount = this.#waiting.get(accountId);
    ofAccount?.leave(keyId, waiting);
    if (ofAccount?.keys === 0) this.#waiting.delete(accountId);
  }

  #running(): Worker {
    clearTimeout(this.#idle);
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(new URL('./json-worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB },
    });
    // The thread must not keep the process alive when nothing else does.
    thread.unref();
    thread.on('message', (answer: JsonTaskAnswer) => this.#answered(answer));
    thread.on('error', (cause) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#finish((current) => current.reject(cause));
    });
    this.#thread = thread;
    return thread;
  }

  #answered(answer: JsonTaskAnswer): void {
    this.#finish((current) => current.resolve(answer));
  }

  #finish(tell: (current: Waiting) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) tell(current);
    this.#next();
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(new Error('the thread was idle')), this.#idleMs).unref();
  }

  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = undefined;
    const abandoned = [...this.#waiting.values()].flatMap((ofAccount) => ofAccount.all());
    if (this.#current !== undefined) abandoned.push(this.#current);
    this.#waiting.clear();
    this.#current = undefined;
    for (const { reject } of abandoned) reject(reason);
    await thread?.terminate();
  }
}

/** Makes bytes that can be handed over. Bytes that share their memory with others are copied. */
function owned(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === chunk.byteLength;
  return isWhole ? new Uint8Array(buffer) : Uint8Array.from(chunk);
}
