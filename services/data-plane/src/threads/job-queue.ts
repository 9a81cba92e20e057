import { inBackground, type StopSignal } from '@model-gateway/service-kit';
import { FairQueue } from '../keys/fair-queue.ts';
import type { MemoryOwner } from '../memory/shared-memory.ts';

/** A thread or process that runs one job after the other. */
export interface JobRunner<Task, Answer> {
  readonly hasEnded: boolean;
  /** @throws if the job cannot be done; the runner is then replaced */
  run(task: Task, moved: ArrayBuffer[]): Promise<Answer>;
  end(): Promise<void>;
}

export interface Job<Task> {
  /** Jobs are served in fair order of accounts, then keys. */
  owner: MemoryOwner;
  /** Called when the job starts. `moved` is memory that is transferred to a thread. */
  task: () => { task: Task; moved: ArrayBuffer[] };
  /** Drops the job when it aborts. */
  signal?: StopSignal;
  /** Called before the job starts. @throws if the work is no longer wanted */
  check: () => void;
}

interface Waiting<Task, Answer> extends Omit<Job<Task>, 'signal'> {
  resolve: (answer: Answer) => void;
  reject: (reason: unknown) => void;
}

/** An idle runner ends after this time, with the memory that it has not freed. */
const IDLE_MS = 30_000;

/** Runs long work one job at a time, outside of the event loop. */
export class JobQueue<Task, Answer> {
  readonly #start: () => JobRunner<Task, Answer>;
  readonly #idleMs: number;
  /** Waiting jobs by account, in the order in which accounts are served. */
  readonly #waiting = new Map<string, FairQueue<Waiting<Task, Answer>>>();
  #runner: JobRunner<Task, Answer> | undefined;
  #current: Waiting<Task, Answer> | undefined;
  #idle: NodeJS.Timeout | undefined;

  /**
   * @param start called for the first job, and for the next one after a runner has ended
   * @param idleMs how long an idle runner is kept
   */
  constructor(start: () => JobRunner<Task, Answer>, idleMs = IDLE_MS) {
    this.#start = start;
    this.#idleMs = idleMs;
  }

  get hasRunner(): boolean {
    return this.#runner !== undefined;
  }

  /** True while a job waits for another one. */
  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** @throws what `check` throws; the signal's reason; the error that ended the runner */
  async take({ signal, ...job }: Job<Task>): Promise<Answer> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const waiting = { ...job, resolve, reject };
    this.#join(waiting);
    // When the client leaves, drop the job at once to free its memory.
    const onAbort = () => this.#leave(waiting, signal?.reason);
    signal?.addEventListener('abort', onAbort);
    this.#next();
    return await promise.finally(() => signal?.removeEventListener('abort', onAbort));
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
      this.#run(task, moved);
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

  #run(task: Task, moved: ArrayBuffer[]): void {
    clearTimeout(this.#idle);
    const runner = this.#runner?.hasEnded === false ? this.#runner : this.#start();
    this.#runner = runner;
    runner.run(task, moved).then(
      (answer) => this.#runner === runner && this.#finish((current) => current.resolve(answer)),
      (cause) => {
        if (this.#runner !== runner) return;
        this.#runner = undefined;
        inBackground(runner.end());
        this.#finish((current) => current.reject(cause));
      },
    );
  }

  #finish(settle: (current: Waiting<Task, Answer>) => void): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined) settle(current);
    this.#next();
    if (this.#current !== undefined) return;
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => void this.#end(new Error('it was idle')), this.#idleMs).unref();
  }

  async #end(reason: Error): Promise<void> {
    clearTimeout(this.#idle);
    const runner = this.#runner;
    this.#runner = undefined;
    const abandoned = [...this.#waiting.values()].flatMap((ofAccount) => ofAccount.all());
    if (this.#current !== undefined) abandoned.push(this.#current);
    this.#waiting.clear();
    this.#current = undefined;
    for (const { reject } of abandoned) reject(reason);
    await runner?.end();
  }
}
