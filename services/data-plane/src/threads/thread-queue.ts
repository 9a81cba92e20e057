import { Worker } from 'node:worker_threads';
import type { StopSignal } from '@model-gateway/service-kit';
import { FairQueue } from '../keys/fair-queue.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';

export interface ThreadJob<Task> {
  /** Jobs are served in fair order of accounts, then keys. */
  owner: MemoryOwner;
  /** Called when the job starts. `moved` is memory that is transferred to the thread. */
  task: () => { task: Task; moved: ArrayBuffer[] };
  signal: StopSignal;
  /** Called before the job starts. @throws if the work is no longer wanted */
  check: () => void;
}

interface Waiting<Task, Answer> extends Omit<ThreadJob<Task>, 'signal'> {
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

/** An idle thread ends after this time, with the memory that it has not freed. */
const IDLE_MS = 30_000;

/** Runs long work one job at a time in a worker thread, which answers each message with one. */
export class ThreadQueue<Task, Answer> {
  readonly #program: URL;
  readonly #heapMb: number;
  readonly #idleMs: number;
  /** Waiting jobs by account, in the order in which accounts are served. */
  readonly #waiting = new Map<string, FairQueue<Waiting<Task, Answer>>>();
  #thread: Worker | undefined;
  #current: Waiting<Task, Answer> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param program the file that the thread runs
   * @param heapMb upper bound of the thread's heap
   * @param idleMs how long an idle thread is kept
   */
  constructor(program: URL, { heapMb, idleMs = IDLE_MS }: { heapMb: number; idleMs?: number | undefined }) {
    this.#program = program;
    this.#heapMb = heapMb;
    this.#idleMs = idleMs;
  }

  get hasThread(): boolean {
    return this.#thread !== undefined;
  }

  /** @throws what `check` throws; the signal's reason; the error that ended the thread */
  async take({ signal, ...job }: ThreadJob<Task>): Promise<Answer> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiting = { ...job, resolve, reject };
    this.#join(waiting);
    // When the client leaves, drop the job at once to free its memory.
    const onAbort = () => this.#leave(waiting, signal.reason);
    signal.addEventListener('abort', onAbort);
    this.#next();
    return await promise.finally(() => signal.removeEventListener('abort', onAbort));
  }

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
      const { task, moved } = next.task();
      this.#running().postMessage(task, moved);
    } catch (reason) {
      this.#current = undefined;
      next.reject(reason);
      this.#next();
    }
  }

  #join(waiting: Waiting<Task, Answer>): void {
    const { accountId, keyId } = waiting.owner;
    const ofAccount = this.#waiting.get(accountId) ?? new FairQueue<Waiting<Task, Answer>>();
    ofAccount.add(keyId, waiting);
    this.#waiting.set(accountId, ofAccount);
  }

  #takeFirst(): Waiting<Task, Answer> | undefined {
    for (const [accountId, ofAccount] of this.#waiting) {
      const [first] = ofAccount.firsts();
      if (first === undefined) continue;
      ofAccount.served(first.owner.keyId, first);
      // Move the account behind all others.
      this.#waiting.delete(accountId);
      if (ofAccount.keys > 0) this.#waiting.set(accountId, ofAccount);
      return first;
    }
    return undefined;
  }

  #leave(waiting: Waiting<Task, Answer>, reason: unknown): void {
    waiting.reject(reason);
    const { accountId, keyId } = waiting.owner;
    const ofAccount = this.#waiting.get(accountId);
    ofAccount?.leave(keyId, waiting);
    if (ofAccount?.keys === 0) this.#waiting.delete(accountId);
  }

  #running(): Worker {
    clearTimeout(this.#idle);
    if (this.#thread !== undefined) return this.#thread;
    const thread = new Worker(this.#program, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    // The thread must not keep the process alive.
    thread.unref();
    thread.on('message', (answer: Answer) => this.#finish((current) => current.resolve(answer)));
    thread.on('error', (cause) => {
      if (this.#thread !== thread) return;
      this.#thread = undefined;
      this.#finish((current) => current.reject(cause));
    });
    this.#thread = thread;
    return thread;
  }

  #finish(settle: (current: Waiting<Task, Answer>) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) settle(current);
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
